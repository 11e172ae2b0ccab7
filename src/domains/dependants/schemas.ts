import { type Static, Type } from 'typebox'
import { pageOf, PagingQuery } from '../../kernel/http/paging.ts'
import { BirthDay, Name, Nullable, PathId, record, ref, shown, Timestamp } from '../../kernel/http/schemas.ts'
import { UserPath } from '../users/index.ts'

const DEPENDANTS_MAX = 50

/** What is known of a dependant, said once: the forms, the record and what is sealed are made of it. */
const fields = { date_of_birth: BirthDay(), first_name: Name(), last_name: Name() }

export const FIELD_NAMES = Object.keys(fields) as (keyof typeof fields)[]

/** What tells two dependants of a user apart. */
export const IDENTITY = ['date_of_birth', 'first_name', 'last_name'] as const satisfies typeof FIELD_NAMES

const example = { date_of_birth: '2015-08-02', first_name: 'Ravi', last_name: 'Example' }

export const Dependant = record(
  'Dependant',
  {
    id: Type.String(),
    ...shown(fields),
    primary_user_id: Type.String(),
    previous_version_id: Nullable(Type.String()),
    created_at: Timestamp('When this version was made'),
    last_modified_at: Timestamp('When this version was last changed'),
  },
  {
    description: 'One version of a person covered through a user',
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
  title: 'DependantForm',
  description: 'A person covered through a user, as it is sent',
  examples: [example],
})
export type DependantInput = Static<typeof DependantInput>

const DependantPath = Type.Object({ ...UserPath.properties, dependant_id: PathId('The dependant, any version') })

const tags = ['Dependants']

export const createDependantsSchema = {
  tags,
  summary: 'Create dependants in bulk',
  description:
    'All or none, answered in the order sent. Two equal ones (names and birth) are an error; one that is registered already is a conflict. So is more than a user may have in all: 50, unless the installation says otherwise.',
  params: UserPath,
  body: Type.Object(
    {
      dependants: Type.Array(DependantInput, {
        minItems: 1,
        maxItems: DEPENDANTS_MAX,
        uniqueBy: IDENTITY,
      }),
    },
    { examples: [{ dependants: [example] }] },
  ),
  response: { 201: Type.Object({ data: Type.Array(ref(Dependant)) }) },
}

export const listDependantsSchema = {
  tags,
  summary: 'List dependants',
  description: 'The current version of each, newest first.',
  params: UserPath,
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(Dependant))) },
}

export const readDependantSchema = {
  tags,
  summary: 'Read a dependant',
  description: 'One version by its id; superseded ones stay readable.',
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
    'Makes a new version with a new id and `previous_version_id`. The old one leaves the list. What changes nothing makes none.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: DependantPath,
  body: DependantPatch,
  response: { 200: ref(Dependant) },
}
