import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type Clock, unixSeconds } from '../kernel/clock.ts'
import { randomBytes } from '../kernel/crypto/random.ts'
import { createDecoder } from '../kernel/db/columns.ts'
import { ProblemError } from '../kernel/problem-error.ts'
import {
  type Administrator,
  type Caller,
  findCredentialId,
  type CredentialClaims,
  type PersonClaims,
  type PlatformClaims,
  type SessionEpochClaims,
  type ServiceClaims,
  type Role,
  ROLES,
} from './caller.ts'
import { createJws } from './jws.ts'
import type { SigningKeys } from '../settings/keys.ts'
import { decodeUserId } from './user-id.ts'

const TOKEN_SECONDS = 60 * 60
const SHORT_TOKEN_SECONDS = 15 * 60
/** The maximum life of an access token; older revocations can be deleted. */
export const TOKEN_SECONDS_MAX = TOKEN_SECONDS

const VERIFIED_TOKENS_MAX = 20_000
const TOKEN_LENGTH_MAX = 4_096

type Claims = {
  role: Role
  sub: string
  client_id: string
  credential_exp?: number | undefined
  ip_allow_list?: readonly string[] | undefined
  platform_id?: string
  benefit_provider_id?: string
  epoch?: number
  user_id?: string
  session_epoch?: number | undefined
  sid?: string | undefined
  /** Who acts for the subject (RFC 8693). */
  act?: { sub: string } | undefined
}

/** An administrator's session; `expiresAt` is in Unix seconds, here and below. */
type SessionClaims = { id: string; expiresAt: number }

export type IssuedToken = { token: string; expiresInSeconds: number; expiresAt: number }

type AdministratorSubject = { role: Administrator; subject: string; session?: SessionClaims }

/** A person of a partner: the administrator id, and whose rights they have. */
type Person = { subject: string; session: SessionClaims } & (
  | ({ kind: 'platform' } & PlatformClaims)
  | { kind: 'provider'; benefitProviderId: string }
)

export type Tokens = ReturnType<typeof createTokens>

type TokenSettings = { keys: SigningKeys; issuer: string; audience: string; clock: Clock }

const missingToken = () =>
  new ProblemError('unauthenticated', 'An access token is required. Send it as Authorization: Bearer <token>.', {
    headers: { 'www-authenticate': 'Bearer' },
  })

export const invalidToken = (detail = 'The access token is invalid.') =>
  new ProblemError('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })

const OTHER_SCHEME =
  'Send an access token as `Authorization: Bearer <token>`. A `basic_token` is exchanged for one at POST /v1/oauth/token.'
const OTHER_AUDIENCE =
  'The access token is for the other interface: only addresses below /wallet/v1 take, and take only, tokens of POST /wallet/v1/auth/otp/verify.'

const expired = (caller: Caller) =>
  new ProblemError('token_expired', 'The access token has expired.', {
    headers: { 'www-authenticate': 'Bearer error="invalid_token", error_description="expired"' },
    credentialId: findCredentialId(caller),
  })

/** The accepted difference between the clocks of processes. */
const AHEAD_SECONDS_MAX = 60

type VerifiedToken = { caller: Caller; iat: number; exp: number }

/** A token from the future was issued by a wrong clock. It could outlive its revocation, so it is not accepted yet. */
const isCurrent = ({ iat, exp }: Pick<VerifiedToken, 'iat' | 'exp'>, now: number): boolean =>
  exp > now && iat <= now + AHEAD_SECONDS_MAX

/** Issues and verifies access tokens (RFC 9068, EdDSA) for one audience. They contain nothing personal. */
export function createTokens({ keys, issuer, audience, clock }: TokenSettings) {
  const jws = createJws({ keys, typ: 'at+jwt', clock })
  const verified = new Map<string, VerifiedToken>() // by hash, oldest first

  function issue(claims: Claims, { iat, jti }: Moment = newMoment(clock)): IssuedToken {
    const expiresAt = Math.min(iat + LIFE_SECONDS[claims.role], claims.credential_exp ?? Infinity)
    const token = jws.sign({ iss: issuer, aud: audience, iat, exp: expiresAt, jti, ...claims })
    return { token, expiresInSeconds: expiresAt - iat, expiresAt }
  }

  function verifyFirst(token: string, key: string): Caller {
    const verifiedToken = verifyFully(token)
    if (verified.size >= VERIFIED_TOKENS_MAX) verified.delete(verified.keys().next().value as string)
    verified.set(key, verifiedToken)
    return verifiedToken.caller
  }

  function verifyFully(token: string): VerifiedToken {
    const payload = jws.read(token)
    if (payload === undefined) throw isBasicToken(token) ? invalidToken(OTHER_SCHEME) : invalidToken()
    try {
      const claims = JSON.parse(payload) as StoredClaims
      const { iss, aud, exp, iat, nbf } = claims
      assert(iss === issuer, 'issuer matches')
      if (aud !== audience) throw invalidToken(OTHER_AUDIENCE)
      assert(typeof exp === 'number' && typeof iat === 'number', 'exp and iat are numbers')
      assert(nbf === undefined || (typeof nbf === 'number' && nbf <= unixSeconds(clock)), 'nbf has passed')
      for (const name of REQUIRED) assert(name in claims, `the claim ${name} is present`)
      const caller = toCaller(claims, exp)
      assert(
        exp - iat <= LIFE_SECONDS[decodeRole(String(claims['role']))],
        'the lifetime is within the limit of the role',
      )
      if (!isCurrent({ iat, exp }, unixSeconds(clock))) throw expired(caller)
      return { caller, iat, exp }
    } catch (error) {
      throw error instanceof ProblemError ? error : invalidToken()
    }
  }

  return {
    /** Returns the caller of an `Authorization` header. Throws a 401. */
    verify(authorization: string | undefined): Caller {
      if (authorization === undefined) throw missingToken()
      const key = hash('sha256', authorization, 'base64')
      const verifiedToken = verified.get(key)
      if (!verifiedToken) return verifyFirst(parseBearer(authorization), key)
      if (isCurrent(verifiedToken, unixSeconds(clock))) return verifiedToken.caller
      verified.delete(key)
      throw expired(verifiedToken.caller)
    },

    /** `epoch`, here and below: the platform's current one, or that of the token or family this one is issued from. */
    issueToPlatform: (platform: PlatformClaims & ServiceClaims) =>
      issue({ role: 'platform', sub: platform.platformId, ...claimsOfService(platform), ...toClaims(platform) }),

    issueToProvider: (provider: { benefitProviderId: string } & ServiceClaims) =>
      issue({ role: 'provider', sub: provider.benefitProviderId, ...claimsOfService(provider) }),

    /**
     * The credential is the platform's through which the user came; the token expires and is revoked with it. One that is
     * issued to a person of the platform names that person, and so do the tokens issued from it.
     */
    issueToUser: (user: PlatformClaims & CredentialClaims & PersonClaims & SessionEpochClaims & { userId: string }) =>
      issue({
        role: 'user',
        sub: user.userId,
        ...claimsOfCredential(user),
        ...toClaims(user),
        user_id: user.userId,
        ...(user.sessionEpoch && { session_epoch: user.sessionEpoch }),
        ...(user.person !== undefined && { act: { sub: user.person } }),
      }),

    /** Lives no longer than its session; a token without one was issued on the command line. */
    issueToAdministrator: ({ role, subject: sub, session }: AdministratorSubject) =>
      issue({ role, sub, client_id: 'banyan', sid: session?.id, credential_exp: session?.expiresAt }),

    issueToPerson: (person: Person) => issue(claimsOfPerson(person)),

    /** The same moment gives the same token, byte for byte, so that a lost response can be repeated. */
    issueToWalletUser: (user: PlatformClaims & { userId: string; sessionId: string }, moment?: Moment) =>
      issue(
        { role: 'wallet_user', sub: user.userId, client_id: user.sessionId, ...toClaims(user), user_id: user.userId },
        moment,
      ),

    jwks: () => ({ keys: keys.map(toJwk) }),
  }
}

const toJwk = ({ kid, publicKey }: SigningKeys[number]) => {
  const { kty, crv, x } = publicKey.export({ format: 'jwk' })
  return { kty, crv, x, kid, alg: 'EdDSA', use: 'sig' }
}

const toClaims = ({ platformId, epoch }: PlatformClaims) => ({ platform_id: platformId, epoch })

const claimsOfPerson = (person: Person): Claims => ({
  role: `${person.kind}_person`,
  sub: person.subject,
  client_id: person.session.id,
  credential_exp: person.session.expiresAt,
  ...(person.kind === 'platform' ? toClaims(person) : { benefit_provider_id: person.benefitProviderId }),
})

const claimsOfCredential = ({ credentialId, credentialExpiresAt }: CredentialClaims) => ({
  client_id: credentialId,
  credential_exp: credentialExpiresAt,
})

/** Includes the allow list, so that no request has to query it; it never changes for a credential. */
const claimsOfService = (service: ServiceClaims) => ({
  ...claimsOfCredential(service),
  ip_allow_list: service.ipAllowList,
})

const LIFE_SECONDS: Record<Role, number> = {
  platform: TOKEN_SECONDS,
  user: TOKEN_SECONDS,
  provider: TOKEN_SECONDS,
  viewer: SHORT_TOKEN_SECONDS,
  operator: SHORT_TOKEN_SECONDS,
  owner: SHORT_TOKEN_SECONDS,
  wallet_user: SHORT_TOKEN_SECONDS,
  platform_person: SHORT_TOKEN_SECONDS,
  provider_person: SHORT_TOKEN_SECONDS,
}

/** The time of issue, in Unix seconds, and the token's id. */
export type Moment = { iat: number; jti: string }

const newMoment = (clock: Clock): Moment => ({ iat: unixSeconds(clock), jti: randomBytes(16).toString('base64url') })

/** The id of the credential begins it, which is no secret. */
const isBasicToken = (token: string): boolean => Buffer.from(token, 'base64').toString('latin1').startsWith('crd_')

function parseBearer(authorization: string): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (token === undefined) throw invalidToken(OTHER_SCHEME)
  if (token.length > TOKEN_LENGTH_MAX) throw invalidToken()
  return token
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const decodeRole = createDecoder(ROLES, 'role')

/** The claims of a token signed by one of our keys. */
type StoredClaims = Record<string, unknown>

const REQUIRED = ['sub', 'jti', 'client_id', 'role']

function toCaller(claims: StoredClaims, exp: number): Caller {
  const text = (name: string): string => {
    const value = claims[name]
    assert(typeof value === 'string' && value !== '', `the claim ${name} is present`)
    return value
  }
  const platform = () => {
    const { epoch = 0 } = claims // tokens of the previous version have none
    assert(typeof epoch === 'number', 'epoch is a number')
    return { platformId: text('platform_id'), epoch }
  }
  const credential = () => {
    const { credential_exp: credentialExpiresAt } = claims
    assert(credentialExpiresAt === undefined || typeof credentialExpiresAt === 'number', 'credential_exp is a number')
    return { credentialId: text('client_id'), ...(credentialExpiresAt !== undefined && { credentialExpiresAt }) }
  }
  const service = () => {
    const { ip_allow_list: ipAllowList } = claims
    assert(ipAllowList === undefined || isTexts(ipAllowList), 'ip_allow_list is a list of texts')
    return { ...credential(), ...(ipAllowList !== undefined && { ipAllowList }) }
  }
  const person = () => {
    const { act } = claims
    if (act === undefined) return {}
    const { sub } = act as { sub?: unknown }
    assert(typeof sub === 'string', 'act names a person')
    return { person: sub }
  }
  const sessionEpoch = () => {
    const { session_epoch: epoch } = claims
    if (epoch === undefined) return {}
    assert(typeof epoch === 'number', 'session_epoch is a number')
    return { sessionEpoch: epoch }
  }
  const role = decodeRole(text('role'))
  switch (role) {
    case 'platform':
      return { kind: role, ...platform(), ...service() }
    case 'user':
      return {
        kind: role,
        userId: decodeUserId(text('user_id')),
        ...platform(),
        ...credential(),
        credentialExpiresAt: exp, // a token that a user gets for their own ends with it
        ...sessionEpoch(),
        ...person(),
      }
    case 'wallet_user':
      return { kind: role, userId: decodeUserId(text('user_id')), ...platform(), sessionId: text('client_id') }
    case 'provider':
      return { kind: role, benefitProviderId: text('sub'), ...service() }
    case 'platform_person':
      return { kind: 'platform', ...platform(), ...credential(), person: text('sub') }
    case 'provider_person':
      return { kind: 'provider', benefitProviderId: text('benefit_provider_id'), ...credential(), person: text('sub') }
    case 'viewer':
    case 'operator':
    case 'owner':
      return { kind: role, subject: text('sub'), ...(claims['sid'] !== undefined && { sessionId: text('sid') }) }
  }
}
