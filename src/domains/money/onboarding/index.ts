export { onboardingDigests } from './onboarding-digests.ts'
export { onboardingRoutes } from './routes.ts'
