import { StatusInput } from '../../../kernel/http/schemas.ts'
import { changed, operation, transition, unchanged } from '../../../record/index.ts'
import { AccountProviderPath, AccountProviderRecord, tags, versionOf } from './records.ts'
import { ACCOUNT_PROVIDER_MACHINE, ACCOUNT_PROVIDER_STATUSES, subjectOf } from './states.ts'
import { providerInPath, setStatus } from './store.ts'

export const setAccountProviderStatus = operation('PUT /account_providers/:account_provider_id/status', {
  access: 'setAccountProviderStatus',
  tags,
  summary: 'Set the status of an account provider',
  description:
    'Transitions: `active` to `inactive` and back. New accounts are opened with the oldest active provider; ' +
    'existing accounts stay where they are.',
  params: AccountProviderPath,
  body: StatusInput(ACCOUNT_PROVIDER_STATUSES, 'inactive'),
  versioned: true,
  response: { 200: AccountProviderRecord },
  problems: ['not_found', 'precondition_failed'],
  target: providerInPath,
  version: versionOf,
  serializeBy: ({ params }) => params.account_provider_id,
  change: ({ target: provider, body: { status, reason } }, { at, caller }) => {
    if (provider.status === status) return unchanged(provider)
    return {
      ...setStatus(provider, { status }, at),
      ...transition(ACCOUNT_PROVIDER_MACHINE, subjectOf(provider), { to: status, who: caller.kind, reason }),
    }
  },
  present: (provider) => changed(versionOf(provider)),
})
