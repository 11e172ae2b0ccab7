import { randomUUID } from 'node:crypto'
import { Problem } from './problems.ts'

export type Signer = { sign(text: string): Buffer; verify(text: string, signature: Buffer): boolean }

export type Claims = {
  iss: string
  aud: string
  role: string
  client_id: string
  platform_id: string
  epoch: number
  user_id: string
  exp: number
  credential_exp?: number
}

const TOKEN_SECONDS = 3_600
const VERIFIED_MAX = 20_000
const TOKEN_LENGTH_MAX = 4_096

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unixSeconds = () => Math.floor(Date.now() / 1_000)
const invalidToken = () => new Problem('unauthenticated', 'The access token is invalid.')

/** Access tokens as the product's (RFC 9068, Ed25519). One that was verified before is only looked up. */
export function createTokens({ sign, verify }: Signer, { kid, issuer }: { kid: string; issuer: string }) {
  const header = encode({ alg: 'EdDSA', typ: 'at+jwt', kid })
  const verified = new Map<string, Claims>()

  function verifyFirst(authorization: string): Claims {
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
    const [head, payload = '', signature = ''] = token.split('.')
    const isOurs = head === header && token.length <= TOKEN_LENGTH_MAX
    if (!isOurs || !verify(`${head}.${payload}`, Buffer.from(signature, 'base64url'))) throw invalidToken()
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
    if (claims.iss !== issuer) throw invalidToken()
    if (verified.size >= VERIFIED_MAX) verified.delete(verified.keys().next().value as string)
    verified.set(authorization, claims)
    return claims
  }

  return {
    /** Returns the caller of an `Authorization` header. Throws a 401, or a 403 for another role. */
    verify(authorization: string | null | undefined, { aud, role }: Pick<Claims, 'aud' | 'role'>): Claims {
      if (!authorization) throw new Problem('unauthenticated', 'An access token is required.')
      const claims = verified.get(authorization) ?? verifyFirst(authorization)
      if (claims.aud !== aud) throw invalidToken()
      if (claims.exp <= unixSeconds()) throw new Problem('token_expired', 'The access token has expired.')
      if (claims.role !== role) throw new Problem('forbidden', 'Your role may not call this operation.')
      return claims
    },
    issueToUser({ client_id, credential_exp, platform_id, epoch }: Claims, userId: string): string {
      const iat = unixSeconds()
      const exp = Math.min(iat + TOKEN_SECONDS, credential_exp ?? Infinity)
      const subject = { role: 'user', sub: userId, client_id, credential_exp, platform_id, epoch, user_id: userId }
      const text = `${header}.${encode({ iss: issuer, aud: `${issuer}/v1`, iat, exp, jti: randomUUID(), ...subject })}`
      return `${text}.${sign(text).toString('base64url')}`
    },
  }
}
