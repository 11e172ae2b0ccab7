import { createLocation } from '../../../kernel/http/param.ts'
import { newId } from '../../../kernel/id.ts'
import { initialTransition, type Author, type Change, created, operation } from '../../../record/index.ts'
import { type AccountProvider, AccountProviderInput, AccountProviderRecord, tags, versionOf } from './records.ts'
import { ACCOUNT_PROVIDER_MACHINE, subjectOf } from './states.ts'
import { insertAccountProvider } from './store.ts'

export const createAccountProvider = operation('POST /account_providers', {
  access: 'createAccountProvider',
  tags,
  summary: 'Create an account provider',
  description: 'A new account provider is `active`.',
  body: AccountProviderInput,
  versioned: true,
  response: { 201: AccountProviderRecord },
  change: ({ body }, author) => decideAccountProvider(body, author),
  present: (provider, { request }) => created(createLocation(request, provider.id), versionOf(provider)),
})

function decideAccountProvider({ name }: { name: string }, { at }: Author): Change<AccountProvider> {
  const change = insertAccountProvider({ id: newId('apr'), name, status: 'active' }, at)
  return { ...change, ...initialTransition(ACCOUNT_PROVIDER_MACHINE, subjectOf(change.result)) }
}
