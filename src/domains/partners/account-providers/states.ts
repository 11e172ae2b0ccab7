import { machine, type Transition } from '../../../record/index.ts'

export const ACCOUNT_PROVIDER_STATUSES = ['active', 'inactive'] as const
type AccountProviderStatus = (typeof ACCOUNT_PROVIDER_STATUSES)[number]

const TRANSITIONS: readonly Transition<AccountProviderStatus>[] = [
  { from: 'active', to: 'inactive', who: ['admin_key'] },
  { from: 'inactive', to: 'active', who: ['admin_key'] },
]

export const ACCOUNT_PROVIDER_MACHINE = machine({
  table: TRANSITIONS,
  event: 'account_provider.status_changed',
  ids: ({ id }: { id: string }) => ({ account_provider_id: id }),
})

/** Returns an account provider as the subject of a transition: it belongs to no user and no platform. */
export const subjectOf = <P extends object>(provider: P) => ({ ...provider, userId: null, platformId: null, key: null })
