import { randomBytes } from 'node:crypto'
import { type DataKey, seal, unseal } from '../../kernel/crypto/vault.ts'

const SECRET_BYTES = 32

/** A secret in the form of Standard Webhooks: `whsec_` and base64. */
export const newSigningSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

export const sealSecret = (key: DataKey, endpointId: string, secret: string): string =>
  seal(key, rowOf(endpointId), secret)

/** Returns the secret in clear. */
export const secretOf = (key: DataKey, endpointId: string, sealed: string): string =>
  unseal<string>(key, rowOf(endpointId), sealed)

const rowOf = (endpointId: string) => `webhook_endpoints:${endpointId}`
