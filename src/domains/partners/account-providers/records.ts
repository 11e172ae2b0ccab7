import { type Static, Type } from 'typebox'
import { oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { Name, OneOf, PathId, record, TIMES } from '../../../kernel/http/schemas.ts'
import { ACCOUNT_PROVIDER_STATUSES } from './states.ts'

export const ACCOUNT_PROVIDERS = table('account_providers a', {
  id: text('account_provider_id'),
  name: text('name'),
  status: oneOf('status', ACCOUNT_PROVIDER_STATUSES),
  ...VERSION,
})
export type AccountProvider = RecordOf<typeof ACCOUNT_PROVIDERS>

export const AccountProviderRecord = record(
  'AccountProvider',
  { id: Type.String(), name: Type.String(), status: OneOf(ACCOUNT_PROVIDER_STATUSES), ...TIMES },
  {
    description: 'A bank that holds purpose-bound accounts',
    examples: [
      {
        id: 'apr_06bnv3m2r8f1s4k7q9t3v6w0y2',
        name: 'Example Bank',
        status: 'active',
        created_at: '2026-04-01T09:30:00',
        last_modified_at: '2026-04-01T09:30:00',
      },
    ],
  },
)

export const presentAccountProvider = (provider: AccountProvider): Static<typeof AccountProviderRecord> => ({
  id: provider.id,
  name: provider.name,
  status: provider.status,
  created_at: provider.createdAt,
  last_modified_at: provider.lastModifiedAt,
})

export const versionOf = (provider: AccountProvider) => ({
  record: presentAccountProvider(provider),
  revision: provider.revision,
})

export const tags = ['Account providers']
export const AccountProviderPath = Type.Object({ account_provider_id: PathId('The account provider') })
export const AccountProviderInput = Type.Object({ name: Name() }, { examples: [{ name: 'Example Bank' }] })
