import { machine, type Transition } from '../../../record/index.ts'

export const CONSULTATION_STATUSES = ['OPEN', 'CLOSED'] as const
export type ConsultationStatus = (typeof CONSULTATION_STATUSES)[number]

const TRANSITIONS: readonly Transition<ConsultationStatus>[] = [
  { from: 'OPEN', to: 'CLOSED', who: ['platform', 'user', 'provider'] },
]

export const CONSULTATION_MACHINE = machine({
  table: TRANSITIONS,
  event: 'consultation.status_changed',
  ids: (consultation: { userId: string; id: string; benefitProviderId: string }) => ({
    user_id: consultation.userId,
    consultation_id: consultation.id,
    benefit_provider_id: consultation.benefitProviderId,
  }),
})
