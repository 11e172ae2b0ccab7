import { machine, type Transition } from '../../record/index.ts'

export const ACCOUNT_PROVIDER_STATUSES = ['active', 'inactive'] as const
export type AccountProviderStatus = (typeof ACCOUNT_PROVIDER_STATUSES)[number]

const TRANSITIONS: readonly Transition<AccountProviderStatus>[] = [
  { from: 'active', to: 'inactive', who: ['admin_key'] },
  { from: 'inactive', to: 'active', who: ['admin_key'] },
]

/** The states of an account provider (completion 5). */
export const ACCOUNT_PROVIDER_MACHINE = machine({
  table: TRANSITIONS,
  event: 'account_provider.status_changed',
  ids: ({ id }: { id: string }) => ({ account_provider_id: id }),
})

/** An account provider as its transitions need it: it is no user's and no platform's. */
export const subjectOf = <P extends object>(provider: P) => ({ ...provider, userId: null, platformId: null, key: null })
