import type { Deps } from '../../../deps.ts'
import { newWebhookSecret } from '../../../kernel/crypto/sign-webhook.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import type { By, Change } from '../../../record/index.ts'
import type { EndpointWithSecret } from './create-endpoint.ts'
import { ownerOf } from './owner-of.ts'
import { openSecret, sealSecret } from './seal-secret.ts'
import { findEndpoint, ROTATE_SECRET } from './store.ts'

/** How long deliveries are signed with the previous secret too. */
const OVERLAP_MS = 24 * 3_600_000

/** Replaces the secret of an endpoint; the result includes the new one. Throws 404. */
export async function rotateSecret(
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  id: string,
  by: By,
): Promise<Change<EndpointWithSecret>> {
  const endpoint = await findEndpoint(db, ownerOf(by.caller), id)
  const secret = newWebhookSecret()
  const key = vault.open(endpoint.dataKey)
  const { id: endpointId } = endpoint
  const replaced = openSecret(key, { endpointId, column: 'secret' }, endpoint.secret)
  const sealed = sealSecret(key, { endpointId, column: 'secret' }, secret)
  const previous = sealSecret(key, { endpointId, column: 'previous_secret' }, replaced)
  const until = new Date(by.at.getTime() + OVERLAP_MS)
  return {
    result: { endpoint: nextVersion(endpoint, by.at), secret },
    write: ROTATE_SECRET,
    values: [endpointId, endpoint.revision, sealed, previous, until, by.at],
  }
}
