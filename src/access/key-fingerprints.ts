import { createHmac } from 'node:crypto'
import type { VaultKeys } from '../kernel/crypto/vault.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'
import { StartError } from '../kernel/start-error.ts'

const HASH_KEY = 'HASH_KEY'
const MASTER_KEYS = 'MASTER_KEYS '

const ADD = statement(
  'key_fingerprints_add',
  `insert into key_fingerprints (key_name, fingerprint)
   select key_name, fingerprint from unnest($1::text[], $2::bytea[]) as own (key_name, fingerprint)
       on conflict (key_name) do nothing`,
)

const LIST = statement('key_fingerprints_list', 'select key_name, fingerprint from key_fingerprints order by key_name')

/**
 * Throws `StartError` when these are not the keys that the database was filled with: people would not be found, or be
 * made a second time, and what is sealed would not open. The first start says which they are; a master key counts from
 * the start at which it was the first, for that one seals.
 */
export async function checkKeys(db: Queryable, { hashKey, masterKeys }: VaultKeys): Promise<void> {
  const masters = masterKeys.map(({ id, key }) => [`${MASTER_KEYS}${id}`, fingerprintOf(key)] as const)
  const own = new Map<string, Buffer>([[HASH_KEY, fingerprintOf(hashKey)] as const, ...masters])
  const inUse = [...own].slice(0, 2)
  await compare(db, own) // first, for what is added stays
  await db.query(ADD, [inUse.map(([name]) => name), inUse.map(([, fingerprint]) => fingerprint)])
  await compare(db, own) // another program may have been first
}

async function compare(db: Queryable, own: ReadonlyMap<string, Buffer>): Promise<void> {
  type Row = { key_name: string; fingerprint: Buffer }
  const errors = (await db.query<Row>(LIST)).flatMap(({ key_name, fingerprint }) => {
    const same = own.get(key_name)?.equals(fingerprint)
    return same === true ? [] : [errorOf(key_name, same === undefined)]
  })
  if (errors.length > 0) throw new StartError(errors.join('\n'))
}

function errorOf(name: string, isMissing: boolean): string {
  if (name === HASH_KEY) return 'HASH_KEY is not the one that this database was filled with; set that one.'
  const id = name.slice(MASTER_KEYS.length)
  return isMissing
    ? `MASTER_KEYS lacks the key ${id}, which sealed data in this database; add it behind the first.`
    : `MASTER_KEYS has another key ${id} than the one that sealed data in this database; give a new key a new id.`
}

/** Says whether two keys are the same and nothing else of them: they are 32 random bytes. */
const fingerprintOf = (key: Buffer): Buffer => createHmac('sha256', key).update('fingerprint').digest()
