import { listNextActions } from './list-next-actions.ts'
import { listUserNextActions } from './list-user-next-actions.ts'

export { announceDue } from './announce-due.ts'
export { ANNOUNCED_KINDS } from './decide-action.ts'
export { ACTION_CODES, RULES, WAITED_FOR } from './states.ts'

export const nextActionOperations = [listUserNextActions, listNextActions]
export { settleWithdrawals } from './withdrawal-store.ts'
