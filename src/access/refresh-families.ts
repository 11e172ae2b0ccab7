import assert from 'node:assert/strict'
import { hashSecret, isWellFormedSecret, newSecret, secretFrom } from '../kernel/crypto/secrets.ts'
import type { Vault } from '../kernel/crypto/vault.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Database, type Queryable, statement, type Tx } from '../kernel/db/database.ts'
import { decodeUserId } from '../kernel/db/decode.ts'
import { purge, purgeText } from '../kernel/db/purge.ts'
import { newId } from '../kernel/id.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { OfPlatform } from './caller.ts'
import { revoke } from './revocations.ts'
import type { Tokens } from './tokens.ts'

const PREFIX = 'byn_rt'
const DAY_SECONDS = 86_400
const IDLE_SECONDS = 30 * DAY_SECONDS
const ABSOLUTE_SECONDS = 90 * DAY_SECONDS
/** A lost answer or a second tab may show the immediate predecessor for this long. */
const PREDECESSOR_SECONDS = 10

/** SQL: the platform of the family `f` has not been disabled since the family began. */
const IS_OPEN = `exists (
  select from platforms p
   where p.platform_id = f.platform_id and p.status = 'ACTIVE' and p.access_epoch = f.access_epoch)`

const INSERT_FAMILY = statement(
  'refresh_families_insert',
  `insert into refresh_families (user_id, family_id, platform_id, access_epoch, rotated_at, expires_at)
   values ($1, $2, $3, $4, to_timestamp($5), to_timestamp($6))`,
)

const INSERT_TOKEN = statement(
  'refresh_tokens_insert',
  `insert into refresh_tokens (token_hash, user_id, family_id, generation, expires_at)
   values ($1, $2, $3, 1, to_timestamp($4))`,
)

/**
 * Rotates in one round trip. A family whose newest token is not the one shown, or whose platform is disabled, is left
 * alone and returns nothing. Not shared by concurrent calls: two batches that wrote the same families in another order
 * would deadlock.
 */
const ROTATE = statement(
  'refresh_families_rotate',
  `with known as (
     select user_id, family_id, generation, expires_at from refresh_tokens where token_hash = $1
   ), rotated as (
     update refresh_families f
        set generation = f.generation + 1, rotated_at = to_timestamp($3)
       from known k
      where f.user_id = k.user_id and f.family_id = k.family_id and f.generation = k.generation and f.ended_at is null
        and k.expires_at > to_timestamp($3) and f.expires_at > to_timestamp($3)
        and ${IS_OPEN}
     returning f.user_id, f.family_id, f.platform_id, f.access_epoch, f.generation, f.rotated_at, f.expires_at
   ), added as (
     insert into refresh_tokens (token_hash, user_id, family_id, generation, expires_at)
     select $2, user_id, family_id, generation, least(rotated_at + ${IDLE_SECONDS} * interval '1 second', expires_at)
       from rotated
   )
   select user_id, family_id, platform_id, access_epoch,
          extract(epoch from rotated_at)::float8 as rotated_s, extract(epoch from expires_at)::float8 as expires_s
     from rotated`,
)

const INSPECT = statement(
  'refresh_tokens_inspect',
  `select f.user_id, f.family_id, f.platform_id, f.access_epoch, f.generation - t.generation as behind,
          f.ended_at is not null or f.expires_at <= to_timestamp($2) or t.expires_at <= to_timestamp($2)
            or not ${IS_OPEN} as is_over,
          extract(epoch from f.rotated_at)::float8 as rotated_s, extract(epoch from f.expires_at)::float8 as expires_s
     from refresh_tokens t
     join refresh_families f on f.user_id = t.user_id and f.family_id = t.family_id
    where t.token_hash = $1`,
)

const END = statement(
  'refresh_families_end',
  `update refresh_families
      set ended_at = to_timestamp($3)
    where user_id = $1 and family_id = $2 and ended_at is null
   returning family_id`,
)

const FORGET_TOKENS = statement(
  'refresh_tokens_forget',
  purgeText({ table: 'refresh_tokens', key: 'token_hash', condition: 'expires_at < to_timestamp($1)' }),
)

const FORGET_FAMILIES = statement(
  'refresh_families_forget',
  purgeText({ table: 'refresh_families', key: 'family_id', condition: 'expires_at < to_timestamp($1)' }),
)

/** Both tokens; the times in Unix seconds. */
export type TokenPair = { accessToken: string; refreshToken: string; accessExpiresAt: number; refreshExpiresAt: number }

type Family = {
  user_id: string
  family_id: string
  platform_id: string
  access_epoch: number
  rotated_s: number
  expires_s: number
}
/** `epoch`: the platform's when it was seen to be active. */
type SignIn = OfPlatform & { userId: string }
type Kit = { vault: Vault; tokens: Tokens; clock: Clock }

export type RefreshFamilies = ReturnType<typeof openRefreshFamilies>

/**
 * Refresh tokens (completion 9): opaque, stored hashed, a new one at every use. A successor is made from its predecessor
 * under the hash key, so that a predecessor shown again gets the very same pair although neither token is stored.
 */
export function openRefreshFamilies(db: Database, { vault, tokens, clock }: Kit) {
  function pairOf(family: Family, refreshToken: string): TokenPair {
    const sessionId = family.family_id
    const platform = { platformId: family.platform_id, epoch: family.access_epoch }
    const user = { userId: decodeUserId(family.user_id), ...platform, sessionId }
    const iat = Math.floor(family.rotated_s)
    const jti = vault.blindIndex('refresh_jti', refreshToken).toString('base64url').slice(0, 22)
    const { token, expiresAt } = tokens.issueToWalletUser(user, { iat, jti })
    const refreshExpiresAt = Math.floor(Math.min(family.rotated_s + IDLE_SECONDS, family.expires_s))
    return { accessToken: token, refreshToken, accessExpiresAt: expiresAt, refreshExpiresAt }
  }

  async function afterRotation(token: string, next: string, now: number): Promise<TokenPair> {
    type Inspected = Family & { behind: number; is_over: boolean }
    const [found] = await db.query<Inspected>(INSPECT, [hashSecret(token), now])
    if (!found || found.is_over) throw invalidRefreshToken()
    if (found.behind === 1 && now - found.rotated_s <= PREDECESSOR_SECONDS) return pairOf(found, next)
    assert(found.behind > 0, 'the newest token of a family that is not over was rotated')
    await db.transaction((tx) => end(tx, found, now))
    throw invalidRefreshToken()
  }

  return {
    /** Begins a family: the pair after a sign-in. */
    async start(tx: Tx, { userId, platformId, epoch }: SignIn): Promise<TokenPair> {
      const now = clock.now().getTime() / 1000
      const family = {
        user_id: userId,
        family_id: newId('ses'),
        platform_id: platformId,
        access_epoch: epoch,
        rotated_s: now,
        expires_s: now + ABSOLUTE_SECONDS,
      }
      const token = newSecret(PREFIX)
      await tx.query(INSERT_FAMILY, [userId, family.family_id, platformId, epoch, now, family.expires_s])
      await tx.query(INSERT_TOKEN, [hashSecret(token), userId, family.family_id, now + IDLE_SECONDS])
      return pairOf(family, token)
    },

    /** The next pair. 401 `invalid_refresh_token`; a token used before ends its family, save the 10 seconds' grace. */
    async refresh(token: string): Promise<TokenPair> {
      if (!isWellFormedSecret(PREFIX, token)) throw invalidRefreshToken()
      const now = clock.now().getTime() / 1000
      const next = secretFrom(PREFIX, vault.blindIndex('refresh_successor', token))
      const [family] = await db.query<Family>(ROTATE, [hashSecret(token), hashSecret(next), now])
      return family ? pairOf(family, next) : afterRotation(token, next, now)
    },

    /** Ends the family of a token, whichever of its tokens it is; nothing happens when there is none. */
    async logOut(token: string): Promise<void> {
      const now = clock.now().getTime() / 1000
      const [found] = await db.query<Family>(INSPECT, [hashSecret(token), now])
      if (found) await db.transaction((tx) => end(tx, found, now))
    },
  }
}

/** Ends a family; access tokens of it stop working within a second. */
async function end(tx: Tx, { user_id, family_id }: Family, now: number): Promise<void> {
  const ended = await tx.query(END, [user_id, family_id, now])
  if (ended.length > 0) await revoke(tx, `session:${family_id}`)
}

const invalidRefreshToken = () =>
  new Refusal('invalid_refresh_token', 'The refresh token is not valid.', {
    headers: { 'www-authenticate': 'RefreshToken' },
  })

/** Drops tokens and families that expired a day ago; what is expired is refused either way. */
export async function forgetOldRefreshTokens(db: Queryable, clock: Clock): Promise<void> {
  const before = [clock.now().getTime() / 1000 - DAY_SECONDS]
  await purge(db, FORGET_TOKENS, before)
  await purge(db, FORGET_FAMILIES, before)
}
