export { credentialRoutes } from './routes.ts'
