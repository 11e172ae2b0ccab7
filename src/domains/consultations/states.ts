export const CONSULTATION_STATUSES = ['OPEN', 'CLOSED'] as const
export type ConsultationStatus = (typeof CONSULTATION_STATUSES)[number]

export const CONSULTATION_MOVES = [{ from: 'OPEN', to: 'CLOSED', who: ['platform', 'user', 'provider'] }] as const
