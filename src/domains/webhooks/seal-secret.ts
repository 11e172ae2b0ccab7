import { type DataKey, seal, unseal } from '../../kernel/crypto/vault.ts'

/** The location of a sealed text, which opens only in its own column. */
type SecretLocation = { endpointId: string; column: 'secret' | 'previous_secret' | 'sealed_description' }

export const sealSecret = (key: DataKey, location: SecretLocation, secret: string): string =>
  seal(key, rowOf(location), secret)

/** A description is its owner's own words, which may name somebody. */
export const sealDescription = (key: DataKey, endpointId: string, words: string | null): string | null =>
  words === null ? null : sealSecret(key, { endpointId, column: 'sealed_description' }, words)

/** Returns the plain text. */
export const openSecret = (key: DataKey, location: SecretLocation, sealed: string): string =>
  unseal<string>(key, rowOf(location), sealed)

const rowOf = ({ endpointId, column }: SecretLocation) => `webhook_endpoints:${endpointId}:${column}`
