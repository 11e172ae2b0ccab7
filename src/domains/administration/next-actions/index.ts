import { listUserNextActions } from './list-user-next-actions.ts'

export const nextActionOperations = [listUserNextActions]
