import type { Deps } from '../../../deps.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import type { By, Change } from '../../../record/index.ts'
import { ownerOf } from './owner-of.ts'
import { versionOf } from './present.ts'
import { DELETE_ENDPOINT, findEndpoint } from './store.ts'

type Deletion = { endpointId: string; ifMatch: string | undefined }

/** Deletes an endpoint; the result is its id. Throws 404, 412. */
export async function deleteEndpoint(
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  { endpointId, ifMatch }: Deletion,
  by: By,
): Promise<Change<string>> {
  const endpoint = await findEndpoint(db, ownerOf(by.caller), endpointId)
  checkFresh(ifMatch, () => versionOf(vault, endpoint))
  const { id, revision } = endpoint
  return { result: id, write: DELETE_ENDPOINT, values: [id, revision, by.at] }
}
