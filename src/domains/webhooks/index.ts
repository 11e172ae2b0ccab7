export { deleteOldDeliveries } from './delivery-store.ts'
export { webhookRoutes } from './routes.ts'
export { startDelivering } from './start-delivering.ts'
