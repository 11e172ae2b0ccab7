import type { Deps } from '../../deps.ts'
import { startLeader } from '../../kernel/jobs/leader.ts'
import type { Log } from '../../kernel/log.ts'
import type { Poster } from '../../kernel/outbound/post-outside.ts'
import { EVENTS_CHANNEL, openReader, PUBLIC_TYPES } from '../../record/index.ts'
import { fanOut } from './fan-out.ts'
import { openLanes } from './open-lanes.ts'

const LOCK = 7_226_401_380 // one sender at a time; an arbitrary constant
const POLL_INTERVAL_MS = 500

type Context = Pick<Deps, 'db' | 'vault' | 'clock'>
type DeliverySettings = { url: string; log: Log; poster: Poster; poll_ms?: number }

/**
 * Sends events to webhook endpoints: reads the outbox like the relay of jobs, at its own position, creates deliveries,
 * and sends those due. Only one worker does it, so nothing has to be claimed: it knows what is running, and what a dead
 * worker has not recorded is sent again.
 */
export function startDelivering(
  context: Context,
  { url, log, poster, poll_ms = POLL_INTERVAL_MS }: DeliverySettings,
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
