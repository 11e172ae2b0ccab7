export const ACCOUNT_STATUSES = ['ACTIVE', 'INACTIVE', 'PENDING'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

const administrators = ['operator', 'owner'] as const

/** Only the account provider's answer makes an account ACTIVE for the first time, because it brings the number. */
export const ACCOUNT_MOVES = [
  { from: 'PENDING', to: 'ACTIVE', who: ['system'] },
  { from: 'PENDING', to: 'INACTIVE', who: ['system', ...administrators] },
  { from: 'ACTIVE', to: 'INACTIVE', who: administrators },
  { from: 'INACTIVE', to: 'ACTIVE', who: administrators },
] as const
