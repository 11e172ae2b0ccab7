import { after } from 'node:test'
import { startDelivering } from '../../src/domains/integration/webhooks/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLeadership } from '../../src/kernel/db/leadership.ts'
import { dateIdsBy, newId } from '../../src/kernel/id.ts'
import { createMetrics } from '../../src/kernel/metrics.ts'
import { createPoster } from '../../src/kernel/outbound/post-outside.ts'
import { EVENTS_CHANNEL } from '../../src/record/index.ts'
import type { Body, TestApp } from './app.ts'
import { within } from './deadline.ts'
import { openReceiver } from './receiver.ts'

const POLL_MS = 20
const WITHIN_MS = 120_000
const DAY_MS = 86_400_000

/** Runs work whose ids are dated some days ahead, or behind, as by a process with a wrong clock. */
export async function dated<T>(days: number, work: () => Promise<T>): Promise<T> {
  dateIdsBy({ now: () => new Date(Date.now() + days * DAY_MS) })
  try {
    return await work()
  } finally {
    dateIdsBy(systemClock)
  }
}

/** The webhook sender as a worker has it, and its controls. Stopped when the file's tests are done. */
export async function openWebhooks(t: TestApp) {
  const start = () => {
    const own = { poster: createPoster(t.deps.targets), metrics: createMetrics() }
    const leadership = createLeadership({ url: t.appUrl, channel: EVENTS_CHANNEL, log: t.log })
    const { stop } = startDelivering(t.deps, { leadership, log: t.log, ...own, poll_ms: POLL_MS })
    let stopping: Promise<void> | undefined
    return () => (stopping ??= stop().then(leadership.close))
  }
  const stops = [start()]
  after(() => Promise.all(stops.map((stop) => stop())))

  return {
    openReceiver,
    /** Stops every sender. */
    stop: () => Promise.all(stops.map((stop) => stop())),
    /** Starts another sender; the returned function stops that one. */
    start: () => {
      const stop = start()
      stops.push(stop)
      return stop
    },
    /** An endpoint with its secret. */
    endpoint: (token: string, url: string, event_types = ['*']): Promise<Body> =>
      t.made('POST', '/v1/webhook_endpoints', { token, body: { url, event_types } }),
    /** Emits a platform's events of these subjects, in this order, as if its users had changed. */
    async emit(platformId: string, subjects: string[]): Promise<string[]> {
      const ids = subjects.map(() => newId('evt'))
      await t.sql(
        `insert into events (event_id, type, platform_id, subject, data)
         select id, 'user.updated', $1, subject, jsonb_build_object('user_id', subject)
           from unnest($2::text[], $3::text[]) as e (id, subject)`,
        [platformId, ids, subjects],
      )
      return ids
    },
    delivered: (isSo: () => boolean | Promise<boolean>) => within(WITHIN_MS, async () => isSo()),
    deliveries: async (token: string, endpointId: string, query = ''): Promise<Body[]> =>
      (await t.made('GET', `/v1/webhook_endpoints/${endpointId}/deliveries?limit=100${query}`, { token })).data,
  }
}
