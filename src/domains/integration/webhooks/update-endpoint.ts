import { isDeepStrictEqual } from 'node:util'
import type { Deps } from '../../../deps.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { type By, type Decision, unchanged } from '../../../record/index.ts'
import { checkTarget } from './create-endpoint.ts'
import { ownerOf } from './owner-of.ts'
import { presentEndpoint, versionOf } from './present.ts'
import type { EndpointPatch } from './schemas.ts'
import { sealDescription } from './seal-secret.ts'
import { endpointChange } from './states.ts'
import { type Endpoint, findEndpoint, UPDATE_ENDPOINT } from './store.ts'

type PatchInput = { endpointId: string; patch: EndpointPatch; ifMatch: string | undefined }

/** Updates, disables or enables an endpoint. Throws 404, 412, 422 when its new URL may not be called. */
export async function updateEndpoint(
  { db, vault, targets }: Pick<Deps, 'db' | 'vault' | 'targets'>,
  { endpointId, patch, ifMatch }: PatchInput,
  by: By,
): Promise<Decision<Endpoint>> {
  const endpoint = await findEndpoint(db, ownerOf(by.caller), endpointId)
  checkFresh(ifMatch, () => versionOf(vault, endpoint))
  const {
    url = endpoint.url,
    event_types: eventTypes = endpoint.eventTypes,
    description,
    status = endpoint.status,
  } = patch
  if (url !== endpoint.url) await checkTarget(targets, url)
  const { id, dataKey } = endpoint
  const sealedDescription =
    description === undefined ? endpoint.sealedDescription : sealDescription(vault.open(dataKey), id, description)
  const changesStatus = status !== endpoint.status
  const disabledReason = !changesStatus ? endpoint.disabledReason : status === 'ACTIVE' ? null : ('requested' as const)
  const next: Endpoint = { ...endpoint, url, eventTypes, sealedDescription, status, disabledReason }
  if (isDeepStrictEqual(presentEndpoint(vault, next), presentEndpoint(vault, endpoint))) return unchanged(endpoint)
  return changedEndpoint(endpoint, next, by)
}

/** Returns the write of a changed endpoint. Enabling it or changing its URL resets its failures. */
export function changedEndpoint(endpoint: Endpoint, next: Endpoint, by: By) {
  const isReset = next.status !== endpoint.status || next.url !== endpoint.url
  const { url, eventTypes, sealedDescription, status, disabledReason } = next
  return {
    result: nextVersion(next, by.at),
    write: UPDATE_ENDPOINT,
    values: [
      endpoint.id,
      endpoint.revision,
      url,
      eventTypes,
      sealedDescription,
      status,
      disabledReason,
      isReset ? null : endpoint.failingSince,
      by.at,
    ],
    ...(status !== endpoint.status && endpointChange(next, endpoint.status)),
  }
}
