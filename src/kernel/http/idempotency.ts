import assert from 'node:assert/strict'
import { createSecretKey, hkdfSync } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Clock } from '../clock.ts'
import { seal, unseal, type Vault } from '../crypto/vault.ts'
import { type Database, type Queryable, statement, type Tx } from '../db/database.ts'
import { purge, purgeText } from '../db/purge.ts'
import { Refusal } from '../refusal.ts'

const KEPT_SECONDS = 24 * 3_600
/** A request that has not ended after this long died with its process; the next one may take its place. */
const ABANDONED_SECONDS = 30
const RETRY_AFTER_SECONDS = 1

/** The headers of an operation that cannot do without a key: 1 to 255 visible ASCII characters. */
export const RequiredIdempotencyKey = Type.Object({
  'idempotency-key': Type.String({
    pattern: '^[\\x21-\\x7e]{1,255}$',
    description: 'The same key within 24 hours gets the same answer, and nothing is done twice.',
  }),
})

const CLAIM = statement(
  'idempotency_keys_claim',
  `insert into idempotency_keys (key_hash, request_digest, started_at) values ($1, $2, $3)
       on conflict (key_hash) do update
          set request_digest = excluded.request_digest, started_at = excluded.started_at, status = null, sealed = null
        where idempotency_keys.started_at <= $4 or (idempotency_keys.status is null and idempotency_keys.started_at <= $5
              and idempotency_keys.request_digest = excluded.request_digest)
   returning key_hash`,
)

const FIND = statement(
  'idempotency_keys_find',
  'select request_digest, status, sealed from idempotency_keys where key_hash = $1',
)

/** Only for the claim itself: one that was taken over belongs to another request. */
const FINISH = statement(
  'idempotency_keys_finish',
  `update idempotency_keys
      set status = $3, sealed = $4
    where key_hash = $1 and started_at = $2 and status is null
   returning key_hash`,
)

const RELEASE = statement(
  'idempotency_keys_release',
  'delete from idempotency_keys where key_hash = $1 and started_at = $2 and status is null',
)

const FORGET = statement(
  'idempotency_keys_forget',
  purgeText({ table: 'idempotency_keys', key: 'key_hash', condition: 'started_at < $1' }),
)

type Outcome<T> = { status: number; body: T }

type Kit = { db: Database; clock: Clock; vault: Vault }
type Exchange = { request: FastifyRequest; reply: FastifyReply; caller: string; operation: string }

/**
 * Runs the work once for an `Idempotency-Key` and answers a repetition with the first answer (completion 8). The answer
 * is written in the work's own transaction, so it exists exactly when the effect does; it is sealed under a key made
 * from the idempotency key, which is itself not stored. Of the request there is a keyed digest, for bodies can be
 * personal and short enough to guess. Refusals and failures are not kept.
 */
export async function runOnce<T>(
  { db, clock, vault }: Kit,
  exchange: Exchange,
  work: (tx: Tx) => Promise<Outcome<T>>,
): Promise<T> {
  const { request, reply, caller, operation } = exchange
  const key = keyFrom(request)
  const keyHash = vault.blindIndex('idempotency_key', `${caller}\0${operation}\0${key}`)
  const requestDigest = vault.digest('idempotent_request', [request.url, request.body])
  const now = clock.now()
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const claim = [keyHash, requestDigest, now, before(KEPT_SECONDS), before(ABANDONED_SECONDS)]
  if ((await db.query(CLAIM, claim)).length === 0) return replay<T>(db, { reply, keyHash, requestDigest, key })

  try {
    const { status, body } = await db.transaction(async (tx) => {
      const outcome = await work(tx)
      const sealed = seal(answerKey(key), rowOf(keyHash), outcome.body)
      if ((await tx.query(FINISH, [keyHash, now, outcome.status, sealed])).length === 0) throw inProgress()
      return outcome
    })
    reply.code(status)
    return body
  } catch (error) {
    // Safe although a commit may have happened unseen: then the claim has its answer, and only one without is released.
    await db.query(RELEASE, [keyHash, now]).catch(() => {})
    throw error
  }
}

type Repetition = { reply: FastifyReply; keyHash: Buffer; requestDigest: Buffer; key: string }

async function replay<T>(db: Database, { reply, keyHash, requestDigest, key }: Repetition): Promise<T> {
  type Row = { request_digest: Buffer; status: number | null; sealed: string | null }
  const [kept] = await db.query<Row>(FIND, [keyHash])
  if (kept && !kept.request_digest.equals(requestDigest)) {
    throw new Refusal('idempotency_key_reused', 'This Idempotency-Key was used with another request.')
  }
  if (!kept || kept.status === null || kept.sealed === null) throw inProgress()
  reply.code(kept.status).header('idempotent-replayed', 'true')
  return unseal<T>(answerKey(key), rowOf(keyHash), kept.sealed)
}

/** Drops what is older than a day. */
export async function forgetOldIdempotencyKeys(db: Queryable, clock: Clock): Promise<void> {
  await purge(db, FORGET, [new Date(clock.now().getTime() - KEPT_SECONDS * 1000)])
}

const inProgress = () =>
  new Refusal('idempotency_in_progress', 'The first request with this Idempotency-Key has not ended.', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  })

function keyFrom(request: FastifyRequest): string {
  const key = request.headers['idempotency-key']
  assert(typeof key === 'string', 'the header was checked by its schema')
  return key
}

const rowOf = (keyHash: Buffer) => `idempotency_keys:${keyHash.toString('base64')}`

/** Random enough as it is sent, so HKDF is the right stretch; a guessable key protects its answer no better than itself. */
const answerKey = (key: string) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'idempotent answer', 32)))
