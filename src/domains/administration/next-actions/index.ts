import { listNextActions } from './list-next-actions.ts'
import { listUserNextActions } from './list-user-next-actions.ts'

export const nextActionOperations = [listUserNextActions, listNextActions]
