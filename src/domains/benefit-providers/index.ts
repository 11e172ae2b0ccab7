export { benefitProviderRoutes } from './routes.ts'
export { findBenefitProvider, lockBenefitProvider } from './store.ts'
