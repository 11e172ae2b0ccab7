import { type Static, Type } from 'typebox'
import { json, nullable, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { Name, Nullable, OrNull, PathId, Removable, Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { entity, field } from '../../../record/index.ts'
import { addressExample, presentAddress, StructuredAddress } from '../../address.ts'

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
  if (1.05 / (computeLuminance(colour) + 0.05) >= CONTRAST_MIN) return []
  const detail = `Too light: white text on it would have a contrast below ${CONTRAST_MIN} to 1. Send a darker one.`
  return [{ pointer: '/colour', code: 'too_large', detail }]
}

/** Returns the relative luminance of a colour, from 0 for black to 1 for white (WCAG 2.2). */
function computeLuminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [...Buffer.from(colour.slice(1), 'hex')].map((byte) => {
    const share = byte / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export const BENEFIT_PROVIDERS = entity(
  'benefit_providers b',
  'BenefitProvider',
  {
    id: field(text('benefit_provider_id'), Type.String(), 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    name: field(text('name'), Type.String(), 'Suraksha General Insurance'),
    code: field(
      text('code'),
      Type.String({ description: 'Upper snake case; the `provider` of consultations' }),
      'SURAKSHA_GENERAL',
    ),
    address: field(
      nullable(json<Static<typeof StructuredAddress>>('address')),
      Nullable(StructuredAddress),
      addressExample,
      (address) => address && presentAddress(address),
    ),
    colour: field(nullable(text('colour')), Nullable(Colour), '#17503d'),
  },
  { description: 'An insurer or clinic network' },
)
export type BenefitProvider = RecordOf<typeof BENEFIT_PROVIDERS>
export const { schema: BenefitProviderRecord, versionOf, present: presentBenefitProvider } = BENEFIT_PROVIDERS

export const tags = ['Benefit providers']
export const BenefitProviderPath = Type.Object({ benefit_provider_id: PathId('The benefit provider') })
