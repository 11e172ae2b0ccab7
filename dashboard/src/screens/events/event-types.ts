import type { EventType } from '../../api/events.ts'

/** Groups of the types of events, as a webhook endpoint can choose them. */
export const EVENT_GROUPS: readonly { value: string; label: string; types: readonly EventType[] }[] = [
  {
    value: 'people',
    label: 'People',
    types: [
      'user.created',
      'user.updated',
      'user.onboarded',
      'user.erasure_scheduled',
      'user.erasure_cancelled',
      'user.erased',
      'dependants.created',
      'dependant.updated',
    ],
  },
  {
    value: 'policies',
    label: 'Policies',
    types: ['policy.status_changed', 'policy.corrected', 'document.uploaded', 'document.upload_deleted'],
  },
  {
    value: 'money',
    label: 'Money',
    types: ['account.status_changed', 'wallet.status_changed', 'wallet.balance_changed'],
  },
  {
    value: 'care',
    label: 'Consultations',
    types: ['consultation.status_changed', 'consultation.message_created'],
  },
  {
    value: 'partners',
    label: 'Partners',
    types: [
      'sponsor.created',
      'sponsor.updated',
      'sponsor.status_changed',
      'benefit.created',
      'benefit.updated',
      'benefit.deleted',
      'credential.created',
      'credential.revoked',
      'platform.status_changed',
      'account_provider.status_changed',
      'administrator.status_changed',
      'webhook_endpoint.enabled',
      'webhook_endpoint.disabled',
    ],
  },
]
