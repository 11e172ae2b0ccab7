import { type DataKey, seal, unseal } from '../../kernel/crypto/vault.ts'

/** The location of a sealed secret, which opens only in its own column. */
type SecretLocation = { endpointId: string; column: 'secret' | 'previous_secret' }

export const sealSecret = (key: DataKey, location: SecretLocation, secret: string): string =>
  seal(key, rowOf(location), secret)

/** Returns the plain secret. */
export const openSecret = (key: DataKey, location: SecretLocation, sealed: string): string =>
  unseal<string>(key, rowOf(location), sealed)

const rowOf = ({ endpointId, column }: SecretLocation) => `webhook_endpoints:${endpointId}:${column}`
