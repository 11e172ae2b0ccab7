export { credentialRoutes } from './routes.ts'
export { openCredentialUses } from './open-credential-uses.ts'
