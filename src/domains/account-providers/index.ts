export { accountProviderRoutes } from './routes.ts'
