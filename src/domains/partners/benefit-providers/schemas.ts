import { Type } from 'typebox'
import { pageOf, PagingQuery } from '../../../kernel/http/paging.ts'
import { Name, PathId, record, ref, Text, TIMES } from '../../../kernel/http/schemas.ts'

export const BenefitProvider = record(
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

export const BenefitProviderPath = Type.Object({ benefit_provider_id: PathId('The benefit provider') })

const Code = Text({
  maxLength: 60,
  pattern: '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$',
  words: 'A code is upper snake case: capital letters, digits and single underscores, such as SURAKSHA_GENERAL.',
})

const tags = ['Benefit providers']

export const createBenefitProviderSchema = {
  tags,
  summary: 'Create a benefit provider',
  description: 'Registers an insurer or clinic network. `code` must be unique.',
  body: Type.Object(
    { name: Name(), code: Code },
    { examples: [{ name: 'Suraksha General Insurance', code: 'SURAKSHA_GENERAL' }] },
  ),
  response: { 201: ref(BenefitProvider) },
}

export const listBenefitProvidersSchema = {
  tags,
  summary: 'List benefit providers',
  description: 'Newest first.',
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(BenefitProvider))) },
}

export const readBenefitProviderSchema = {
  tags,
  summary: 'Read a benefit provider',
  description: 'Returns one benefit provider.',
  params: BenefitProviderPath,
  response: { 200: ref(BenefitProvider) },
}
