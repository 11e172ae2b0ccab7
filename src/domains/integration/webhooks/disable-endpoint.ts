import type { Caller } from '../../../access/caller.ts'
import type { Deps } from '../../../deps.ts'
import { newId } from '../../../kernel/id.ts'
import { applyWithRetry, unchanged } from '../../../record/index.ts'
import type { DisabledReason } from './states.ts'
import { findEndpointOfAnybody } from './store.ts'
import { changedEndpoint } from './update-webhook-endpoint.ts'

const caller: Caller = { kind: 'system', job: 'deliver-webhooks' }

/** Disables a failing endpoint, unless its owner has just changed its URL. */
export async function disableEndpoint(
  deps: Pick<Deps, 'db' | 'clock'>,
  { endpointId, url, reason }: { endpointId: string; url: string; reason: DisabledReason },
): Promise<void> {
  const decide = async (by: Parameters<typeof changedEndpoint>[2]) => {
    const endpoint = await findEndpointOfAnybody(deps.db, endpointId)
    if (endpoint?.status !== 'ACTIVE' || endpoint.url !== url) return unchanged(undefined)
    const next = { ...endpoint, status: 'DISABLED' as const, disabledReason: reason }
    return { ...changedEndpoint(endpoint, next, by), result: undefined }
  }
  await applyWithRetry(deps, { caller, requestId: newId('job') }, decide, { serializeBy: endpointId })
}
