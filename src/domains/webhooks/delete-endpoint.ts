import type { Queryable } from '../../kernel/db/database.ts'
import type { By, Change } from '../../record/index.ts'
import { ownerOf } from './owner-of.ts'
import { DELETE_ENDPOINT, findEndpoint } from './store.ts'

/** Deletes an endpoint; the result is its id. Throws 404. */
export async function deleteEndpoint(db: Queryable, endpointId: string, by: By): Promise<Change<string>> {
  const { id, revision } = await findEndpoint(db, ownerOf(by.caller), endpointId)
  return { result: id, write: DELETE_ENDPOINT, values: [id, revision, by.at] }
}
