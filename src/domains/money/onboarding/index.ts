import { completeOnboarding } from './complete-onboarding.ts'

export { onboardingDigests } from './onboarding-digests.ts'

export const onboardingOperations = [completeOnboarding]
