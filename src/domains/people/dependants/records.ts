import { type Static, Type } from 'typebox'
import { decodeUserId } from '../../../access/user-id.ts'
import { columns, decoded, nullable, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { firstVersion, VERSION } from '../../../kernel/db/version.ts'
import { Name, Nullable, PathId, record, asRecord, Timestamp } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { UserIdText } from '../../user-id-text.ts'
import { BirthDay, UserPath } from '../users/index.ts'

export const DEPENDANTS = columns('d', {
  id: text('dependant_id'),
  userId: decoded('user_id', decodeUserId),
  previousVersionId: nullable(text('previous_version_id')),
  supersededAt: nullable(time('superseded_at')),
  sealed: text('sealed'),
  ...VERSION,
})

/** A version of a dependant. The current version is the one not superseded. */
export type Dependant = Omit<RecordOf<typeof DEPENDANTS>, 'sealed'> & { profile: DependantInput }

/** The fields of a dependant. Inputs, record and sealed profile are built from them. */
export const fields = { date_of_birth: BirthDay(), first_name: Name(), last_name: Name() }

export const FIELD_NAMES = Object.keys(fields) as (keyof typeof fields)[]

/** The fields that identify a dependant of a user. */
export const IDENTITY_FIELDS = ['date_of_birth', 'first_name', 'last_name'] as const satisfies typeof FIELD_NAMES

export const example = { date_of_birth: '2015-08-02', first_name: 'Ravi', last_name: 'Example' }

export const DependantRecord = record(
  'Dependant',
  {
    id: Type.String(),
    ...asRecord(fields),
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

export const DependantInput = Type.Object(fields, {
  title: 'DependantInput',
  description: 'A person to cover through a user',
  examples: [example],
})
export type DependantInput = Static<typeof DependantInput>

export const DependantPath = Type.Object({
  ...UserPath.properties,
  dependant_id: PathId('Any version of the dependant'),
})

export const tags = ['Dependants']

export const presentDependant = (dependant: Dependant): Static<typeof DependantRecord> => ({
  id: dependant.id,
  ...presentProfile(dependant.profile),
  primary_user_id: dependant.userId,
  previous_version_id: dependant.previousVersionId,
  created_at: dependant.createdAt,
  last_modified_at: dependant.lastModifiedAt,
})

function presentProfile(profile: DependantInput) {
  const presented: Partial<Record<keyof DependantInput, string | null>> = {}
  for (const name of FIELD_NAMES) presented[name] = profile[name] ?? null
  return presented as Pick<Static<typeof DependantRecord>, keyof DependantInput>
}

export const versionOf = (dependant: Dependant) => ({
  record: presentDependant(dependant),
  revision: dependant.revision,
})

/** Returns a new, current version of a dependant. */
export const newVersion = (
  { profile, ...ids }: Pick<Dependant, 'userId' | 'previousVersionId' | 'profile'>,
  at: Date,
): Dependant => ({
  ...ids,
  id: newId('dep'),
  profile: knownFields(profile),
  supersededAt: null,
  ...firstVersion(at),
})

/** Returns only known fields, in the order of `FIELD_NAMES`. */
export function knownFields(input: DependantInput): DependantInput {
  const known: Partial<DependantInput> = {}
  for (const name of FIELD_NAMES) if (input[name] !== undefined) known[name] = input[name]
  return known as DependantInput
}
