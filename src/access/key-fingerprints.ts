import { toFingerprint, hashKeyId, type VaultKeys } from '../kernel/crypto/vault.ts'
import { type Database, type Queryable, statement } from '../kernel/db/database.ts'
import { StartError } from '../kernel/start-error.ts'

const HASH_KEY = 'HASH_KEY '
const MASTER_KEYS = 'MASTER_KEYS '
/** The first hash key and the first master key. */
const REGISTERED_KEYS = 2

/** One start at a time; an arbitrary constant. */
const LOCK = statement('key_fingerprints_lock', 'select pg_advisory_xact_lock(7226401379)')

/** SQL: the name of the key `f`; the first hash key of older databases has no id in its name. */
const NAME = `case when f.key_name = 'HASH_KEY' then 'HASH_KEY ' || left(encode(f.fingerprint, 'hex'), 12) else f.key_name end`

/**
 * Adds the first `$3` of these keys if every stored key that is not retired is among them: rows are permanent, so a
 * rejected start must add none.
 */
const ADD = statement(
  'key_fingerprints_add',
  `with own as (
     select key_name, fingerprint, position
       from unnest($1::text[], $2::bytea[]) with ordinality as o (key_name, fingerprint, position)
   ), known as (
     select ${NAME} as key_name, f.fingerprint from key_fingerprints f
   )
   insert into key_fingerprints (key_name, fingerprint)
   select key_name, fingerprint
     from own o
    where position <= $3
      and not exists (
        select k.key_name, k.fingerprint
          from known k
         where not exists (select from retired_keys r where r.key_name = k.key_name)
        except
        select key_name, fingerprint from own)
      and not exists (select from known k where k.key_name = o.key_name)
      and not exists (select from retired_keys r join own o on o.key_name = r.key_name and o.position <= $3)
       on conflict (key_name) do nothing`,
)

const LIST = statement(
  'key_fingerprints_list',
  `select k.key_name, k.fingerprint, r.key_name is not null as retired,
         (extract(epoch from now() - k.since) / 86400)::float8 as age_days
     from (select ${NAME} as key_name, f.fingerprint, f.since from key_fingerprints f) k
     left join retired_keys r on r.key_name = k.key_name
    order by k.since, k.key_name`,
)

/** From then on programs start without this key, and none starts with it first. */
const RETIRE = statement('retired_keys_add', 'insert into retired_keys (key_name) values ($1) on conflict do nothing')

/** Versions before fingerprints were stored have filled the database. */
const HAS_PLATFORMS = statement('key_fingerprints_has_platforms', 'select 1 as one from platform_access limit 1')

type StoredKey = { key_name: string; fingerprint: Buffer; retired: boolean; age_days: number }

/**
 * Throws `StartError` when these are not the keys that the database was created with: users would not be found, or be
 * created twice, and sealed data would not open. The first start registers the keys; another one is registered when it
 * becomes the first of its setting, because the first one seals and hashes. Keys that a rotation has retired may be
 * missing.
 */
export async function checkKeys(db: Database, keys: VaultKeys): Promise<void> {
  await checkFirstHashKey(db, keys)
  const fingerprints = computeFingerprints(keys)
  const values = [[...fingerprints.keys()], [...fingerprints.values()], REGISTERED_KEYS]
  // The lock is a separate statement, so that the next one sees what was committed while it waited.
  await db.pipeline([
    { statement: LOCK, values: [] },
    { statement: ADD, values },
  ])
  await compareKeys(db, keys)
}

/**
 * Throws `StartError` when several hash keys could have filled a database without fingerprints: the first of them would
 * be registered, and the rows of another one be taken for its rows. Master keys are named by what they wrap.
 */
async function checkFirstHashKey(db: Database, { hashKeys }: VaultKeys): Promise<void> {
  if (hashKeys.length === 1 || (await db.query(LIST)).length > 0 || (await db.query(HAS_PLATFORMS)).length === 0) return
  throw new StartError(
    'HASH_KEY must be the key this database was filled with, and no other, until a server has started: the earlier version did not store which key it used. Start once with that key, then add the next one.',
  )
}

/** Throws `StartError` as `checkKeys` does, but registers nothing. */
export async function compareKeys(db: Queryable, keys: VaultKeys): Promise<void> {
  const fingerprints = computeFingerprints(keys)
  const stored = await db.query<StoredKey>(LIST)
  const hasHashKey = stored.some(({ key_name }) => key_name.startsWith(HASH_KEY) && fingerprints.has(key_name))
  const inUse = new Set([...fingerprints.keys()].slice(0, REGISTERED_KEYS))
  const errors = stored.flatMap((key) => describeError(key, { fingerprints, inUse, hasHashKey }) ?? [])
  if (errors.length > 0) throw new StartError(errors.join('\n'))
}

/** The first hash key, the first master key, and the others, by name. */
function computeFingerprints({ hashKeys, masterKeys }: VaultKeys): Map<string, Buffer> {
  const masters = masterKeys.map(({ id, key }) => [MASTER_KEYS + id, toFingerprint(key)] as const)
  const [hash, ...otherHashes] = hashKeys.map((key) => {
    const fingerprint = toFingerprint(key)
    return [HASH_KEY + hashKeyId(fingerprint), fingerprint] as const
  })
  return new Map([...(hash ? [hash] : []), ...masters, ...otherHashes])
}

type OwnKeys = { fingerprints: ReadonlyMap<string, Buffer>; inUse: ReadonlySet<string>; hasHashKey: boolean }

function describeError({ key_name, fingerprint, retired }: StoredKey, { fingerprints, inUse, hasHashKey }: OwnKeys) {
  const same = fingerprints.get(key_name)?.equals(fingerprint)
  const [setting = '', id = ''] = key_name.split(' ', 2)
  if (retired && inUse.has(key_name))
    return `${setting} starts with the key ${id}, which is retired. Put the newest key first, and make a new key for the next rotation.`
  if (same === true || (same === undefined && retired)) return undefined
  if (key_name.startsWith(HASH_KEY)) {
    return hasHashKey
      ? `HASH_KEY lacks the key with the fingerprint ${id}, by which people are still found. Add it after the first key.`
      : 'HASH_KEY is not the key this database was filled with. Set the original key.'
  }
  return same === undefined
    ? `MASTER_KEYS lacks the key ${id}, which sealed data in this database. Add it after the first key.`
    : `MASTER_KEYS has a different key ${id} from the one that sealed data in this database. Give a new key a new id.`
}

/**
 * A key with the start of its fingerprint. `used`: it was first in some start; `first`: it is now. `age_days`: since it was
 * first for the first time.
 */
type KnownKey = Record<'used' | 'retired' | 'configured' | 'first', boolean> & {
  id: string
  fingerprint: string
  age_days: number
}

type KeySetting = 'MASTER_KEYS' | 'HASH_KEY'

/** Returns the configured keys of a setting, in their order, then the others known to the database, oldest first. */
export async function listKeys(db: Queryable, keys: VaultKeys, setting: KeySetting): Promise<KnownKey[]> {
  const isOfSetting = (name: string) => name.startsWith(`${setting} `)
  const stored = (await db.query<StoredKey>(LIST)).filter(({ key_name }) => isOfSetting(key_name))
  const fingerprints = [...computeFingerprints(keys)].filter(([name]) => isOfSetting(name))
  const others = stored.filter(({ key_name }) => !fingerprints.some(([name]) => name === key_name))
  const all = [...fingerprints, ...others.map(({ key_name, fingerprint }) => [key_name, fingerprint] as const)]
  return all.map(([name, fingerprint], index) => {
    const storedKey = stored.find(({ key_name }) => key_name === name)
    return {
      id: name.slice(setting.length + 1),
      fingerprint: hashKeyId(fingerprint),
      used: !!storedKey,
      retired: storedKey?.retired ?? false,
      age_days: storedKey?.age_days ?? 0,
      configured: index < fingerprints.length,
      first: name === fingerprints[0]?.[0],
    }
  })
}

/** Returns the id of the database's first hash key; rows without a key id were made with it. */
export async function oldestHashKey(db: Queryable): Promise<string | undefined> {
  const oldest = (await db.query<StoredKey>(LIST)).find(({ key_name }) => key_name.startsWith(HASH_KEY))
  return oldest?.key_name.slice(HASH_KEY.length)
}

export type KeyStatus = KnownKey & { total: number }

type Rotation<S extends KeyStatus> = {
  setting: KeySetting
  /** Moves rows to the first key. */
  convert: () => Promise<unknown>
  status: () => Promise<S[]>
}

/**
 * Moves rows to the first key of a setting, retires the keys that no row needs any more, and returns the new status.
 * Throws `StartError` when keys are missing, and when no server has started with this first key yet: servers without it
 * could neither open nor find these rows.
 */
export async function rotateKeys<S extends KeyStatus>(
  { db, keys }: { db: Queryable; keys: VaultKeys },
  { setting, convert, status }: Rotation<S>,
): Promise<S[]> {
  await compareKeys(db, keys)
  const [newest] = await listKeys(db, keys, setting)
  if (!newest?.used) {
    throw new StartError(
      `No server has started with the key ${newest?.id} in front of ${setting}. Start every server with it, then rotate.`,
    )
  }
  await convert()
  const keyStatus = await status()
  const unneeded = keyStatus.filter(({ first, used, retired, total }) => !first && used && !retired && total === 0)
  for (const { id } of unneeded) await db.query(RETIRE, [`${setting} ${id}`])
  return keyStatus.map((key) => (unneeded.includes(key) ? { ...key, retired: true } : key))
}
