import { changed, operation, unchanged } from '../../../record/index.ts'
import { AccountProviderInput, AccountProviderPath, AccountProviderRecord, tags, versionOf } from './records.ts'
import { providerInPath, rename } from './store.ts'

export const renameAccountProvider = operation('PATCH /account_providers/:account_provider_id', {
  access: 'updateAccountProvider',
  tags,
  summary: 'Rename an account provider',
  description: 'Requires the administrator key, not a bearer token.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: AccountProviderPath,
  body: AccountProviderInput,
  versioned: true,
  response: { 200: AccountProviderRecord },
  problems: ['not_found', 'precondition_failed'],
  target: providerInPath,
  version: versionOf,
  serializeBy: ({ params }) => params.account_provider_id,
  change: ({ target: provider, body: { name } }, { at }) =>
    provider.name === name ? unchanged(provider) : rename(provider, { name }, at),
  present: (provider) => changed(versionOf(provider)),
})
