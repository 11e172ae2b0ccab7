import assert from 'node:assert/strict'
import { hashSecret, isWellFormedSecret, newSecret, secretFrom } from '../kernel/crypto/secrets.ts'
import { type Hasher, type PerKey, underEachKey, type Vault } from '../kernel/crypto/vault.ts'
import type { Clock } from '../kernel/clock.ts'
import { bytes, integer, text, time } from '../kernel/db/columns.ts'
import { type Database, type Queryable, statement } from '../kernel/db/database.ts'
import type { Caller } from './caller.ts'
import { decodeUserId } from './user-id.ts'
import { createPurge } from '../kernel/db/purge.ts'
import { linkedWrite, sendWrite, writeStatement } from '../kernel/db/write-statement.ts'
import { newId } from '../kernel/id.ts'
import { ProblemError } from '../kernel/problem-error.ts'
import { serialize } from '../kernel/bulkhead.ts'
import { isPlatformOpen } from './platform-access.ts'
import { LINKED_REVOCATIONS, revocationRows } from './revocations.ts'
import type { Tokens } from './tokens.ts'

const PREFIX = 'byn_rt'
const DAY_SECONDS = 86_400
const IDLE_SECONDS = 30 * DAY_SECONDS
/** The longest life of a family, however often its token is rotated. */
export const ABSOLUTE_SECONDS = 90 * DAY_SECONDS
/** How long the previous token is still accepted, after a lost response or from a second tab. */
const PREVIOUS_GRACE_SECONDS = 10

/** SQL: the platform of the family `f` has not been disabled since the family began. */
const IS_OPEN = isPlatformOpen('f.platform_id', 'f.access_epoch')

/** SQL: `k` is the newest token of the family `f`, and neither has ended. */
const IS_NEWEST = `f.user_id = k.user_id and f.family_id = k.family_id and f.generation = k.generation
  and f.ended_at is null and k.expires_at > k.at and f.expires_at > k.at and ${IS_OPEN}`

const CHANGED = `f.user_id, f.family_id, f.platform_id, f.access_epoch, f.generation, f.rotated_at, f.expires_at`

const familyColumns = (f: string) =>
  `${f}.user_id, ${f}.family_id, ${f}.platform_id, ${f}.access_epoch,
       extract(epoch from ${f}.rotated_at)::float8 as rotated_s, extract(epoch from ${f}.expires_at)::float8 as expires_s`

/** SQL: inserts the first or next token of the family `f`. */
const insertToken = ({ hash, from }: { hash: string; from: string }) =>
  `insert into refresh_tokens (token_hash, user_id, family_id, generation, expires_at)
     select ${hash}, f.user_id, f.family_id, f.generation,
            least(f.rotated_at + ${IDLE_SECONDS} * interval '1 second', f.expires_at)
       from ${from}`

const LINKED_TOKEN = linkedWrite(
  { hash: bytes('token_hash') },
  { name: 'into_refresh_tokens', text: insertToken({ hash: 'r.token_hash', from: 'r join changed f using (n)' }) },
)

/** SQL: the columns of the family `begun`, as `begin` reads them. */
export const BEGUN_FAMILY = familyColumns('begun')

/**
 * SQL: CTEs that insert a family `begun` for the `user_id` and `platform_id` of `admitted`, if the platform is active.
 * The arguments are SQL expressions of the values that `begin` passes.
 */
export const beginningText = ({ id, tokenHash, at }: Record<keyof NewFamily, string>) => `
  begun as (
    insert into refresh_families as f (user_id, family_id, platform_id, access_epoch, rotated_at, expires_at)
    select s.user_id, ${id}, s.platform_id, p.epoch, ${at}, ${at} + ${ABSOLUTE_SECONDS} * interval '1 second'
      from admitted s
      join platform_access p on p.platform_id = s.platform_id and p.is_active
    returning ${CHANGED}
  ), first_token as (${insertToken({ hash: tokenHash, from: 'begun f' })})`

/** Changes nothing when the token is not the newest of its family. */
const ROTATE = writeStatement({
  name: 'refresh_families_rotate',
  values: { hash: bytes('token_hash'), at: time('at') },
  single: `known as (
       select user_id, family_id, generation, expires_at, :at::timestamptz as at
         from refresh_tokens
        where token_hash = :token_hash
     ), changed as (
       update refresh_families f
          set generation = f.generation + 1, rotated_at = k.at
         from known k
        where ${IS_NEWEST}
       returning 1 as n, ${CHANGED})`,
  batch: `known as (
       select c.n, c.at, t.user_id, t.family_id, t.generation, t.expires_at
         from calls c
         join refresh_tokens t on t.token_hash = :token_hash
     ), locked as (
       select k.n, k.at, k.user_id, k.family_id
         from known k
         join refresh_families f on ${IS_NEWEST}
          for no key update of f skip locked
     ), changed as (
       update refresh_families f
          set generation = f.generation + 1, rotated_at = h.at
         from locked h
        where f.user_id = h.user_id and f.family_id = h.family_id
       returning h.n, ${CHANGED})`,
  linked: [LINKED_TOKEN],
  returns: familyColumns('changed'),
})

const INSPECT = statement(
  'refresh_tokens_inspect',
  `select ${familyColumns('f')}, f.generation - t.generation as behind,
          f.ended_at is not null or f.expires_at <= $2 or t.expires_at <= $2 or not ${IS_OPEN} as is_over
     from refresh_tokens t
     join refresh_families f on f.user_id = t.user_id and f.family_id = t.family_id
    where t.token_hash = $1`,
)

/** In steps, for a cluster: a token and its family may lie on different nodes. */
const FIND_TOKEN = statement(
  'refresh_tokens_find',
  'select user_id, family_id, generation, expires_at > $2 as is_fresh from refresh_tokens where token_hash = $1',
)

/** The same for a token that was found before. */
const ROTATE_FOUND = writeStatement({
  name: 'refresh_families_rotate_found',
  values: { userId: text('user_id'), familyId: text('family_id'), generation: integer('generation'), at: time('at') },
  single: `update refresh_families f
           set generation = f.generation + 1, rotated_at = :at
         where f.user_id = :user_id and f.family_id = :family_id and f.generation = :generation
           and f.ended_at is null and f.expires_at > :at and ${IS_OPEN}
        returning 1 as n, ${CHANGED}`,
  linked: [LINKED_TOKEN],
  returns: familyColumns('changed'),
})

const INSPECT_FOUND = statement(
  'refresh_families_inspect',
  `select ${familyColumns('f')}, f.generation - $3 as behind,
          f.ended_at is not null or f.expires_at <= $4 or not ${IS_OPEN} as is_over
     from refresh_families f
    where f.user_id = $1 and f.family_id = $2`,
)

/** Ends a family; its access tokens stop working within a second. */
const END = writeStatement({
  name: 'refresh_families_end',
  values: { userId: text('user_id'), familyId: text('family_id'), at: time('at') },
  update: 'refresh_families f',
  set: 'ended_at = :at',
  key: 'f.user_id = :user_id and f.family_id = :family_id',
  guard: 'f.ended_at is null',
  linked: [LINKED_REVOCATIONS],
})

const EXPIRED = { time: 'expires_at', seconds: DAY_SECONDS }
const deleteOldTokens = createPurge({ table: 'refresh_tokens', ...EXPIRED })
const deleteOldFamilies = createPurge({ table: 'refresh_families', ...EXPIRED })

/** Both tokens, and who they are for; the times in Unix seconds. */
export type TokenPair = {
  caller: WalletUser
  accessToken: string
  refreshToken: string
  accessExpiresAt: number
  refreshExpiresAt: number
}

type WalletUser = Extract<Caller, { kind: 'wallet_user' }>

export type Family = {
  user_id: string
  family_id: string
  platform_id: string
  access_epoch: number
  rotated_s: number
  expires_s: number
}
export type NewFamily = { id: string; tokenHash: Buffer; at: Date }
type RotatedFamily = Family & { n: number }
type InspectedFamily = Family & { behind: number; is_over: boolean }
/** A token derived from its predecessor, and the hash key that derived it. */
type Successor = { token: string; hasher: Hasher }
/** The hash of a presented token, and its successor under each hash key. */
type PresentedToken = { hash: Buffer; successors: PerKey<Successor> }
type Context = { vault: Vault; tokens: Tokens; clock: Clock }

export type RefreshFamilies = ReturnType<typeof createRefreshFamilies>

type SendOptions = { unbatched: boolean }

/**
 * Opens refresh tokens: opaque, stored hashed, rotated at every use. A successor is derived from its
 * predecessor with the hash key, so that a repeated predecessor gets the same pair although neither token is stored.
 */
export function createRefreshFamilies(db: Database, { vault, tokens, clock }: Context) {
  function createPair(family: Family, { token: refreshToken, hasher }: Successor): TokenPair {
    const caller = toWalletUser(family)
    const iat = Math.floor(family.rotated_s)
    const jti = hasher.blindIndex('refresh_jti', refreshToken).toString('base64url').slice(0, 22)
    const { token, expiresAt } = tokens.issueToWalletUser(caller, { iat, jti })
    const refreshExpiresAt = Math.floor(Math.min(family.rotated_s + IDLE_SECONDS, family.expires_s))
    return { caller, accessToken: token, refreshToken, accessExpiresAt: expiresAt, refreshExpiresAt }
  }

  async function inspect(hash: Buffer, at: Date): Promise<InspectedFamily | undefined> {
    if (db.batching) return (await db.query<InspectedFamily>(INSPECT, [hash, at]))[0]
    const token = await findToken(db, hash, at)
    if (!token) return undefined
    const { user_id, family_id, generation } = token
    const [inspected] = await db.query<InspectedFamily>(INSPECT_FOUND, [user_id, family_id, generation, at])
    return inspected && { ...inspected, is_over: inspected.is_over || !token.is_fresh }
  }

  async function rotateFamily(
    { hash, next }: { hash: Buffer; next: string },
    { at, unbatched }: SendOptions & { at: Date },
  ): Promise<Family | undefined> {
    const rows = toTokenRows(next)
    if (db.batching) {
      const call = { ...ROTATE.with({ token_hash: hash, at }), rows }
      return (await sendWrite<RotatedFamily>(db, ROTATE, call, { unbatched }))[0]
    }
    const token = await findToken(db, hash, at)
    if (!token?.is_fresh) return undefined
    const { user_id, family_id, generation } = token
    const call = { ...ROTATE_FOUND.with({ user_id, family_id, generation, at }), rows }
    return (await sendWrite<RotatedFamily>(db, ROTATE_FOUND, call))[0]
  }

  /** Returns the one that was stored: while the hash key rotates, another server may have made it under another key. */
  async function storedSuccessor(successors: PerKey<Successor>, at: Date): Promise<Successor> {
    const [newest, ...older] = successors
    for (const successor of older) if (await inspect(hashSecret(successor.token), at)) return successor
    return newest
  }

  async function rotate({ hash, successors }: PresentedToken, { unbatched }: SendOptions): Promise<TokenPair> {
    const at = clock.now()
    const [next] = successors
    const family = await rotateFamily({ hash, next: next.token }, { at, unbatched })
    if (family) return createPair(family, next)

    const inspected = await inspect(hash, at)
    if (!inspected || inspected.is_over) throw invalidRefreshToken({ credentialId: inspected?.family_id })
    // Still the newest: its family was locked for a moment, and batched calls skip locked rows.
    if (inspected.behind === 0 && !unbatched) return rotate({ hash, successors }, { unbatched: true })
    const rotatedAgo_s = at.getTime() / 1000 - inspected.rotated_s
    if (inspected.behind === 1 && rotatedAgo_s <= PREVIOUS_GRACE_SECONDS)
      return createPair(inspected, await storedSuccessor(successors, at))
    assert(inspected.behind > 0, 'the newest token of an active family can be rotated')
    await end(db, inspected, at)
    // The cause is for the log: a copy of the token is in other hands, or was restored from somewhere.
    const cause = new Error(`a replaced refresh token was used again: ${inspected.family_id} has ended`)
    throw invalidRefreshToken({ credentialId: inspected.family_id, cause })
  }

  return {
    /**
     * Returns the token pair of a new session; undefined when `admit`, whose statement inserts the family, admits
     * nobody.
     */
    async begin(admit: (fresh: NewFamily) => Promise<Family | undefined>): Promise<TokenPair | undefined> {
      const token = newSecret(PREFIX)
      const family = await admit({ id: newId('ses'), tokenHash: hashSecret(token), at: clock.now() })
      return family && createPair(family, { token, hasher: vault.hashers[0] })
    },

    /**
     * Returns the next pair. Throws 401 `invalid_refresh_token`; a token used before ends its family, except within 10
     * seconds.
     */
    async refresh(token: string): Promise<TokenPair> {
      if (!isWellFormedSecret(PREFIX, token)) throw invalidRefreshToken()
      const hash = hashSecret(token)
      const successors = underEachKey(vault, (hasher): Successor => {
        return { token: secretFrom(PREFIX, hasher.blindIndex('refresh_successor', token)), hasher }
      })
      return serialize(db, hash.toString('base64'), () => rotate({ hash, successors }, { unbatched: false }))
    },

    /** Returns the platform of any token that is still known. */
    platformOf: async (token: string): Promise<string | undefined> =>
      (await inspect(hashSecret(token), clock.now()))?.platform_id,

    /** Ends the family of any of its tokens, and returns whose it was; does nothing when there is none. */
    async logOut(token: string): Promise<WalletUser | undefined> {
      const at = clock.now()
      const inspected = await inspect(hashSecret(token), at)
      if (!inspected) return undefined
      await end(db, inspected, at)
      return toWalletUser(inspected)
    },
  }
}

type Token = { user_id: string; family_id: string; generation: number; is_fresh: boolean }

const findToken = async (db: Queryable, hash: Buffer, at: Date): Promise<Token | undefined> =>
  (await db.query<Token>(FIND_TOKEN, [hash, at]))[0]

const toWalletUser = (family: Family): WalletUser => ({
  kind: 'wallet_user',
  userId: decodeUserId(family.user_id),
  platformId: family.platform_id,
  epoch: family.access_epoch,
  sessionId: family.family_id,
})

const toTokenRows = (token: string) => LINKED_TOKEN.rows([{ token_hash: hashSecret(token) }])

async function end(db: Database, { user_id, family_id }: Family, at: Date): Promise<void> {
  const rows = revocationRows(`session:${family_id}`)
  await sendWrite(db, END, { ...END.with({ user_id, family_id, at }), rows })
}

const invalidRefreshToken = (logged: { credentialId?: string | undefined; cause?: Error } = {}) =>
  new ProblemError('invalid_refresh_token', 'The refresh token is invalid.', {
    headers: { 'www-authenticate': 'RefreshToken' },
    ...logged,
  })

/** Deletes tokens and families that expired a day ago; expired ones are rejected anyway. */
export async function deleteOldRefreshTokens(db: Queryable): Promise<void> {
  await deleteOldTokens(db)
  await deleteOldFamilies(db)
}
