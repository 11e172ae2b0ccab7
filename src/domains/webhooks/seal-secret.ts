import { type DataKey, seal, unseal } from '../../kernel/crypto/vault.ts'

/** Where a sealed secret lies: each opens in its own column alone. */
type Place = { endpointId: string; column: 'secret' | 'previous_secret' }

export const sealSecret = (key: DataKey, place: Place, secret: string): string => seal(key, rowOf(place), secret)

/** Returns the secret in clear. */
export const openSecret = (key: DataKey, place: Place, sealed: string): string =>
  unseal<string>(key, rowOf(place), sealed)

const rowOf = ({ endpointId, column }: Place) => `webhook_endpoints:${endpointId}:${column}`
