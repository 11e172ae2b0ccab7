import { sealedColumn } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'

/** The location of a sealed text, which opens only in its own column. */
type SecretLocation = { endpointId: string; column: keyof typeof TEXTS }

type EndpointKey = { endpointId: string }

/** The first format was bound to the endpoint alone, so that each secret opened in the column of the other. */
const FORMER_SECRETS = [{ row: ({ endpointId }: EndpointKey) => `webhook_endpoints:${endpointId}` }]

export const TEXTS = {
  secret: sealedColumn<string, EndpointKey>('webhook_endpoints.secret', {
    row: ({ endpointId }) => `webhook_endpoints:${endpointId}:secret`,
    former: FORMER_SECRETS,
  }),
  previous_secret: sealedColumn<string, EndpointKey>('webhook_endpoints.previous_secret', {
    row: ({ endpointId }) => `webhook_endpoints:${endpointId}:previous_secret`,
    former: FORMER_SECRETS,
  }),
  sealed_description: sealedColumn<string, EndpointKey>('webhook_endpoints.sealed_description', {
    row: ({ endpointId }) => `webhook_endpoints:${endpointId}:sealed_description`,
  }),
}

export const sealSecret = (key: DataKey, { column, ...at }: SecretLocation, secret: string): string =>
  TEXTS[column].seal(key, at, secret)

/** A description is free text, which may contain personal data. */
export const sealDescription = (key: DataKey, endpointId: string, words: string | null): string | null =>
  words === null ? null : TEXTS.sealed_description.seal(key, { endpointId }, words)

export const unsealSecret = (key: DataKey, { column, ...at }: SecretLocation, sealed: string): string =>
  TEXTS[column].unseal(key, at, sealed)
