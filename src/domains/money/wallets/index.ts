export { openOperator } from './adapters/http-operator.ts'
export { requeueUnfinishedWallets, walletJobs } from './jobs.ts'
export type { Operator, OperatorEvents } from './operator.ts'
export { probeOperator } from './probe-operator.ts'
export { userWalletRoutes, walletRoutes } from './routes.ts'
export { presentWallet } from './present.ts'
export { Wallet as WalletSchema } from './schemas.ts'
export {
  checkHasWallet,
  decodeWalletOfUser,
  deleteOldOperatorEvents,
  findWalletInScope,
  ERASE_WALLET,
  noWallet,
  passWallet,
  SET_BALANCE,
  type Wallet,
  WALLET_COLUMNS,
} from './store.ts'
export { PARTNER_STATUSES, WALLET_STATUSES } from './states.ts'
