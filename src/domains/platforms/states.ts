export const PLATFORM_STATUSES = ['ACTIVE', 'INACTIVE'] as const
export type PlatformStatus = (typeof PLATFORM_STATUSES)[number]

const who = ['operator', 'owner'] as const

/** Disabling a platform cuts it and its users off; it can be let in again. */
export const PLATFORM_MOVES = [
  { from: 'ACTIVE', to: 'INACTIVE', who },
  { from: 'INACTIVE', to: 'ACTIVE', who },
] as const

/** The types of purpose-bound accounts; they stand here, at the lowest domain that speaks of them. */
export const ACCOUNT_TYPES = ['SAVINGS', 'HSA', 'EDUCATION', 'SPONSOR'] as const
export type AccountType = (typeof ACCOUNT_TYPES)[number]
