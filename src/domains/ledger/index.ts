export { bookingRoutes, transactionRoutes } from './routes.ts'
export { verifyLedger } from './verify-ledger.ts'
