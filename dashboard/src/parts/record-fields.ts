import type {
  Address,
  BenefitProvider,
  CreateBenefitProviderRequest,
  CreateSponsorRequest,
  PlatformId,
  Sponsor,
  UpdateBenefitProviderRequest,
  UpdateSponsorRequest,
} from '@banyan/client'
import type { Field } from './field.ts'

export type Values = Readonly<Record<string, string>>

const ADDRESS: readonly (readonly [line: keyof Address, label: string])[] = [
  ['line1', 'Address, first line'],
  ['line2', 'Second line'],
  ['city', 'City'],
  ['state', 'State'],
  ['pincode', 'PIN code'],
  ['country', 'Country'],
]
const ADDRESS_FIELDS: readonly Field[] = ADDRESS.map(([line, label]) => ({ pointer: `/address/${line}`, label }))

const DETAILS = ['first_name', 'last_name', 'email', 'phone'] as const

const NAME: Field = { pointer: '/name', label: 'Name', isRequired: true }

export const SPONSOR_FIELDS: readonly Field[] = [
  NAME,
  { pointer: '/pan', label: 'PAN', hint: 'Five letters, four digits, a letter: AAACB1234C', isRequired: true },
  {
    pointer: '/sponsor_details/sponsor_kind',
    label: 'Kind',
    choices: [
      { value: 'ORGANISATION', label: 'Organisation' },
      { value: 'INDIVIDUAL', label: 'Individual' },
    ],
  },
  { pointer: '/sponsor_details/first_name', label: 'Given name', hint: 'Of the person, or of the contact' },
  { pointer: '/sponsor_details/last_name', label: 'Family name' },
  { pointer: '/sponsor_details/email', label: 'Email', hint: 'An organisation needs an email or a phone' },
  { pointer: '/sponsor_details/phone', label: 'Phone' },
  ...ADDRESS_FIELDS,
]

/** Who owns the sponsor, for administrators; a partner’s people create their own. */
export const platformField = (choices: readonly { value: string; label: string }[]): Field => ({
  pointer: '/platform_id',
  label: 'Partner',
  choices: [{ value: '', label: 'Choose one' }, ...choices],
  isRequired: true,
})

export const NEW_SPONSOR: Values = { '/sponsor_details/sponsor_kind': 'ORGANISATION', '/address/country': 'India' }

export const PROVIDER_FIELDS: readonly Field[] = [
  NAME,
  {
    pointer: '/colour',
    label: 'Colour of documents',
    hint: '# and six digits, such as #17503d; white text stands on it',
  },
  ...ADDRESS_FIELDS,
]

export const NEW_PROVIDER_FIELDS: readonly Field[] = [
  NAME,
  { pointer: '/code', label: 'Code', hint: 'Capital letters, such as SURAKSHA_GENERAL', isRequired: true },
  ...PROVIDER_FIELDS.slice(1),
]

const textAt = (values: Values, pointer: string): string => values[pointer]?.trim() ?? ''

const addressTexts = (address: Address | null): Values =>
  Object.fromEntries(ADDRESS.map(([line]) => [`/address/${line}`, address?.[line] ?? '']))

/** Every line, as the form has them; null when all are empty. The service says which one it misses. */
function addressIn(values: Values): Address | null {
  const lines = ADDRESS.map(([line]) => [line, textAt(values, `/address/${line}`)] as const)
  if (lines.every(([, text]) => text === '')) return null
  const { line2, ...address } = Object.fromEntries(lines) as Record<keyof Address, string>
  return { ...address, ...(line2 !== '' && { line2 }) }
}

const isChangedIn = (part: string, before: Values, after: Values): boolean =>
  Object.keys({ ...before, ...after }).some(
    (pointer) =>
      (pointer === part || pointer.startsWith(`${part}/`)) && textAt(before, pointer) !== textAt(after, pointer),
  )

export const sponsorTexts = ({ name, pan, address, sponsor_details: details }: Sponsor): Values => ({
  '/name': name,
  '/pan': pan,
  '/sponsor_details/sponsor_kind': details.sponsor_kind,
  ...Object.fromEntries(DETAILS.map((member) => [`/sponsor_details/${member}`, details[member] ?? ''])),
  ...addressTexts(address),
})

const detailsIn = (values: Values): CreateSponsorRequest['sponsor_details'] => {
  const details = DETAILS.map((member) => [member, textAt(values, `/sponsor_details/${member}`)] as const)
  const given = Object.fromEntries(details.filter(([, text]) => text !== ''))
  return {
    ...given,
    sponsor_kind: textAt(values, '/sponsor_details/sponsor_kind'),
  } as CreateSponsorRequest['sponsor_details']
}

export const sponsorFrom = (values: Values): CreateSponsorRequest => {
  const platform = textAt(values, '/platform_id')
  return {
    name: textAt(values, '/name'),
    pan: textAt(values, '/pan'),
    address: addressIn(values) as Address,
    sponsor_details: detailsIn(values),
    ...(platform !== '' && { platform_id: platform as PlatformId }),
  }
}

/** What was changed; address and details go as a whole, with what the form began with. */
export const sponsorPatch = (before: Values, after: Values): UpdateSponsorRequest => ({
  ...(isChangedIn('/name', before, after) && { name: textAt(after, '/name') }),
  ...(isChangedIn('/pan', before, after) && { pan: textAt(after, '/pan') }),
  ...(isChangedIn('/address', before, after) && { address: addressIn(after) as Address }),
  ...(isChangedIn('/sponsor_details', before, after) && { sponsor_details: detailsIn(after) }),
})

export const providerTexts = ({ name, address, colour }: BenefitProvider): Values => ({
  '/name': name,
  '/colour': colour ?? '',
  ...addressTexts(address),
})

const colourIn = (values: Values): string | null => textAt(values, '/colour') || null

export const providerFrom = (values: Values): CreateBenefitProviderRequest => ({
  name: textAt(values, '/name'),
  code: textAt(values, '/code'),
  address: addressIn(values),
  colour: colourIn(values),
})

export const providerPatch = (before: Values, after: Values): UpdateBenefitProviderRequest => ({
  ...(isChangedIn('/name', before, after) && { name: textAt(after, '/name') }),
  ...(isChangedIn('/colour', before, after) && { colour: colourIn(after) }),
  ...(isChangedIn('/address', before, after) && { address: addressIn(after) }),
})
