import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { Type } from 'typebox'
import { type Clock, latest, ownTime } from '../kernel/clock.ts'
import { sealedColumn } from '../kernel/crypto/sealed-column.ts'
import { type Hasher, type PerKey, underEachKey, type Vault } from '../kernel/crypto/vault.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'
import { createPurge } from '../kernel/db/purge.ts'
import { bytes, integer, nullable, text, time } from '../kernel/db/columns.ts'
import { linkedDelete, linkedInsert, type LinkedRows } from '../kernel/db/write-statement.ts'
import { ProblemError } from '../kernel/problem-error.ts'

export const KEY_FORMAT = {
  pattern: '^[\\x21-\\x7e]{1,255}$',
  words: 'An idempotency key is 1 to 255 visible ASCII characters without spaces, such as a UUID.',
}

export const RequiredIdempotencyKey = Type.Object({ 'idempotency-key': Type.String(KEY_FORMAT) })

const RETENTION_SECONDS = 24 * 3_600
const RETRY_AFTER_SECONDS = 1

/** Stores the response of a write in the write itself, so that it exists exactly when the effect does. */
export const LINKED_KEY = linkedInsert('idempotency_keys', {
  hash: bytes('key_hash'),
  digest: bytes('request_digest'),
  storedAt: time('stored_at'),
  status: integer('status'),
  sealed: text('sealed'),
  userId: nullable(text('user_id')),
})

/** The unique constraint violated when an earlier request used the key. */
export const KEY_CONSTRAINT = 'idempotency_keys_pkey'

/** SQL: a key is old when both the database's clock and this process's own one, `$2`, say so. */
const EXPIRED_BEFORE = `least(now(), $2::timestamptz) - ${RETENTION_SECONDS} * interval '1 second'`

const FIND = statement(
  'idempotency_keys_find',
  `select key_hash, request_digest, status, sealed from idempotency_keys
    where key_hash = any ($1) and stored_at > ${EXPIRED_BEFORE}`,
)

const DELETE_ONE = statement(
  'idempotency_keys_delete_expired',
  `delete from idempotency_keys where key_hash = any ($1) and stored_at <= ${EXPIRED_BEFORE}`,
)

/** Part of erasing a user: no stored response about them is replayed any more. */
export const LINKED_ERASE_RESPONSES = linkedDelete('erased_responses', 'idempotency_keys', 'user_id')

/** Deletes the responses about the user `$1` that requests stored while the user was erased. */
export const ERASE_RESPONSES = statement(
  'idempotency_keys_erase_user',
  'delete from idempotency_keys where user_id = $1',
)

/** A response as sent and stored: the status, the headers of the record, and the body. */
export type Response<Body> = { status: number; headers?: Record<string, string>; body: Body }

/** The idempotency key of a request. The key itself is not stored. */
export type RequestKey = {
  key: string
  hashed: PerKey<HashedKey>
  /** Those that an earlier version may have stored; only made for a lookup. */
  former: () => HashedKey[]
}

/** Its hash and the digest of the request under one hash key. */
type HashedKey = { hash: Buffer; digest: Buffer }

/** The address of a request: its path, and its path with the query. */
type Address = { path: string; url: string }

/** `addresses`: the usual spelling of the address, and the one that was sent where it differs. */
type Request = { caller: string; method: string; addresses: [Address, ...Address[]]; body: unknown }

/** `userId` is the user the response is about, null when there is none. */
type StoredResponse = { response: Response<unknown>; at: Date; userId: string | null; clock: Clock }

/**
 * Returns the key of a request: stored per caller, method and path, so that on a sharded database a booking and its key
 * are on one shard (`docs/decisions/0010-keys-for-distribution.md`). It is found under the usual spelling of the path,
 * and under the one that was sent, under which an earlier version of the program may have stored it. The request is
 * stored as a keyed digest, because bodies can be personal and short enough to guess.
 */
export function requestKey(vault: Vault, key: string, { caller, method, addresses, body }: Request): RequestKey {
  const hashedAs = (names: string[], url: string) =>
    underEachKey(vault, (hasher) => hashedKey(hasher, [caller, ...names, key], [url, body]))
  const hashedAt = ({ path, url }: Address) => hashedAs([method, path], url)
  const [usual, ...sent] = addresses
  const booking = BOOKING.exec(usual.path)?.[1]
  return {
    key,
    hashed: [...hashedAt(usual), ...sent.flatMap(hashedAt)],
    former: () => (booking === undefined ? [] : [...hashedAs([`${booking}Wallet`], usual.url)]),
  }
}

/** The first version stored keys for bookings only, by operation; their values are bodies, without headers. */
const BOOKING = /\/wallet\/(credit|debit)s$/

const hashedKey = (hasher: Hasher, named: string[], request: unknown[]): HashedKey => ({
  hash: hasher.blindIndex('idempotency_key', named.join('\0')),
  digest: hasher.digest('idempotent_request', request),
})

/**
 * Returns the rows that store a response, sealed with a key derived from the idempotency key: one per hash key, and all of
 * them must be free.
 */
export function toKeyRows({ key, hashed }: RequestKey, { response, at, userId, clock }: StoredResponse): LinkedRows {
  const { status, ...rest } = response
  return LINKED_KEY.rows(
    hashed.map(({ hash, digest }) => ({
      key_hash: hash,
      request_digest: digest,
      stored_at: latest(at, clock),
      status,
      sealed: RESPONSE.seal(toSecret(key), { hash }, rest),
      user_id: userId,
    })),
  )
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
  const candidates = [...key.hashed, ...former]
  const [stored] = await db.query<Row>(FIND, [candidates.map(({ hash }) => hash), ownTime(clock)])
  const match = stored && candidates.find(({ hash }) => hash.equals(stored.key_hash))
  if (!match) return undefined
  if (!stored.request_digest.equals(match.digest)) {
    throw new ProblemError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with a different request. Send a new key with each new request.',
    )
  }
  const opened = RESPONSE.unseal(toSecret(key.key), match, stored.sealed)
  const rest = (former.includes(match) ? { body: opened } : opened) as Omit<Response<Body>, 'status'>
  return { status: stored.status, ...rest }
}

/** Deletes an expired key, so that it can be reused before the next purge. */
export async function deleteExpired(db: Queryable, key: RequestKey, clock: Clock): Promise<void> {
  await db.query(DELETE_ONE, [key.hashed.map(({ hash }) => hash), ownTime(clock)])
}

export const deleteOldIdempotencyKeys = createPurge({
  table: 'idempotency_keys',
  time: 'stored_at',
  seconds: RETENTION_SECONDS,
})

export const inProgress = () =>
  new ProblemError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still in progress. Try again later.',
    { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
  )

const toSecret = (key: string) => createSecretKey(Buffer.from(key))

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
