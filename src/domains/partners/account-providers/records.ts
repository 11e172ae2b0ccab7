import { Type } from 'typebox'
import { type RecordOf, text } from '../../../kernel/db/columns.ts'
import { Name, PathId } from '../../../kernel/http/schemas.ts'
import { choice, entity, field } from '../../../record/index.ts'
import { ACCOUNT_PROVIDER_STATUSES } from './states.ts'

export const ACCOUNT_PROVIDERS = entity(
  'account_providers a',
  'AccountProvider',
  {
    id: field(text('account_provider_id'), Type.String(), 'apr_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    name: field(text('name'), Type.String(), 'Example Bank'),
    status: choice('status', ACCOUNT_PROVIDER_STATUSES, 'active'),
  },
  { description: 'A bank that holds purpose-bound accounts' },
)
export type AccountProvider = RecordOf<typeof ACCOUNT_PROVIDERS>
export const { schema: AccountProviderRecord, versionOf, present: presentAccountProvider } = ACCOUNT_PROVIDERS

export const tags = ['Account providers']
export const AccountProviderPath = Type.Object({ account_provider_id: PathId('The account provider') })
export const AccountProviderInput = Type.Object({ name: Name() }, { examples: [{ name: 'Example Bank' }] })
