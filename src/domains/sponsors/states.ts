export const SPONSOR_STATUSES = ['PENDING', 'ACTIVE', 'INACTIVE'] as const
export type SponsorStatus = (typeof SPONSOR_STATUSES)[number]

export const SPONSOR_KINDS = ['INDIVIDUAL', 'ORGANISATION'] as const

const administrators = ['operator', 'owner'] as const

export const SPONSOR_MOVES = [
  { from: 'PENDING', to: 'ACTIVE', who: administrators },
  { from: 'PENDING', to: 'INACTIVE', who: administrators },
  { from: 'ACTIVE', to: 'INACTIVE', who: administrators },
  { from: 'INACTIVE', to: 'ACTIVE', who: administrators },
  { from: 'ACTIVE', to: 'PENDING', who: ['system'] }, // its PAN or kind changed: to be looked at again
] as const
