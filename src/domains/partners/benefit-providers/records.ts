import { type Static, Type } from 'typebox'
import { type RecordOf, text } from '../../../kernel/db/columns.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { PathId, record, TIMES } from '../../../kernel/http/schemas.ts'

export const BENEFIT_PROVIDERS = table('benefit_providers b', {
  id: text('benefit_provider_id'),
  name: text('name'),
  code: text('code'),
  ...VERSION,
})
export type BenefitProvider = RecordOf<typeof BENEFIT_PROVIDERS>

export const BenefitProviderRecord = record(
  'BenefitProvider',
  {
    id: Type.String(),
    name: Type.String(),
    code: Type.String({ description: 'Upper snake case; the `provider` of consultations' }),
    ...TIMES,
  },
  {
    description: 'An insurer or clinic network',
    examples: [
      {
        id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
        name: 'Suraksha General Insurance',
        code: 'SURAKSHA_GENERAL',
        created_at: '2026-04-01T09:30:00',
        last_modified_at: '2026-04-01T09:30:00',
      },
    ],
  },
)

export const presentBenefitProvider = (provider: BenefitProvider): Static<typeof BenefitProviderRecord> => ({
  id: provider.id,
  name: provider.name,
  code: provider.code,
  created_at: provider.createdAt,
  last_modified_at: provider.lastModifiedAt,
})

export const versionOf = (provider: BenefitProvider) => ({
  record: presentBenefitProvider(provider),
  revision: provider.revision,
})

export const tags = ['Benefit providers']
export const BenefitProviderPath = Type.Object({ benefit_provider_id: PathId('The benefit provider') })
