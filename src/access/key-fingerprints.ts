import { createHmac } from 'node:crypto'
import type { VaultKeys } from '../kernel/crypto/vault.ts'
import { type Database, type Queryable, statement } from '../kernel/db/database.ts'
import { StartError } from '../kernel/start-error.ts'

const HASH_KEY = 'HASH_KEY'
const MASTER_KEYS = 'MASTER_KEYS '
/** The hash key and the first master key. */
const IN_USE = 2

/** One start at a time; any constant will do. */
const LOCK = statement('key_fingerprints_lock', 'select pg_advisory_xact_lock(7226401379)')

/**
 * Adds the first `$3` of these keys when all that are stored and needed are among them: what is added stays, so nobody adds
 * who is refused.
 */
const ADD = statement(
  'key_fingerprints_add',
  `with own as (
     select key_name, fingerprint, place
       from unnest($1::text[], $2::bytea[]) with ordinality as o (key_name, fingerprint, place)
   )
   insert into key_fingerprints (key_name, fingerprint)
   select key_name, fingerprint
     from own
    where place <= $3
      and not exists (
        select f.key_name, f.fingerprint
          from key_fingerprints f
         where not exists (select from retired_keys r where r.key_name = f.key_name)
        except
        select key_name, fingerprint from own)
      and not exists (select from retired_keys r join own o on o.key_name = r.key_name and o.place <= $3)
       on conflict (key_name) do nothing`,
)

const LIST = statement(
  'key_fingerprints_list',
  `select f.key_name, f.fingerprint, r.key_name is not null as retired
     from key_fingerprints f
     left join retired_keys r on r.key_name = f.key_name
    order by f.key_name`,
)

const RETIRE = statement('retired_keys_add', 'insert into retired_keys (key_name) values ($1) on conflict do nothing')

type StoredKey = { key_name: string; fingerprint: Buffer; retired: boolean }

/**
 * Throws `StartError` when these are not the keys that the database was filled with: people would not be found, or be
 * made a second time, and what is sealed would not open. The first start says which they are; a master key counts from
 * the start at which it was the first, for that one seals, until a rotation has retired it.
 */
export async function checkKeys(db: Database, keys: VaultKeys): Promise<void> {
  const own = fingerprintsOf(keys)
  const values = [[...own.keys()], [...own.values()], IN_USE]
  // The lock is a statement of its own, so that the next one sees what was committed while it was waited for.
  await db.pipeline([
    { statement: LOCK, values: [] },
    { statement: ADD, values },
  ])
  await compareKeys(db, keys)
}

/** Throws `StartError` as `checkKeys` does, and adds nothing. */
export async function compareKeys(db: Queryable, keys: VaultKeys): Promise<void> {
  const own = fingerprintsOf(keys)
  const inUse = new Set([...own.keys()].slice(0, IN_USE))
  const errors = (await db.query<StoredKey>(LIST)).flatMap((key) => errorsOf(key, { own, inUse }))
  if (errors.length > 0) throw new StartError(errors.join('\n'))
}

/** The hash key, the first master key, and the other ones, by name. */
function fingerprintsOf({ hashKey, masterKeys }: VaultKeys): Map<string, Buffer> {
  const masters = masterKeys.map(({ id, key }) => [MASTER_KEYS + id, fingerprintOf(key)] as const)
  return new Map([[HASH_KEY, fingerprintOf(hashKey)] as const, ...masters])
}

type OwnKeys = { own: ReadonlyMap<string, Buffer>; inUse: ReadonlySet<string> }

function errorsOf({ key_name, fingerprint, retired }: StoredKey, { own, inUse }: OwnKeys): string[] {
  const same = own.get(key_name)?.equals(fingerprint)
  const id = key_name.slice(MASTER_KEYS.length)
  if (retired && inUse.has(key_name))
    return [
      `MASTER_KEYS begins with the key ${id}, which was retired; begin with the newest, and give a new key a new id.`,
    ]
  if (same === true || (same === undefined && retired)) return []
  if (key_name === HASH_KEY) return ['HASH_KEY is not the one that this database was filled with; set that one.']
  return [
    same === undefined
      ? `MASTER_KEYS lacks the key ${id}, which sealed data in this database; add it behind the first.`
      : `MASTER_KEYS has another key ${id} than the one that sealed data in this database; give a new key a new id.`,
  ]
}

/** A master key with the beginning of its fingerprint. `seals` when some start had it as the first, `first` when it is. */
export type KnownMasterKey = Record<'seals' | 'retired' | 'configured' | 'first', boolean> & {
  id: string
  fingerprint: string
}

/** Lists the master keys that are configured, in their order, and then those that the database knows besides. */
export async function listMasterKeys(db: Queryable, keys: VaultKeys): Promise<KnownMasterKey[]> {
  const stored = (await db.query<StoredKey>(LIST)).filter(({ key_name }) => key_name.startsWith(MASTER_KEYS))
  const byName = new Map(stored.map((key) => [key.key_name, key]))
  const own = [...fingerprintsOf(keys)].filter(([name]) => name.startsWith(MASTER_KEYS))
  const others = stored.filter(({ key_name }) => !own.some(([name]) => name === key_name))
  return [
    ...own.map(([name, fingerprint], index) => ({
      ...described(name, fingerprint),
      seals: byName.has(name),
      retired: byName.get(name)?.retired ?? false,
      configured: true,
      first: index === 0,
    })),
    ...others.map(({ key_name, fingerprint, retired }) => ({
      ...described(key_name, fingerprint),
      seals: true,
      retired,
      configured: false,
      first: false,
    })),
  ]
}

/** Notes that nothing needs a master key any more: from now on programs start without it, and none with it in front. */
export const retireMasterKey = (db: Queryable, id: string): Promise<unknown> => db.query(RETIRE, [MASTER_KEYS + id])

const SHOWN_DIGITS = 12

const described = (name: string, fingerprint: Buffer) => ({
  id: name.slice(MASTER_KEYS.length),
  fingerprint: fingerprint.toString('hex').slice(0, SHOWN_DIGITS),
})

/** Says whether two keys are the same and nothing else of them: they are 32 random bytes. */
const fingerprintOf = (key: Buffer): Buffer => createHmac('sha256', key).update('fingerprint').digest()
