import { createWallet } from './create-wallet.ts'
import { listAllWallets } from './list-all-wallets.ts'
import { readUserWallet } from './read-user-wallet.ts'
import { readWallet } from './read-wallet.ts'
import { readWalletStatus } from './read-wallet-status.ts'
import { receiveOperatorEvent } from './receive-operator-event.ts'
import { refreshWallet } from './refresh-wallet.ts'
import { retryWallet } from './retry-wallet.ts'
import { retryWallets } from './retry-wallets.ts'

export { createOperator } from './adapters/http-operator.ts'
export { probeOperator, requeueUnfinishedWallets, walletJobs } from './jobs.ts'
export type { Operator, OperatorEvents } from './operator.ts'
export { contradictionReporter, OPERATOR_EVENT_METRICS } from './receive-operator-event.ts'
export { type SweepContext, sweepWallets } from './sweep-wallets.ts'
export { ownerFrom, presentWallet, type Wallet, WalletRecord as WalletSchema } from './records.ts'
export {
  checkHasWallet,
  decodeWalletOfUser,
  deleteOldOperatorEvents,
  findReasonToRetry,
  findWalletInScope,
  ERASE_WALLET,
  noWallet,
  bumpWalletRevision,
  SET_BALANCE,
  WALLET_COLUMNS,
} from './store.ts'
export { PARTNER_STATUSES, PARTNER_TRANSITIONS, WALLET_STATUSES, WALLET_TRANSITIONS } from './states.ts'

/** Of wallet users and the operator, under `{wallet_base_url}`. */
export const walletOperations = [createWallet, readWallet, readWalletStatus, receiveOperatorEvent]

/** Of platforms and administrators, under `{base_url}`. */
export const userWalletOperations = [listAllWallets, readUserWallet, refreshWallet, retryWallet, retryWallets]
