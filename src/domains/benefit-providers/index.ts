export { benefitProviderRoutes } from './routes.ts'
export { type BenefitProvider, findBenefitProvider, lockBenefitProvider } from './store.ts'
