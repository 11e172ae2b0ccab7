import { type Static, Type } from 'typebox'
import { UserIdText } from '../../user-id-text.ts'
import { pageOf, PagingQuery } from '../../../kernel/http/paging.ts'
import { BirthDay, Name, Nullable, PathId, record, ref, shown, Timestamp } from '../../../kernel/http/schemas.ts'
import { UserPath } from '../users/index.ts'

const DEPENDANTS_MAX = 50

/** The fields of a dependant. Inputs, record and sealed profile are built from them. */
const fields = { date_of_birth: BirthDay(), first_name: Name(), last_name: Name() }

export const FIELD_NAMES = Object.keys(fields) as (keyof typeof fields)[]

/** The fields that identify a dependant of a user. */
export const IDENTITY_FIELDS = ['date_of_birth', 'first_name', 'last_name'] as const satisfies typeof FIELD_NAMES

const example = { date_of_birth: '2015-08-02', first_name: 'Ravi', last_name: 'Example' }

export const Dependant = record(
  'Dependant',
  {
    id: Type.String(),
    ...shown(fields),
    primary_user_id: UserIdText(),
    previous_version_id: Nullable(Type.String()),
    created_at: Timestamp('Time this version was created'),
    last_modified_at: Timestamp('Time this version was last changed'),
  },
  {
    description: 'A version of a person covered through a user',
    examples: [
      {
        id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2',
        ...example,
        primary_user_id: '012345678901',
        previous_version_id: null,
        created_at: '2026-04-01T09:32:00',
        last_modified_at: '2026-04-01T09:32:00',
      },
    ],
  },
)

const DependantInput = Type.Object(fields, {
  title: 'DependantInput',
  description: 'A person to cover through a user',
  examples: [example],
})
export type DependantInput = Static<typeof DependantInput>

const DependantPath = Type.Object({ ...UserPath.properties, dependant_id: PathId('Any version of the dependant') })

const tags = ['Dependants']

export const createDependantsSchema = {
  tags,
  summary: 'Create dependants in bulk',
  description:
    'Creates all or none, and returns them in the order sent. Two entries with equal names and date of birth are ' +
    'an error. A dependant that is already registered is a conflict, as is exceeding the limit per user, 50 by ' +
    'default.',
  params: UserPath,
  body: Type.Object(
    {
      dependants: Type.Array(DependantInput, {
        minItems: 1,
        maxItems: DEPENDANTS_MAX,
        uniqueBy: IDENTITY_FIELDS,
      }),
    },
    { examples: [{ dependants: [example] }] },
  ),
  response: { 201: Type.Object({ data: Type.Array(ref(Dependant)) }) },
}

export const listDependantsSchema = {
  tags,
  summary: 'List dependants',
  description: 'Lists the current versions, newest first.',
  params: UserPath,
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(Dependant))) },
}

export const readDependantSchema = {
  tags,
  summary: 'Read a dependant',
  description: 'Returns one version. Superseded versions stay readable.',
  params: DependantPath,
  response: { 200: ref(Dependant) },
}

const DependantPatch = Type.Partial(Type.Object(fields), {
  requiresOneOf: FIELD_NAMES,
  examples: [{ last_name: 'Corrected' }],
})
export type DependantPatch = Static<typeof DependantPatch>

export const updateDependantSchema = {
  tags,
  summary: 'Correct a dependant',
  description:
    'Creates a new version with a new id and `previous_version_id`. The previous version leaves the list. A patch ' +
    'without changes creates none. A dependant has a limited number of versions, 100 by default.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: DependantPath,
  body: DependantPatch,
  response: { 200: ref(Dependant) },
}
