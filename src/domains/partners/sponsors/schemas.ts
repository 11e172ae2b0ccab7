import { type Static, Type } from 'typebox'
import { pageOf, statusQuery } from '../../../kernel/http/paging.ts'
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
  ref,
  StatusInput,
  Text,
  TIMES,
} from '../../../kernel/http/schemas.ts'
import { StructuredAddress } from '../../address.ts'
import { SPONSOR_STATUSES } from './states.ts'

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

export const Sponsor = record(
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

const SponsorPath = Type.Object({ sponsor_id: PathId('The sponsor') })

const SponsorInput = Type.Object(
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

const SponsorPatch = Type.Object(
  {
    address: Type.Optional(StructuredAddress),
    name: Type.Optional(Name()),
    pan: Type.Optional(Pan()),
    sponsor_details: Type.Optional(SponsorDetailsInput),
  },
  { requiresOneOf: ['address', 'name', 'pan', 'sponsor_details'], examples: [{ name: 'Banyan Textiles Limited' }] },
)
export type SponsorPatch = Static<typeof SponsorPatch>

const tags = ['Sponsors']

export const createSponsorSchema = {
  tags,
  summary: 'Create a sponsor',
  description: 'A new sponsor is PENDING until an administrator activates it.',
  body: SponsorInput,
  response: { 201: ref(Sponsor) },
}

export const listSponsorsSchema = {
  tags,
  summary: 'List sponsors',
  description: 'Newest first. Platforms see only their own.',
  querystring: statusQuery(SPONSOR_STATUSES),
  response: { 200: pageOf(Type.Array(ref(Sponsor))) },
}

export const readSponsorSchema = {
  tags,
  summary: 'Read a sponsor',
  description: 'Returns one sponsor.',
  params: SponsorPath,
  response: { 200: ref(Sponsor) },
}

export const updateSponsorSchema = {
  tags,
  summary: 'Update a sponsor',
  description:
    'Top-level JSON merge patch (RFC 7396); `address` and `sponsor_details` are replaced as a whole. Changing ' +
    '`pan` or `sponsor_kind` puts an ACTIVE sponsor back to PENDING.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: SponsorPath,
  body: SponsorPatch,
  response: { 200: ref(Sponsor) },
}

export const setSponsorStatusSchema = {
  tags,
  summary: 'Set the status of a sponsor',
  description: 'Transitions: PENDING to ACTIVE or INACTIVE, ACTIVE to INACTIVE, INACTIVE to ACTIVE.',
  params: SponsorPath,
  body: StatusInput(SPONSOR_STATUSES, 'ACTIVE'),
  response: { 200: ref(Sponsor) },
}
