export const ACCOUNT_PROVIDER_STATUSES = ['active', 'inactive'] as const
export type AccountProviderStatus = (typeof ACCOUNT_PROVIDER_STATUSES)[number]
