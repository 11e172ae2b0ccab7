export const BENEFIT_STATUSES = ['ACTIVE', 'ARCHIVED'] as const
export type BenefitStatus = (typeof BENEFIT_STATUSES)[number]
