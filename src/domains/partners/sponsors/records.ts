import { type Static, Type } from 'typebox'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import { oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import {
  Email,
  Formed,
  Name,
  Nullable,
  OneOf,
  oneOfKinds,
  OrNull,
  PathId,
  record,
  Text,
  TIMES,
} from '../../../kernel/http/schemas.ts'
import { presentAddress, StructuredAddress } from '../../address.ts'
import { SPONSOR_STATUSES } from './states.ts'

export const SPONSOR = {
  id: text('sponsor_id'),
  platformId: text('platform_id'),
  slug: text('slug'),
  status: oneOf('status', SPONSOR_STATUSES),
  dataKey: text('data_key'),
  sealed: text('sealed'),
}
export const SPONSORS = table('sponsors s', { ...SPONSOR, ...VERSION })

/** The encrypted part: a sponsor can be a person. */
export type SponsorProfile = Omit<SponsorInput, 'platform_id'>

export type Sponsor = Omit<RecordOf<typeof SPONSORS>, 'dataKey' | 'sealed'> & {
  /** Always null: sponsors do not belong to users. */
  userId: null
  key: DataKey
  profile: SponsorProfile
}

/** A sponsor as a list shows it: an unreadable profile, or key, is shown as unavailable. */
export type ListedSponsor = Omit<Sponsor, 'key' | 'userId'>

/** Permanent account number, the Indian tax id. Surrounding whitespace is ignored. */
const Pan = () =>
  Formed({
    pattern: '^\\s*[A-Z]{5}[0-9]{4}[A-Z]\\s*$',
    words: 'A PAN is five capital letters, four digits and a capital letter, such as AAAPL1234C.',
    examples: ['AAACB1234C'],
  })

const details = {
  first_name: OrNull(Name()),
  last_name: OrNull(Name()),
  email: OrNull(Email()),
  phone: OrNull(Text({ maxLength: 30 })),
}

const Individual = Type.Object(
  { sponsor_kind: Type.Literal('INDIVIDUAL'), ...details, first_name: Name(), last_name: Name() },
  {
    title: 'IndividualSponsorInput',
    description: 'A person; `first_name` and `last_name` are required',
    examples: [{ sponsor_kind: 'INDIVIDUAL', first_name: 'Asha', last_name: 'Example' }],
  },
)

const Organisation = Type.Object(
  { sponsor_kind: Type.Literal('ORGANISATION'), ...details },
  {
    requiresOneOf: ['email', 'phone'],
    title: 'OrganisationSponsorInput',
    description: 'An organisation; `email` or `phone` is required',
    examples: [{ sponsor_kind: 'ORGANISATION', email: 'hr@example.com' }],
  },
)

/** Two shapes by `sponsor_kind`: an individual has a name, an organisation a way to contact it. */
const SponsorDetailsInput = oneOfKinds({
  tag: 'sponsor_kind',
  kinds: [Individual, Organisation],
  options: {
    title: 'SponsorDetailsInput',
    description: 'Details of the sponsor; `sponsor_kind` decides what is required',
  },
})

const example = {
  name: 'Banyan Textiles',
  pan: 'AAACB1234C',
  address: { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' },
  sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
}

const contact = { email: Nullable(Type.String({ format: 'idn-email' })), phone: Nullable(Type.String()) }

/** Requests and records have the same two shapes, so that what was read can be sent back. */
const SponsorDetails = oneOfKinds({
  tag: 'sponsor_kind',
  kinds: [
    Type.Object(
      { first_name: Type.String(), last_name: Type.String(), ...contact, sponsor_kind: Type.Literal('INDIVIDUAL') },
      {
        title: 'IndividualSponsor',
        description: 'Details of a person; `null` where not given',
        examples: [{ first_name: 'Asha', last_name: 'Example', email: null, phone: null, sponsor_kind: 'INDIVIDUAL' }],
      },
    ),
    Type.Object(
      {
        first_name: Nullable(Type.String()),
        last_name: Nullable(Type.String()),
        ...contact,
        sponsor_kind: Type.Literal('ORGANISATION'),
      },
      {
        title: 'OrganisationSponsor',
        description: 'Details of an organisation; `null` where not given',
        examples: [{ first_name: null, last_name: null, phone: null, ...example.sponsor_details }],
      },
    ),
  ],
  options: { title: 'SponsorDetails', description: 'Details of the sponsor; `sponsor_kind` says which' },
})

export const SponsorRecord = record(
  'Sponsor',
  {
    id: Type.String(),
    slug: Type.String(),
    name: Type.String(),
    pan: Type.String(),
    address: StructuredAddress,
    sponsor_details: SponsorDetails,
    status: OneOf(SPONSOR_STATUSES),
    ...TIMES,
  },
  {
    description: 'A person or organisation that pays for benefits',
    examples: [
      {
        id: 'spn_06bnv3m2r8f1s4k7q9t3v6w0y2',
        slug: 'banyan-textiles-9t3v6w0y',
        ...example,
        sponsor_details: { first_name: null, last_name: null, phone: null, ...example.sponsor_details },
        status: 'PENDING',
        created_at: '2026-04-01T09:30:00',
        last_modified_at: '2026-04-01T09:30:00',
      },
    ],
  },
)

export const SponsorPath = Type.Object({ sponsor_id: PathId('The sponsor') })

export const SponsorInput = Type.Object(
  {
    name: Name(),
    pan: Pan(),
    address: StructuredAddress,
    sponsor_details: SponsorDetailsInput,
    platform_id: Type.Optional(
      Text({
        description: 'The platform that owns the sponsor. Required for administrators, optional for platforms',
      }),
    ),
  },
  { examples: [example] },
)
export type SponsorInput = Static<typeof SponsorInput>

export const SponsorPatch = Type.Object(
  {
    address: Type.Optional(StructuredAddress),
    name: Type.Optional(Name()),
    pan: Type.Optional(Pan()),
    sponsor_details: Type.Optional(SponsorDetailsInput),
  },
  { requiresOneOf: ['address', 'name', 'pan', 'sponsor_details'], examples: [{ name: 'Banyan Textiles Limited' }] },
)
export type SponsorPatch = Static<typeof SponsorPatch>

export const presentSponsor = ({ profile, ...sponsor }: ListedSponsor): Static<typeof SponsorRecord> => ({
  id: sponsor.id,
  slug: sponsor.slug,
  name: profile.name,
  pan: profile.pan,
  address: presentAddress(profile.address),
  sponsor_details: presentDetails(profile.sponsor_details),
  status: sponsor.status,
  created_at: sponsor.createdAt,
  last_modified_at: sponsor.lastModifiedAt,
})

function presentDetails(details: SponsorProfile['sponsor_details']): Static<typeof SponsorRecord>['sponsor_details'] {
  const { email = null, phone = null } = details
  if (details.sponsor_kind === 'INDIVIDUAL') {
    const { first_name, last_name, sponsor_kind } = details
    return { first_name, last_name, email, phone, sponsor_kind }
  }
  const { first_name = null, last_name = null, sponsor_kind } = details
  return { first_name, last_name, email, phone, sponsor_kind }
}

export const versionOf = (sponsor: Sponsor) => ({ record: presentSponsor(sponsor), revision: sponsor.revision })

export const tags = ['Sponsors']
