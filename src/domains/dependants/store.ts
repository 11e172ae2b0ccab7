import { userIsInScope, type UserScope } from '../../access/scope.ts'
import { type DataKey, seal, unseal, type Vault } from '../../kernel/crypto/vault.ts'
import { type Queryable, statement, type Tx, violates, type WireTime } from '../../kernel/db/database.ts'
import { decodeUserId, type UserId } from '../../kernel/db/decode.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { newId } from '../../kernel/id.ts'
import { conflict, notFound } from '../../kernel/refusal.ts'
import type { User } from '../users/index.ts'
import type { DependantForm } from './schemas.ts'

export type Dependant = DependantForm & {
  id: string
  userId: UserId
  previousVersionId: string | null
  isSuperseded: boolean
  revision: number
  createdAt: WireTime
  lastModifiedAt: WireTime
}

type Row = {
  user_id: string
  dependant_id: string
  previous_version_id: string | null
  superseded_at: WireTime | null
  sealed: string
  revision: number
  created_at: WireTime
  last_modified_at: WireTime
}

const COLUMNS = `d.user_id, d.dependant_id, d.previous_version_id, d.superseded_at, d.sealed, d.revision, d.created_at,
  d.last_modified_at`

const IN_SCOPE = userIsInScope({ platform: '$2', provider: '$3' })

const INSERT = statement(
  'dependants_insert',
  `insert into dependants as d (user_id, dependant_id, previous_version_id, identity_hash, sealed)
   select $1, c.dependant_id, $2, c.identity_hash, c.sealed
     from unnest($3::text[], $4::bytea[], $5::text[]) as c (dependant_id, identity_hash, sealed)
   returning ${COLUMNS}`,
)

const SUPERSEDE = statement(
  'dependants_supersede',
  `update dependants
      set superseded_at = now(), revision = revision + 1, last_modified_at = now()
    where user_id = $1 and dependant_id = $2 and superseded_at is null`,
)

const FIND = statement(
  'dependants_find',
  `select ${COLUMNS}, u.data_key
     from users u
     join dependants d on d.user_id = u.user_id and d.dependant_id = $4
    where u.user_id = $1 and ${IN_SCOPE}`,
)

const LIST = statement(
  'dependants_list',
  `select u.data_key, t.total, page.*
     from users u
    cross join lateral (
       select count(*)::int as total from dependants d where d.user_id = u.user_id and d.superseded_at is null) t
     left join lateral (
       select ${COLUMNS}
         from dependants d
        where d.user_id = u.user_id and d.superseded_at is null
        order by d.created_at desc, d.dependant_id desc
        limit $4 offset $5) page on true
    where u.user_id = $1 and ${IN_SCOPE}`,
)

const CURRENT = statement(
  'dependants_current',
  `select dependant_id from dependants where user_id = $1 and dependant_id = any ($2) and superseded_at is null`,
)

type NewDependants = { user: User; forms: DependantForm[]; previousVersionId?: string }

/** Inserts them in one statement, in order. Refuses with 409 when one with the same names and birth is registered. */
export async function insertDependants(
  tx: Tx,
  vault: Vault,
  { user, forms, previousVersionId }: NewDependants,
): Promise<Dependant[]> {
  const made = forms.map((form) => ({ id: newId('dep'), form }))
  const ids = made.map(({ id }) => id)
  const hashes = forms.map((form) => vault.digest(`dependant:${user.id}`, form))
  const sealed = made.map(({ id, form }) => seal(user.key, rowOf(user.id, id), form))
  try {
    const rows = await tx.query<Row>(INSERT, [user.id, previousVersionId ?? null, ids, hashes, sealed])
    const byId = new Map(rows.map((row) => [row.dependant_id, row]))
    return ids.map((id) => decode(byId.get(id) as Row, user.key))
  } catch (error) {
    if (violates(error, 'dependants_identity'))
      throw conflict('A dependant with these names and this birth is registered already.')
    if (violates(error, 'dependants_one_successor')) throw conflict('There is a newer version of this dependant.')
    throw error
  }
}

/** Marks a version as replaced; it leaves the list and stays readable. */
export async function supersede(tx: Tx, dependant: Dependant): Promise<void> {
  await tx.query(SUPERSEDE, [dependant.userId, dependant.id])
}

/** Any version, by its id; 404 when the user or the version is not in the caller's scope. */
export async function findDependant(
  db: Queryable,
  vault: Vault,
  { userId, platformId, providerId }: UserScope,
  id: string,
): Promise<Dependant> {
  const [row] = await db.query<Row & { data_key: string }>(FIND, [userId, platformId, providerId, id])
  if (!row) throw notFound()
  return decode(row, vault.open(row.data_key))
}

/** The current versions; 404 when the user is not in the caller's scope. */
export async function listDependants(
  db: Queryable,
  vault: Vault,
  { userId, platformId, providerId }: UserScope,
  page: Page,
): Promise<Paged<Dependant>> {
  type ListRow = Row & { total: number; data_key: string }
  const rows = await db.query<ListRow>(LIST, [userId, platformId, providerId, page.limit, page.offset])
  if (!rows[0]) throw notFound()
  const key = vault.open(rows[0].data_key)
  return decodePage(rows, 'dependant_id', (row) => decode(row, key))
}

/** Which of the ids are current versions of the user's dependants. */
export async function currentDependantIds(tx: Tx, userId: string, ids: string[]): Promise<Set<string>> {
  return new Set((await tx.query<{ dependant_id: string }>(CURRENT, [userId, ids])).map((row) => row.dependant_id))
}

/** What is sealed of a dependant, for those who show it beside something else. */
export function openDependant(key: DataKey, row: { userId: string; id: string; sealed: string }): DependantForm {
  return unseal<DependantForm>(key, rowOf(row.userId, row.id), row.sealed)
}

const rowOf = (userId: string, id: string) => `dependants:${userId}:${id}`

function decode(row: Row, key: DataKey): Dependant {
  const userId = decodeUserId(row.user_id)
  return {
    ...unseal<DependantForm>(key, rowOf(userId, row.dependant_id), row.sealed),
    id: row.dependant_id,
    userId,
    previousVersionId: row.previous_version_id,
    isSuperseded: row.superseded_at !== null,
    revision: row.revision,
    createdAt: row.created_at,
    lastModifiedAt: row.last_modified_at,
  }
}
