import { type Static, Type } from 'typebox'
import { json, nullable, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { Name, Nullable, OrNull, PathId, record, Removable, Text, TIMES } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { addressExample, presentAddress, StructuredAddress } from '../../address.ts'

export const BENEFIT_PROVIDER = {
  id: text('benefit_provider_id'),
  name: text('name'),
  code: text('code'),
  address: nullable(json<Static<typeof StructuredAddress>>('address')),
  colour: nullable(text('colour')),
}
export const BENEFIT_PROVIDERS = table('benefit_providers b', { ...BENEFIT_PROVIDER, ...VERSION })
export type BenefitProvider = RecordOf<typeof BENEFIT_PROVIDERS>

const Colour = Text({
  pattern: '^#[0-9a-fA-F]{6}$',
  words: 'A colour is # and six hexadecimal digits, such as #17503d.',
  description: 'Used in documents. White text on it must be legible, with a contrast of at least 4.5 to 1',
})

/** What documents show of a provider besides its name. */
export const looks = { address: OrNull(StructuredAddress), colour: OrNull(Colour) }

export const BenefitProviderPatch = Type.Object(
  {
    name: Type.Optional(Name()),
    address: Type.Optional(Removable(StructuredAddress)),
    colour: Type.Optional(Removable(Colour)),
  },
  { requiresOneOf: ['name', 'address', 'colour'], examples: [{ address: addressExample, colour: '#17503d' }] },
)

/** White text on a colour is legible from this contrast on (WCAG 2.2, 1.4.3). */
const CONTRAST_MIN = 4.5

export function validateColour({ body }: { body: unknown }): FieldError[] {
  const colour: unknown = (body as { colour?: unknown } | undefined)?.colour
  if (typeof colour !== 'string' || !/^#[0-9a-fA-F]{6}$/.test(colour)) return []
  if (1.05 / (luminanceOf(colour) + 0.05) >= CONTRAST_MIN) return []
  const detail = `Too light: white text on it would have a contrast below ${CONTRAST_MIN} to 1. Send a darker one.`
  return [{ pointer: '/colour', code: 'too_large', detail }]
}

/** Returns the relative luminance of a colour, from 0 for black to 1 for white (WCAG 2.2). */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [...Buffer.from(colour.slice(1), 'hex')].map((byte) => {
    const share = byte / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export const BenefitProviderRecord = record(
  'BenefitProvider',
  {
    id: Type.String(),
    name: Type.String(),
    code: Type.String({ description: 'Upper snake case; the `provider` of consultations' }),
    address: Nullable(StructuredAddress),
    colour: Nullable(Colour),
    ...TIMES,
  },
  {
    description: 'An insurer or clinic network',
    examples: [
      {
        id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
        name: 'Suraksha General Insurance',
        code: 'SURAKSHA_GENERAL',
        address: addressExample,
        colour: '#17503d',
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
  address: provider.address && presentAddress(provider.address),
  colour: provider.colour,
  created_at: provider.createdAt,
  last_modified_at: provider.lastModifiedAt,
})

export const versionOf = (provider: BenefitProvider) => ({
  record: presentBenefitProvider(provider),
  revision: provider.revision,
})

export const tags = ['Benefit providers']
export const BenefitProviderPath = Type.Object({ benefit_provider_id: PathId('The benefit provider') })
