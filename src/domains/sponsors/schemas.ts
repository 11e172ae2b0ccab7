import { type Static, Type } from 'typebox'
import { pageOf, statusQuery } from '../../kernel/http/paging.ts'
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
} from '../../kernel/http/schemas.ts'
import { StructuredAddress } from '../users/index.ts'
import { SPONSOR_KINDS, SPONSOR_STATUSES } from './states.ts'

/** PAN of the income tax department; outer white space does not count. */
const Pan = () =>
  Formed({
    pattern: '^\\s*[A-Z]{5}[0-9]{4}[A-Z]\\s*$',
    words: 'A PAN is five letters, four digits and a letter, in capitals, as AAAPL1234C.',
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
    title: 'IndividualSponsorForm',
    description: 'A person, who has a name',
    examples: [{ sponsor_kind: 'INDIVIDUAL', first_name: 'Asha', last_name: 'Example' }],
  },
)

const Organisation = Type.Object(
  { sponsor_kind: Type.Literal('ORGANISATION'), ...details },
  {
    requiresOneOf: ['email', 'phone'],
    title: 'OrganisationSponsorForm',
    description: 'A company or the like, with somebody to reach by `email` or `phone`',
    examples: [{ sponsor_kind: 'ORGANISATION', email: 'hr@example.com' }],
  },
)

/** Two shapes by `sponsor_kind`: an individual has a name, an organisation somebody to reach. */
const SponsorDetailsInput = oneOfKinds({
  tag: 'sponsor_kind',
  kinds: [Individual, Organisation],
  options: { title: 'SponsorDetailsForm', description: 'Who the sponsor is; `sponsor_kind` says what else is needed' },
})

const example = {
  name: 'Banyan Textiles',
  pan: 'AAACB1234C',
  address: { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' },
  sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
}

const SponsorDetails = Type.Object(
  {
    first_name: Nullable(Type.String()),
    last_name: Nullable(Type.String()),
    email: Nullable(Type.String({ format: 'idn-email' })),
    phone: Nullable(Type.String()),
    sponsor_kind: OneOf(SPONSOR_KINDS),
  },
  {
    title: 'SponsorDetails',
    description: 'Who the sponsor is; what was not told is `null`',
    examples: [{ first_name: null, last_name: null, phone: null, ...example.sponsor_details }],
  },
)

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
    description: 'Who pays',
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
      Text({ description: 'Whose sponsor it is; administrators must say, platforms need not' }),
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
  description: 'It starts PENDING; an administrator activates it.',
  body: SponsorInput,
  response: { 201: ref(Sponsor) },
}

export const listSponsorsSchema = {
  tags,
  summary: 'List sponsors',
  description: 'Newest first; a platform sees its own.',
  querystring: statusQuery(SPONSOR_STATUSES),
  response: { 200: pageOf(Type.Array(ref(Sponsor))) },
}

export const readSponsorSchema = {
  tags,
  summary: 'Read a sponsor',
  description: 'One sponsor by its id.',
  params: SponsorPath,
  response: { 200: ref(Sponsor) },
}

export const updateSponsorSchema = {
  tags,
  summary: 'Update a sponsor',
  description:
    'JSON merge patch (RFC 7396) at the top level; `address` and `sponsor_details` are replaced whole. An ACTIVE sponsor whose `pan` or `sponsor_kind` changes goes back to PENDING.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: SponsorPath,
  body: SponsorPatch,
  response: { 200: ref(Sponsor) },
}

export const setSponsorStatusSchema = {
  tags,
  summary: 'Set the status of a sponsor',
  description: 'PENDING goes to ACTIVE or INACTIVE, and those two to each other.',
  params: SponsorPath,
  body: StatusInput(SPONSOR_STATUSES, 'ACTIVE'),
  response: { 200: ref(Sponsor) },
}
