import type { Deps } from '../../deps.ts'
import { nextVersion } from '../../kernel/db/version.ts'
import type { By, Change } from '../../record/index.ts'
import type { WithSecret } from './create-endpoint.ts'
import { ownerOf } from './owner-of.ts'
import { newSigningSecret, sealSecret } from './secret-of.ts'
import { findEndpoint, ROTATE_SECRET } from './store.ts'

/** So long deliveries are signed with the secret before, too. */
const OVERLAP_MS = 24 * 3_600_000

/** Gives an endpoint another secret, which the result has. Throws 404. */
export async function rotateSecret(
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  endpointId: string,
  by: By,
): Promise<Change<WithSecret>> {
  const endpoint = await findEndpoint(db, ownerOf(by.caller), endpointId)
  const secret = newSigningSecret()
  const sealed = sealSecret(vault.open(endpoint.dataKey), endpoint.id, secret)
  const until = new Date(by.at.getTime() + OVERLAP_MS)
  return {
    result: { endpoint: nextVersion(endpoint, by.at), secret },
    write: ROTATE_SECRET,
    values: [endpoint.id, endpoint.revision, sealed, until, by.at],
  }
}
