import type { Leadership } from '../../../kernel/db/leadership.ts'
import { asLeader, startTask } from '../../../kernel/jobs/periodic.ts'
import type { Log } from '../../../kernel/log.ts'
import type { Metrics } from '../../../kernel/metrics.ts'
import type { Poster } from '../../../kernel/outbound/post-outside.ts'
import { createReader, type Deps, PUBLIC_TYPES } from '../../../record/index.ts'
import { findBacklog } from './sender-store.ts'
import { fanOut } from './fan-out.ts'
import { createDispatchers } from './create-dispatchers.ts'

const LOCK = 7_226_401_380 // one sender at a time; an arbitrary constant
const POLL_INTERVAL_MS = 500

type DeliverySettings = { leadership: Leadership; log: Log; metrics: Metrics; poster: Poster; poll_ms?: number }

const BY_HEALTH = ['endpoints']
export const DELIVERY_GAUGES = {
  webhook_deliveries_due: {
    help:
      'Webhook deliveries that are due, at most 10000 per endpoint; healthy endpoints accept deliveries, ' +
      'failing ones have accepted none since their last failure',
    labels: BY_HEALTH,
  },
  webhook_delivery_lag_seconds: { help: 'For how long the oldest of them has been due', labels: BY_HEALTH },
  webhook_circuits_open: { help: 'Webhook endpoints with an open circuit, in the worker that sends' },
}

/**
 * Sends events to webhook endpoints: reads the outbox like the relay of jobs, at its own position, creates deliveries,
 * and sends those due. Only one worker does it, so nothing has to be claimed: it knows what is running, and what a dead
 * worker has not recorded is sent again.
 */
export function startDelivering(
  context: Deps,
  { leadership, log, metrics, poster, poll_ms = POLL_INTERVAL_MS }: DeliverySettings,
): { stop(): Promise<void> } {
  const reader = createReader(context.db, { relay: 'webhooks', types: PUBLIC_TYPES })
  const dispatchers = createDispatchers(context, { poster, log, metrics, onLow: () => task.wake() })
  const sending = asLeader(leadership, {
    name: 'deliver-webhooks',
    every_ms: poll_ms,
    lock: LOCK,
    async run() {
      const hasMoreEvents = await reader.handOver((events) => fanOut(context, events))
      return (await dispatchers.refill()) || hasMoreEvents
    },
    reset() {
      reader.reset()
      dispatchers.drop()
    },
  })
  const task = startTask(sending, log)
  leadership.onMessage(task.wake)
  const unwatch = metrics.watch(DELIVERY_GAUGES, async () => {
    const backlog = await findBacklog(context.db, context.clock)
    return {
      webhook_deliveries_due: backlog.map(({ endpoints, due }) => ({ labels: { endpoints }, value: due })),
      webhook_delivery_lag_seconds: backlog.map(({ endpoints, lag_s }) => ({ labels: { endpoints }, value: lag_s })),
      webhook_circuits_open: dispatchers.openCircuits(),
    }
  })
  return {
    async stop() {
      unwatch()
      await task.stop()
      await dispatchers.stop()
      await leadership.release(LOCK)
    },
  }
}
