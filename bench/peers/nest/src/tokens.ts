import { Injectable, type OnModuleInit } from '@nestjs/common'
import { type CryptoKey, importJWK, jwtVerify, SignJWT } from 'jose'
import { randomUUID } from 'node:crypto'

export type Claims = { platform_id: string; user_id: string }

const { ISSUER = '', SIGNING_JWK = '' } = process.env

@Injectable()
export class TokensService implements OnModuleInit {
  private kid: string
  private privateKey: CryptoKey
  private publicKey: CryptoKey

  async onModuleInit() {
    const jwk = JSON.parse(SIGNING_JWK)
    const { d: _, ...publicJwk } = jwk
    this.kid = jwk.kid
    this.privateKey = (await importJWK(jwk, 'EdDSA')) as CryptoKey
    this.publicKey = (await importJWK(publicJwk, 'EdDSA')) as CryptoKey
  }

  async verify(token: string, path: string): Promise<Claims> {
    const options = { algorithms: ['EdDSA'], issuer: ISSUER, audience: `${ISSUER}${path}` }
    return (await jwtVerify<Claims>(token, this.publicKey, options)).payload
  }

  issue(platform_id: string, user_id: string): Promise<string> {
    return new SignJWT({ role: 'user', platform_id, user_id })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: this.kid })
      .setIssuer(ISSUER)
      .setAudience(`${ISSUER}/v1`)
      .setSubject(user_id)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(this.privateKey)
  }
}
