import assert from 'node:assert/strict'
import { hash, randomBytes, sign } from 'node:crypto'
import { errors, exportJWK, jwtVerify, type JWTPayload } from 'jose'
import { type Clock, unixSeconds } from '../kernel/clock.ts'
import { decodeUserId, decoderOf } from '../kernel/db/decode.ts'
import { ProblemError } from '../kernel/problem-error.ts'
import { type Administrator, type Caller, type OfCredential, type OfPlatform, type Role, ROLES } from './caller.ts'
import type { SigningKeys } from './keys.ts'

const TOKEN_SECONDS = 60 * 60
const SHORT_TOKEN_SECONDS = 15 * 60
/** The longest that any access token lives; what was revoked longer ago need not be remembered. */
export const TOKEN_SECONDS_MAX = TOKEN_SECONDS

const VERIFIED_TOKENS_MAX = 20_000
/** Stricter than jose, which also takes padding, blanks and unused bits at the end; a token has one spelling. */
export const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/
const TOKEN_LENGTH_MAX = 4_096

type Claims = {
  role: Role
  sub: string
  client_id: string
  credential_exp?: number | undefined
  platform_id?: string
  epoch?: number
  user_id?: string
}

/** `expiresAt` in Unix seconds. */
export type IssuedToken = { token: string; expiresInSeconds: number; expiresAt: number }

export type Tokens = ReturnType<typeof openTokens>

type TokenSettings = { keys: SigningKeys; issuer: string; audience: string; clock: Clock }

const unauthenticated = (detail: string) =>
  new ProblemError('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })

const expired = () =>
  new ProblemError('token_expired', 'The access token has expired.', {
    headers: { 'www-authenticate': 'Bearer error="invalid_token", error_description="expired"' },
  })

/** Access tokens (RFC 9068, EdDSA) for one audience: issuing and verifying. Nothing personal is in them. */
export function openTokens({ keys, issuer, audience, clock }: TokenSettings) {
  const [signer] = keys
  const header = encode({ alg: 'EdDSA', typ: 'at+jwt', kid: signer.kid })
  const publicKeys = new Map(keys.map(({ kid, publicKey }) => [kid, publicKey]))
  const verified = new Map<string, { caller: Caller; exp: number }>() // by hash, oldest first

  function issue(claims: Claims, { iat, jti }: Moment = newMoment(clock)): IssuedToken {
    const expiresAt = Math.min(iat + LIFE_SECONDS[claims.role], claims.credential_exp ?? Infinity)
    const body = `${header}.${encode({ iss: issuer, aud: audience, iat, exp: expiresAt, jti, ...claims })}`
    // node:crypto signs in 21 µs, jose's WebCrypto in 57; the claims above are all there is to it.
    const signature = sign(null, Buffer.from(body), signer.privateKey).toString('base64url')
    return { token: `${body}.${signature}`, expiresInSeconds: expiresAt - iat, expiresAt }
  }

  async function verifyFully(token: string): Promise<{ caller: Caller; exp: number }> {
    try {
      const { payload } = await jwtVerify(token, ({ kid }) => publicKeys.get(kid ?? '') ?? unknownKey(), {
        algorithms: ['EdDSA'],
        issuer,
        audience,
        typ: 'at+jwt',
        requiredClaims: ['sub', 'exp', 'iat', 'jti', 'client_id', 'role'],
        currentDate: clock.now(),
      })
      return { caller: callerOf(payload), exp: payload.exp as number }
    } catch (error) {
      throw error instanceof errors.JWTExpired ? expired() : unauthenticated('The access token is not valid.')
    }
  }

  return {
    /** The caller behind an `Authorization` header. Refuses with 401 `unauthenticated` or `token_expired`. */
    verify(authorization: string | undefined): Caller | Promise<Caller> {
      const token = bearerOf(authorization)
      const key = hash('sha256', token, 'base64')
      const known = verified.get(key)
      if (known) {
        if (known.exp > unixSeconds(clock)) return known.caller
        verified.delete(key)
        throw expired()
      }
      return verifyFully(token).then((fresh) => {
        if (verified.size >= VERIFIED_TOKENS_MAX) verified.delete(verified.keys().next().value as string)
        verified.set(key, fresh)
        return fresh.caller
      })
    },

    /** `epoch`, here and below: that of the platform at this moment, or of the token or family that this one comes from. */
    issueToPlatform: (platform: OfPlatform & OfCredential) =>
      issue({ role: 'platform', sub: platform.platformId, ...claimsOfCredential(platform), ...claimsOf(platform) }),

    issueToProvider: (provider: { benefitProviderId: string } & OfCredential) =>
      issue({ role: 'provider', sub: provider.benefitProviderId, ...claimsOfCredential(provider) }),

    /** The credential is the platform's through which the user came in; when it expires or is revoked, so does this. */
    issueToUser: (user: OfPlatform & OfCredential & { userId: string }) =>
      issue({
        role: 'user',
        sub: user.userId,
        ...claimsOfCredential(user),
        ...claimsOf(user),
        user_id: user.userId,
      }),

    issueToAdministrator: (administrator: { role: Administrator; subject: string }) =>
      issue({ role: administrator.role, sub: administrator.subject, client_id: 'banyan' }),

    /** The same moment gives the same token to the byte, so that a lost response can be given again. */
    issueToWalletUser: (user: OfPlatform & { userId: string; sessionId: string }, moment?: Moment) =>
      issue(
        {
          role: 'wallet_user',
          sub: user.userId,
          client_id: user.sessionId,
          ...claimsOf(user),
          user_id: user.userId,
        },
        moment,
      ),

    /** The public keys, as published at `/.well-known/jwks.json`. */
    jwks: async () => ({
      keys: await Promise.all(
        keys.map(async ({ kid, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, alg: 'EdDSA', use: 'sig' })),
      ),
    }),
  }
}

const claimsOf = ({ platformId, epoch }: OfPlatform) => ({ platform_id: platformId, epoch })

const claimsOfCredential = ({ credentialId, credentialExpiresAt }: OfCredential) => ({
  client_id: credentialId,
  credential_exp: credentialExpiresAt,
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const LIFE_SECONDS: Record<Role, number> = {
  platform: TOKEN_SECONDS,
  user: TOKEN_SECONDS,
  provider: TOKEN_SECONDS,
  viewer: SHORT_TOKEN_SECONDS,
  operator: SHORT_TOKEN_SECONDS,
  owner: SHORT_TOKEN_SECONDS,
  wallet_user: SHORT_TOKEN_SECONDS,
}

/** When a token was issued, in Unix seconds, and its own id. */
export type Moment = { iat: number; jti: string }

const newMoment = (clock: Clock): Moment => ({ iat: unixSeconds(clock), jti: randomBytes(16).toString('base64url') })

function unknownKey(): never {
  throw new Error('the key id is not one of ours')
}

function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new ProblemError('unauthenticated', 'An access token is needed.', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (token === undefined || token.length > TOKEN_LENGTH_MAX || !COMPACT_JWS.test(token)) {
    throw unauthenticated('The access token is not valid.')
  }
  return token
}

const decodeRole = decoderOf(ROLES, 'role')

function callerOf(claims: JWTPayload): Caller {
  const text = (name: string): string => {
    const value = claims[name]
    assert(typeof value === 'string' && value !== '', `a token of ours has ${name}`)
    return value
  }
  const platform = () => {
    const { epoch = 0 } = claims // a token of the version before has none
    assert(typeof epoch === 'number', 'a token of ours counts epochs')
    return { platformId: text('platform_id'), epoch }
  }
  const credential = () => {
    const { credential_exp: credentialExpiresAt } = claims
    assert(
      credentialExpiresAt === undefined || typeof credentialExpiresAt === 'number',
      'a token of ours counts seconds',
    )
    return { credentialId: text('client_id'), ...(credentialExpiresAt !== undefined && { credentialExpiresAt }) }
  }
  const role = decodeRole(text('role'))
  switch (role) {
    case 'platform':
      return { kind: role, ...platform(), ...credential() }
    case 'user':
      return {
        kind: role,
        userId: decodeUserId(text('user_id')),
        ...platform(),
        ...credential(),
      }
    case 'wallet_user':
      return {
        kind: role,
        userId: decodeUserId(text('user_id')),
        ...platform(),
        sessionId: text('client_id'),
      }
    case 'provider':
      return { kind: role, benefitProviderId: text('sub'), ...credential() }
    case 'viewer':
    case 'operator':
    case 'owner':
      return { kind: role, subject: text('sub') }
  }
}
