import { createHash, createSecretKey, hkdfSync } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { canonicalJson } from '../canonical.ts'
import type { Clock } from '../clock.ts'
import { seal, unseal } from '../crypto/vault.ts'
import { type Database, type Queryable, statement, type Tx } from '../db/database.ts'
import { invalid, Refusal } from '../refusal.ts'

const KEY_LENGTH_MAX = 255
const KEPT_SECONDS = 24 * 3_600
/** A request that has not ended after this long died with its process; the next one may take its place. */
const ABANDONED_SECONDS = 30
const RETRY_AFTER_SECONDS = 1

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

const FINISH = statement(
  'idempotency_keys_finish',
  'update idempotency_keys set status = $2, sealed = $3 where key_hash = $1',
)

const RELEASE = statement(
  'idempotency_keys_release',
  'delete from idempotency_keys where key_hash = $1 and status is null',
)

const FORGET = statement('idempotency_keys_forget', 'delete from idempotency_keys where started_at < $1')

type Outcome<T> = { status: number; body: T }

type Kit = { db: Database; clock: Clock }
type Exchange = { request: FastifyRequest; reply: FastifyReply; caller: string; operation: string }

/**
 * Runs the work once for an `Idempotency-Key` and answers a repetition with the first answer (completion 8). The answer
 * is written in the work's own transaction, so it exists exactly when the effect does; it is sealed under a key made
 * from the idempotency key, which is itself not stored. Refusals and failures are not kept.
 */
export async function runOnce<T>(
  { db, clock }: Kit,
  exchange: Exchange,
  work: (tx: Tx) => Promise<Outcome<T>>,
): Promise<T> {
  const { request, reply, caller, operation } = exchange
  const key = keyFrom(request)
  const keyHash = digestOf(`${caller}\0${operation}\0${key}`)
  const requestDigest = digestOf(`${request.url}\0${canonicalJson(request.body)}`)
  const now = clock.now()
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const claim = [keyHash, requestDigest, now, before(KEPT_SECONDS), before(ABANDONED_SECONDS)]
  if ((await db.query(CLAIM, claim)).length === 0) return replay<T>(db, { reply, keyHash, requestDigest, key })

  try {
    const { status, body } = await db.transaction(async (tx) => {
      const outcome = await work(tx)
      await tx.query(FINISH, [keyHash, outcome.status, seal(answerKey(key), rowOf(keyHash), outcome.body)])
      return outcome
    })
    reply.code(status)
    return body
  } catch (error) {
    // An outage leaves the claim: whether the commit happened is not known here, and the next call will see.
    if (!(error instanceof Refusal && error.code === 'unavailable')) await db.query(RELEASE, [keyHash])
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
  if (!kept || kept.status === null || kept.sealed === null) {
    throw new Refusal('idempotency_in_progress', 'The first request with this Idempotency-Key has not ended.', {
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    })
  }
  reply.code(kept.status).header('idempotent-replayed', 'true')
  return unseal<T>(answerKey(key), rowOf(keyHash), kept.sealed)
}

/** Drops what is older than a day. */
export async function forgetOldIdempotencyKeys(db: Queryable, clock: Clock): Promise<void> {
  await db.query(FORGET, [new Date(clock.now().getTime() - KEPT_SECONDS * 1000)])
}

function keyFrom(request: FastifyRequest): string {
  const key = request.headers['idempotency-key']
  const fault = (code: string, detail: string) => invalid([{ pointer: 'header:idempotency-key', code, detail }])
  if (key === undefined) throw fault('required', 'This operation needs an Idempotency-Key.')
  if (typeof key !== 'string' || key.length > KEY_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(key)) {
    throw fault('format', `Must have 1 to ${KEY_LENGTH_MAX} visible ASCII characters.`)
  }
  return key
}

const digestOf = (text: string) => createHash('sha256').update(text).digest()

const rowOf = (keyHash: Buffer) => `idempotency_keys:${keyHash.toString('base64')}`

/** Random enough as it is sent, so HKDF is the right stretch; a guessable key protects its answer no better than itself. */
const answerKey = (key: string) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'idempotent answer', 32)))
