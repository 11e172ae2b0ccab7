import { type KeyObject, randomBytes, sign } from 'node:crypto'

type Claims = Record<string, unknown> & { iat: number; exp: number }
type Example = { token: string; userId: string; privateKey: KeyObject }

/** Returns a function that signs tokens for other users with the claims of a real one, because a version may have its own claims. */
export function tokensLike({ token, userId: ofUserId, privateKey }: Example): (userId: string) => string {
  const [header = '', body = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims
  const lasts = claims.exp - claims.iat
  return (userId) => {
    const own = Object.entries(claims).map(([name, value]) => [name, value === ofUserId ? userId : value])
    const iat = Math.floor(Date.now() / 1_000)
    const times = { iat, exp: iat + lasts, jti: randomBytes(16).toString('base64url') }
    const signed = `${header}.${encode({ ...Object.fromEntries(own), ...times })}`
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
  }
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
