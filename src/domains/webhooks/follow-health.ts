import type { Deps } from '../../deps.ts'
import { noteFailing } from './delivery-store.ts'
import { disableEndpoint } from './disable-endpoint.ts'
import type { Endpoint } from './store.ts'

const GONE = 410
const FAILING_MS_MAX = 5 * 86_400_000

type Attempted = { isTaken: boolean; status: number | null; at: Date }

/** Follows whether an endpoint takes what it gets: it is disabled when it says that it is gone, and when it has failed for five days. */
export async function followHealth(
  deps: Pick<Deps, 'db' | 'clock'>,
  own: { endpoint: Endpoint },
  { isTaken, status, at }: Attempted,
): Promise<void> {
  const { id: endpointId, url, failingSince } = own.endpoint
  if (isTaken !== (failingSince === null)) {
    const since = isTaken ? null : at
    own.endpoint = { ...own.endpoint, failingSince: since }
    await noteFailing(deps.db, endpointId, since)
  }
  const isOver = failingSince !== null && at.getTime() - failingSince.getTime() > FAILING_MS_MAX
  if (status === GONE) await disableEndpoint(deps, { endpointId, url, reason: 'gone' })
  else if (!isTaken && isOver) await disableEndpoint(deps, { endpointId, url, reason: 'failing' })
}
