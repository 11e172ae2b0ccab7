import type { Caller } from '../../../access/caller.ts'
import { checkClock } from '../../../kernel/db/database-clock.ts'
import { newId } from '../../../kernel/id.ts'
import type { Log } from '../../../kernel/log.ts'
import { foundOrUndefined } from '../../../kernel/problem-error.ts'
import { applyWithRetry, type Author, type Deps, unchanged } from '../../../record/index.ts'
import { recordHealth } from './sender-store.ts'
import type { DisabledReason } from './states.ts'
import { type Endpoint, findEndpointOfAnybody } from './store.ts'
import { changedEndpoint } from './update-webhook-endpoint.ts'

const GONE = 410
const FAILING_MS_MAX = 5 * 86_400_000

type AttemptResult = { isAccepted: boolean; status: number | null; at: Date }

/**
 * Tracks the health of an endpoint; disables it when it responds 410, or after five days of failures. Throws when it would be
 * disabled by a wrong clock.
 */
export async function trackHealth(
  deps: Deps & { log: Log },
  own: { endpoint: Endpoint },
  { isAccepted, status, at }: AttemptResult,
): Promise<void> {
  const { id: endpointId, owner, url, failingSince } = own.endpoint
  if (isAccepted !== (failingSince === null)) {
    const said = { webhook_endpoint_id: endpointId, owner_kind: owner.kind, owner_id: owner.id }
    deps.log.info(said, `a webhook endpoint ${isAccepted ? 'works again' : 'has begun to fail'}`)
    own.endpoint = { ...own.endpoint, failingSince: isAccepted ? null : at }
    await recordHealth(deps.db, endpointId, isAccepted)
  }
  const isOver = failingSince !== null && at.getTime() - failingSince.getTime() > FAILING_MS_MAX
  if (status === GONE) await disableEndpoint(deps, { endpointId, url, reason: 'gone' })
  else if (!isAccepted && isOver) {
    await checkClock(deps.db, deps.clock) // five days may be one jump of a clock
    await disableEndpoint(deps, { endpointId, url, reason: 'failing' })
  }
}

const SENDER: Caller = { kind: 'system', job: 'deliver-webhooks' }

/** Disables a failing endpoint, unless its owner has just changed its URL. */
async function disableEndpoint(
  deps: Deps,
  { endpointId, url, reason }: { endpointId: string; url: string; reason: DisabledReason },
): Promise<void> {
  const change = async (author: Author) => {
    const endpoint = await foundOrUndefined(findEndpointOfAnybody(deps.db, endpointId))
    if (endpoint?.status !== 'ACTIVE' || endpoint.url !== url) return unchanged(undefined)
    const next = { ...endpoint, status: 'DISABLED' as const, disabledReason: reason }
    return { ...changedEndpoint(endpoint, next, author), result: undefined }
  }
  await applyWithRetry(deps, { caller: SENDER, requestId: newId('job') }, change, { serializeBy: endpointId })
}
