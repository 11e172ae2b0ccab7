import { SCOPE_PARAMETERS, scopeValues, userIsInScope, type UserScope } from '../../access/scope.ts'
import { type DataKey, seal, unseal, type Vault } from '../../kernel/crypto/vault.ts'
import { columns, decoded, nullable, type RecordOf, text, time } from '../../kernel/db/columns.ts'
import { type Database, foundRow, type Queryable, type Statement, statement } from '../../kernel/db/database.ts'
import { decodeUserId } from '../../kernel/db/decode.ts'
import { listText } from '../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../kernel/db/page.ts'
import { sharedRead } from '../../kernel/db/shared-read.ts'
import { VERSION } from '../../kernel/db/version.ts'
import type { Part, PartRow } from '../../kernel/db/write-statement.ts'
import { conflict, notFound, type ProblemError } from '../../kernel/problem-error.ts'
import { recordedWrite, type RecordedWrite } from '../../record/index.ts'
import type { Followers } from '../users/index.ts'
import { type DependantInput, FIELD_NAMES } from './schemas.ts'

const STORED = columns('d', {
  id: text('dependant_id'),
  userId: decoded('user_id', decodeUserId),
  previousVersionId: nullable(text('previous_version_id')),
  supersededAt: nullable(time('superseded_at')),
  sealed: text('sealed'),
  ...VERSION,
})

/** One version of a dependant; the current one is not superseded. */
export type Dependant = Omit<RecordOf<typeof STORED>, 'sealed'> & { profile: DependantInput }

/** A version with what its correction needs of the user. */
export type OwnedDependant = Dependant & { platformId: string; key: DataKey; coverRevision: number }

const IN_SCOPE = userIsInScope({ user: '$1', platform: '$2', provider: '$3' })

const FIND = statement(
  'dependants_find',
  `select ${STORED.list}, u.data_key
     from users u
     join dependants d on d.user_id = $1 and d.dependant_id = $4
    where u.user_id = $1 and ${IN_SCOPE}`,
)

const LIST = statement(
  'dependants_list',
  listText(
    {
      columns: STORED.list,
      from: 'dependants d',
      where: 'd.user_id = $1 and d.superseded_at is null',
      order: 'd.created_at desc, d.dependant_id desc',
      limit: '$4',
      offset: '$5',
    },
    { from: 'users u', where: `u.user_id = $1 and ${IN_SCOPE}`, columns: 'u.data_key' },
  ),
)

const FIND_FAMILY = sharedRead<OwnerRow & { dependants: number }>({
  name: 'dependants_find_family',
  parameters: SCOPE_PARAMETERS,
  text: (calls, user, platform, provider) => `select c.n::int, u.platform_id, u.data_key, u.cover_revision,
          (select count(*)::int from dependants d where d.user_id = ${user} and d.superseded_at is null) as dependants
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}`,
})

const FIND_EQUAL = statement(
  'dependants_find_equal',
  `select dependant_id from dependants
    where user_id = $1 and identity_hash = any ($2) and superseded_at is null
    order by dependant_id`,
)

/** The current one of the versions that follow `$2`. */
const FIND_CURRENT = statement(
  'dependants_find_current',
  `with recursive line as (
     select dependant_id, superseded_at from dependants where user_id = $1 and dependant_id = $2
      union all
     select d.dependant_id, d.superseded_at
       from line l
       join dependants d on d.user_id = $1 and d.previous_version_id = l.dependant_id
   )
   select dependant_id from line where superseded_at is null`,
)

const COLUMNS = `user_id text, dependant_id text, previous_version_id text, identity_hash bytea, sealed text,
  at timestamptz`

/**
 * In the order of their identities, so that two calls that overlap wait for each other and do not lock each other out.
 */
const insertAfter = (part: string) =>
  `insert into dependants (user_id, dependant_id, previous_version_id, identity_hash, sealed, created_at,
          last_modified_at)
   select r.user_id, r.dependant_id, r.previous_version_id, r.identity_hash, r.sealed, r.at, r.at
     from r
     join ${part} using (n)
    order by r.user_id, r.identity_hash`

/** `$1` and `$2`: the user of new dependants, which are rows of a part; guarded, so that as many are there as were counted. */
export const INSERT_DEPENDANTS = recordedWrite({
  name: 'dependants_insert',
  one: `update users set cover_revision = cover_revision + 1 where user_id = $1 and cover_revision = $2 returning 1 as n`,
  many: {
    columns: 'user_id text, cover_revision int',
    text: `held as (
       select c.n, u.user_id
         from calls c
         join users u on u.user_id = c.user_id and u.cover_revision = c.cover_revision
          for no key update of u skip locked
     ), changed as (
       update users u set cover_revision = u.cover_revision + 1 from held h where u.user_id = h.user_id returning h.n)`,
  },
  parts: [{ name: 'into_dependants', columns: COLUMNS, text: insertAfter('changed') }],
})

const SUPERSEDE_PART: Part = {
  name: 'superseded',
  columns: 'user_id text, dependant_id text, at timestamptz',
  text: `update dependants d
        set superseded_at = r.at, revision = d.revision + 1, last_modified_at = r.at
       from r
       join changed using (n)
      where d.user_id = r.user_id and d.dependant_id = r.dependant_id
     returning n`,
}

/** Its identity may be the one of the version before, which has to be out of the way. */
const NEXT_VERSION_PART: Part = { name: 'next_version', columns: COLUMNS, text: insertAfter('superseded') }

/**
 * How a dependant is read for a correction, and written, together with what follows it. Made when the routes are
 * mounted.
 */
export type CorrectionStatements = { find: Statement; write: RecordedWrite }

export const correcting = ({ read, guard, parts }: Followers): CorrectionStatements => ({
  find: statement(
    'dependants_find_to_correct',
    `select ${STORED.list}, u.platform_id, u.data_key, u.cover_revision, ${read.columns}
       from users u
       join dependants d on d.user_id = $1 and d.dependant_id = $4
       left join ${read.from} on true
      where u.user_id = $1 and ${IN_SCOPE}`,
  ),
  // No version is superseded and no policy enrolled without a new `cover_revision`.
  write: recordedWrite({
    name: 'dependants_correct',
    one: `update users set cover_revision = cover_revision + 1 where user_id = $1 and cover_revision = $2 and ${guard}
          returning 1 as n`,
    parts: [SUPERSEDE_PART, NEXT_VERSION_PART, ...parts],
    history: 'user',
  }),
})

/** 409: of current versions no two are equal. */
export const registeredAlready = (db: Queryable, userId: string, identities: readonly Buffer[]) => ({
  dependants_identity: async () => {
    const existing_ids = idsOf(await db.query(FIND_EQUAL, [userId, identities]))
    const words = 'A dependant with these names and this birth is registered already.'
    return existing_ids.length > 0 ? conflict(words, { reason: 'already_exists', existing_ids }) : undefined
  },
})

/** 409: a version that was superseded is not corrected. */
export async function newerVersion(
  db: Queryable,
  { userId, id }: Pick<Dependant, 'userId' | 'id'>,
): Promise<ProblemError> {
  const existing_ids = idsOf(await db.query(FIND_CURRENT, [userId, id]))
  return conflict('There is a newer version of this dependant.', { reason: 'already_exists', existing_ids })
}

const idsOf = (rows: { dependant_id: string }[]) => rows.map(({ dependant_id }) => dependant_id)

type New = { key: DataKey; identity: Buffer; at: Date }

/** The row of a new version. */
export const rowOfDependant = (dependant: Dependant, { key, identity, at }: New): PartRow => {
  const sealed = seal(key, rowOf(dependant.userId, dependant.id), known(dependant.profile))
  return { ...STORED.row({ ...dependant, sealed }), identity_hash: identity, at }
}

/** Of a form only what has a field of its own, in the order of the fields. */
export function known(input: DependantInput): DependantInput {
  const names = FIELD_NAMES.filter((name) => input[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, input[name]])) as DependantInput
}

type Context = { db: Queryable; vault: Vault }

/** A user with how many dependants there are. */
export type Family = { platformId: string; key: DataKey; coverRevision: number; dependants: number }

/** Throws 404 `not_found` when the user is not in the caller's scope. */
export async function findFamily({ db, vault }: { db: Database; vault: Vault }, scope: UserScope): Promise<Family> {
  const { dependants, ...row } = foundRow(await FIND_FAMILY(db, scopeValues(scope)))
  return { ...ownerOf(row, vault), dependants }
}

type OwnerRow = { platform_id: string; data_key: string; cover_revision: number }

const ownerOf = (row: OwnerRow, vault: Vault) => ({
  platformId: row.platform_id,
  key: vault.open(row.data_key),
  coverRevision: row.cover_revision,
})

/** Returns any version by its id. Throws 404 `not_found` when the user or the version is not in the caller's scope. */
export async function findDependant({ db, vault }: Context, scope: UserScope, id: string): Promise<Dependant> {
  const [row] = await db.query<{ data_key: string }>(FIND, [...scopeValues(scope), id])
  if (!row) throw notFound()
  return decode(row, vault.open(row.data_key))
}

/** Returns a version with what follows its correction, a row each. Throws 404 `not_found` as `findDependant` does. */
export async function findToCorrect(
  { db, vault, find }: Context & Pick<CorrectionStatements, 'find'>,
  scope: UserScope,
  id: string,
): Promise<{ dependant: OwnedDependant; followers: object[] }> {
  const rows = await db.query<OwnerRow>(find, [...scopeValues(scope), id])
  const row = foundRow(rows)
  const owner = ownerOf(row, vault)
  return { dependant: { ...decode(row, owner.key), ...owner }, followers: rows }
}

/** Returns the current versions, newest first. Throws 404 `not_found` when the user is not in the caller's scope. */
export async function listDependants({ db, vault }: Context, scope: UserScope, page: Page): Promise<Paged<Dependant>> {
  type Row = { total: number; data_key: string }
  const rows = await db.query<Row>(LIST, [...scopeValues(scope), page.limit, page.offset])
  return decodeOwnedPage(rows, 'dependant_id', (row) => decode(row, vault.open(row.data_key)))
}

/** Opens what is sealed of a dependant, for those who read it with something else. */
export const openDependant = (key: DataKey, row: { userId: string; id: string; sealed: string }): DependantInput =>
  unseal<DependantInput>(key, rowOf(row.userId, row.id), row.sealed)

const rowOf = (userId: string, id: string) => `dependants:${userId}:${id}`

function decode(row: object, key: DataKey): Dependant {
  const { sealed, ...stored } = STORED.decode(row)
  return { ...stored, profile: openDependant(key, { ...stored, sealed }) }
}
