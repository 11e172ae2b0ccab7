import { createSecretKey, hkdfSync } from 'node:crypto'
import { Type } from 'typebox'
import type { Clock } from '../kernel/clock.ts'
import { type PerKey, seal, underEachKey, unseal, type Vault } from '../kernel/crypto/vault.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'
import { purge, purgeText } from '../kernel/db/purge.ts'
import { insertPart, type PartRow } from '../kernel/db/write-statement.ts'
import { ProblemError } from '../kernel/problem-error.ts'

/** The form of a key, and the words for one that does not have it. */
export const KEY_FORM = {
  pattern: '^[\\x21-\\x7e]{1,255}$',
  words: 'A key is 1 to 255 visible ASCII characters without blanks, such as a UUID.',
}

/** The header of an operation that cannot do without a key. */
export const RequiredIdempotencyKey = Type.Object({
  'idempotency-key': Type.String({
    ...KEY_FORM,
    description: 'The same key within 24 hours gets the same response, and nothing is done twice.',
  }),
})

const KEPT_SECONDS = 24 * 3_600
const RETRY_AFTER_SECONDS = 1

/** The response of a write, kept with the write itself: it exists exactly when the effect does. */
export const KEY_PART = insertPart(
  'idempotency_keys',
  'key_hash bytea, request_digest bytea, stored_at timestamptz, status int, sealed text',
)

/** The unique constraint that says that a request with this key was first. */
export const KEY_TAKEN = 'idempotency_keys_pkey'

const FIND = statement(
  'idempotency_keys_find',
  'select key_hash, request_digest, status, sealed from idempotency_keys where key_hash = any ($1) and stored_at > $2',
)

const DELETE_ONE = statement(
  'idempotency_keys_forget_one',
  'delete from idempotency_keys where key_hash = any ($1) and stored_at <= $2',
)

const DELETE_OLD = statement(
  'idempotency_keys_forget',
  purgeText({ table: 'idempotency_keys', key: 'key_hash', condition: 'stored_at < $1' }),
)

/** What is sent and kept: the status, the headers that belong to the record, and the body. */
export type Response<Body> = { status: number; headers?: Record<string, string>; body: Body }

/** An idempotency key in a request. The key itself is not stored. */
export type RequestKey = { key: string; hashed: PerKey<HashedKey> }

/** Under one hash key: what the key is found by, and the digest of the request. */
type HashedKey = { hash: Buffer; digest: Buffer }

type Request = { caller: string; method: string; path: string; url: string; body: unknown }

/**
 * The key of a request: kept for each caller, method and address, so that on a sharded database a booking and its key lie on
 * one shard (completion 16). Of the request there is a keyed digest, because bodies can be personal and short enough to guess.
 */
export function requestKey(vault: Vault, key: string, { caller, method, path, url, body }: Request): RequestKey {
  const hashed = underEachKey(vault, (hasher) => ({
    hash: hasher.blindIndex('idempotency_key', [caller, method, path, key].join('\0')),
    digest: hasher.digest('idempotent_request', [url, body]),
  }))
  return { key, hashed }
}

/** The row that keeps a response, sealed under a key made from the idempotency key; one for each hash key, which all have to be free. */
export function rowsOfKey({ key, hashed }: RequestKey, response: Response<unknown>, at: Date): PartRow[] {
  const { status, ...rest } = response
  return hashed.map(({ hash, digest }) => ({
    key_hash: hash,
    request_digest: digest,
    stored_at: at,
    status,
    sealed: seal(responseKey(key), boundTo(hash), rest),
  }))
}

/** The kept response; undefined when there is none. Throws 422 `idempotency_key_reused` when it answers another request. */
export async function findResponse<Body>(
  db: Queryable,
  key: RequestKey,
  clock: Clock,
): Promise<Response<Body> | undefined> {
  type Row = { key_hash: Buffer; request_digest: Buffer; status: number; sealed: string }
  const [kept] = await db.query<Row>(FIND, [hashesOf(key), oldest(clock)])
  const hashed = kept && key.hashed.find(({ hash }) => hash.equals(kept.key_hash))
  if (!hashed) return undefined
  if (!kept.request_digest.equals(hashed.digest)) {
    throw new ProblemError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another request. Send a new key with a new request.',
    )
  }
  const rest = unseal<Omit<Response<Body>, 'status'>>(responseKey(key.key), boundTo(kept.key_hash), kept.sealed)
  return { status: kept.status, ...rest }
}

/** Drops a key that has outlived its day, so that it can be used again before the next purge. */
export async function deleteExpired(db: Queryable, key: RequestKey, clock: Clock): Promise<void> {
  await db.query(DELETE_ONE, [hashesOf(key), oldest(clock)])
}

/** Drops what is older than a day. */
export const deleteOldIdempotencyKeys = (db: Queryable, clock: Clock): Promise<void> =>
  purge(db, DELETE_OLD, [oldest(clock)])

/** The first request with this key has not ended after all the patience there is. */
export const inProgress = () =>
  new ProblemError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key has not ended. Send it again.',
    {
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    },
  )

const oldest = (clock: Clock) => new Date(clock.now().getTime() - KEPT_SECONDS * 1000)

const hashesOf = ({ hashed }: RequestKey) => hashed.map(({ hash }) => hash)

const boundTo = (hash: Buffer) => `idempotency_keys:${hash.toString('base64')}`

/** Random enough as it is sent, so HKDF is the right stretch; a guessable key protects its response no better than itself. */
const responseKey = (key: string) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'idempotent answer', 32)))
