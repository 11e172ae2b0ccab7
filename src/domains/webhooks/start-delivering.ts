import type { Deps } from '../../deps.ts'
import { startLeader } from '../../kernel/jobs/leader.ts'
import type { Log } from '../../kernel/log.ts'
import type { Poster } from '../../kernel/outbound/post-outside.ts'
import { EVENTS_CHANNEL, openReader, PUBLIC_TYPES } from '../../record/index.ts'
import { fanOut } from './fan-out.ts'
import { openLanes } from './open-lanes.ts'

const LOCK = 7_226_401_380 // one sender at a time; no other lock of ours has this number
const POLL_INTERVAL_MS = 500

type Context = Pick<Deps, 'db' | 'vault' | 'clock'>
type Delivering = { url: string; log: Log; poster: Poster; poll_ms?: number }

/**
 * Sends events to webhook endpoints: reads the outbox as the relay of jobs does, from a position of its own, begins deliveries, and
 * makes those that are due. Of all workers one does it, so nothing has to be claimed: what is under way it knows, and what a
 * dead one has not noted is sent again.
 */
export function startDelivering(
  context: Context,
  { url, log, poster, poll_ms = POLL_INTERVAL_MS }: Delivering,
): { stop(): Promise<void> } {
  const reader = openReader(context.db, { relay: 'webhooks', types: PUBLIC_TYPES })
  const lanes = openLanes(context, { poster, log, onLow: () => leader.wake() })
  const leader = startLeader({
    name: 'the sender of webhooks',
    url,
    channel: EVENTS_CHANNEL,
    lock: LOCK,
    log,
    poll_ms,
    async work() {
      const hasMoreEvents = await reader.handOver((events) => fanOut(context, events))
      return (await lanes.refill()) || hasMoreEvents
    },
    reset() {
      reader.reset()
      lanes.drop()
    },
  })
  return {
    async stop() {
      await leader.stop()
      await lanes.stop()
    },
  }
}
