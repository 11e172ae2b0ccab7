import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { Type } from 'typebox'
import type { Clock } from '../kernel/clock.ts'
import { sealedColumn } from '../kernel/crypto/sealed-column.ts'
import { type Hasher, type PerKey, underEachKey, type Vault } from '../kernel/crypto/vault.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'
import { purge, purgeStatement } from '../kernel/db/purge.ts'
import { deletePart, insertPart, type PartRow } from '../kernel/db/write-statement.ts'
import { ProblemError } from '../kernel/problem-error.ts'

/** The format of a key, and the sentence for a malformed one. */
export const KEY_FORMAT = {
  pattern: '^[\\x21-\\x7e]{1,255}$',
  words: 'An idempotency key is 1 to 255 visible ASCII characters without spaces, such as a UUID.',
}

/** The header schema of an operation that requires a key. */
export const RequiredIdempotencyKey = Type.Object({
  'idempotency-key': Type.String(KEY_FORMAT),
})

const RETENTION_SECONDS = 24 * 3_600
const RETRY_AFTER_SECONDS = 1

/** Stores the response of a write in the write itself, so that it exists exactly when the effect does. */
export const KEY_PART = insertPart(
  'idempotency_keys',
  'key_hash bytea, request_digest bytea, stored_at timestamptz, status int, sealed text, user_id text',
)

/** The unique constraint violated when an earlier request used the key. */
export const KEY_CONSTRAINT = 'idempotency_keys_pkey'

const FIND = statement(
  'idempotency_keys_find',
  'select key_hash, request_digest, status, sealed from idempotency_keys where key_hash = any ($1) and stored_at > $2',
)

const DELETE_ONE = statement(
  'idempotency_keys_delete_expired',
  'delete from idempotency_keys where key_hash = any ($1) and stored_at <= $2',
)

/** Part of erasing a user: no stored response about them is replayed any more. */
export const ERASE_RESPONSES_PART = deletePart('erased_responses', 'idempotency_keys', 'user_id')

/** Deletes the responses about the user `$1` that requests stored while the user was erased. */
export const ERASE_RESPONSES = statement(
  'idempotency_keys_erase_user',
  'delete from idempotency_keys where user_id = $1',
)

const DELETE_OLD = purgeStatement({ table: 'idempotency_keys', time: 'stored_at', before: '$1' })

/** A response as sent and stored: the status, the headers of the record, and the body. */
export type Response<Body> = { status: number; headers?: Record<string, string>; body: Body }

/** The idempotency key of a request. The key itself is not stored. */
export type RequestKey = {
  key: string
  hashed: PerKey<HashedKey>
  /** Those that an earlier version may have stored; only made for a look-up. */
  former: () => HashedKey[]
}

/** Its hash and the digest of the request under one hash key. */
type HashedKey = { hash: Buffer; digest: Buffer }

type Request = { caller: string; method: string; path: string; url: string; body: unknown }

/** `userId` is the user the response is about, null when there is none. */
type StoredResponse = { response: Response<unknown>; at: Date; userId: string | null }

/**
 * Returns the key of a request: stored per caller, method and path, so that on a sharded database a booking and its key
 * are on one shard (completion 16). The request is stored as a keyed digest, because bodies can be personal and short
 * enough to guess.
 */
export function requestKey(vault: Vault, key: string, request: Request): RequestKey {
  const { caller, method, path } = request
  const named = (names: string[]) =>
    underEachKey(vault, (hasher) => hashedKey(hasher, [caller, ...names, key], request))
  const booking = BOOKING.exec(path)?.[1]
  return {
    key,
    hashed: named([method, path]),
    former: () => (booking === undefined ? [] : [...named([`${booking}Wallet`])]),
  }
}

/** The first version stored keys for bookings only, by operation; their values are bodies, without headers. */
const BOOKING = /\/wallet\/(credit|debit)s$/

const hashedKey = (hasher: Hasher, named: string[], { url, body }: Request): HashedKey => ({
  hash: hasher.blindIndex('idempotency_key', named.join('\0')),
  digest: hasher.digest('idempotent_request', [url, body]),
})

/**
 * Returns the rows that store a response, sealed with a key derived from the idempotency key: one per hash key, and all of
 * them must be free.
 */
export function rowsOfKey({ key, hashed }: RequestKey, { response, at, userId }: StoredResponse): PartRow[] {
  const { status, ...rest } = response
  return hashed.map(({ hash, digest }) => ({
    key_hash: hash,
    request_digest: digest,
    stored_at: at,
    status,
    sealed: RESPONSE.seal(secretOf(key), { hash }, rest),
    user_id: userId,
  }))
}

/**
 * Returns the stored response; undefined when there is none. Throws 422 `idempotency_key_reused` when it belongs to a
 * different request.
 */
export async function findResponse<Body>(
  db: Queryable,
  key: RequestKey,
  clock: Clock,
): Promise<Response<Body> | undefined> {
  type Row = { key_hash: Buffer; request_digest: Buffer; status: number; sealed: string }
  const former = key.former()
  const known = [...key.hashed, ...former]
  const [stored] = await db.query<Row>(FIND, [known.map(({ hash }) => hash), oldest(clock)])
  const found = stored && known.find(({ hash }) => hash.equals(stored.key_hash))
  if (!found) return undefined
  if (!stored.request_digest.equals(found.digest)) {
    throw new ProblemError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with a different request. Send a new key with each new request.',
    )
  }
  const opened = RESPONSE.open(secretOf(key.key), found, stored.sealed)
  const rest = (former.includes(found) ? { body: opened } : opened) as Omit<Response<Body>, 'status'>
  return { status: stored.status, ...rest }
}

/** Deletes an expired key, so that it can be reused before the next purge. */
export async function deleteExpired(db: Queryable, key: RequestKey, clock: Clock): Promise<void> {
  await db.query(DELETE_ONE, [hashesOf(key), oldest(clock)])
}

/** Deletes keys older than a day. */
export const deleteOldIdempotencyKeys = (db: Queryable, clock: Clock): Promise<void> =>
  purge(db, DELETE_OLD, [oldest(clock)])

/** Creates the 409 for a request whose predecessor with the same key has not finished in time. */
export const inProgress = () =>
  new ProblemError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still in progress. Try again later.',
    {
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    },
  )

const oldest = (clock: Clock) => new Date(clock.now().getTime() - RETENTION_SECONDS * 1000)

const hashesOf = ({ hashed }: RequestKey) => hashed.map(({ hash }) => hash)

const secretOf = (key: string) => createSecretKey(Buffer.from(key))

/**
 * Derived with HKDF, because keys are expected to be random; a guessable key protects its response no better than
 * itself.
 */
const derivedFor = (purpose: string) => (key: KeyObject) =>
  createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, 32)))

const row = ({ hash }: Pick<HashedKey, 'hash'>) => `idempotency_keys:${hash.toString('base64')}`

/** Its key is derived from the idempotency key, which is not stored. */
export const RESPONSE = sealedColumn<unknown, Pick<HashedKey, 'hash'>>('idempotency_keys.sealed', {
  row,
  derive: derivedFor('idempotent response'),
  former: [{ row, derive: derivedFor('idempotent answer') }],
})
