export { benefitProviderRoutes } from './routes.ts'
export { findBenefitProvider } from './store.ts'
