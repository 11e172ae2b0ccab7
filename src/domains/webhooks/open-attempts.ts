import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { openBatches } from '../../kernel/db/batches.ts'
import { describe } from '../../kernel/http/problems.ts'
import type { Log } from '../../kernel/log.ts'
import type { Poster } from '../../kernel/outbound/post-outside.ts'
import { type DueDelivery, type Outcome, recordOutcomes } from './delivery-store.ts'
import { followHealth } from './follow-health.ts'
import { nextAttempt } from './next-attempt.ts'
import { signDelivery } from './sign-delivery.ts'
import type { Endpoint } from './store.ts'

const RECORD_AGAIN_MS = 500

export type AttemptDeps = Pick<Deps, 'db' | 'vault' | 'clock'>

/** Makes attempts and notes what came of them, many in one statement. */
export function openAttempts(context: AttemptDeps, { poster, log }: { poster: Poster; log: Log }) {
  const { db, clock } = context
  const record = openBatches<Outcome, { n: number }>(async (outcomes) => {
    await recordOutcomes(db, outcomes)
    return []
  })
  let isStopping = false

  /** Until it is noted a delivery counts as held, so it is not sent a second time while the database is away. */
  async function recorded(outcome: Outcome): Promise<void> {
    try {
      await record(outcome)
    } catch (error) {
      log.warn({ error: describe(error) }, 'recording a delivery attempt failed; retrying')
      if (isStopping) return
      await sleep(RECORD_AGAIN_MS)
      await recorded(outcome)
    }
  }

  async function tryOnce(own: { endpoint: Endpoint }, { endpointId, tries: before, event }: DueDelivery) {
    const at = clock.now()
    const began = performance.now()
    const { headers, body } = signDelivery(context.vault, { endpoint: own.endpoint, event, at })
    const { status, failure, excerpt } = await poster.post({ url: own.endpoint.url, headers, body })
    if (isStopping && failure) return false // cut off by us: it is sent again
    const isTaken = status !== null && status >= 200 && status < 300
    const tries = before + 1
    const nextAttemptAt = isTaken ? null : nextAttempt(tries, clock.now())
    await recorded({
      endpointId,
      eventId: event.id,
      status: isTaken ? 'DELIVERED' : nextAttemptAt ? 'PENDING' : 'FAILED',
      tries,
      nextAttemptAt,
      attempt: { at_ms: at.getTime(), duration_ms: Math.round(performance.now() - began), status, failure, excerpt },
    })
    await followHealth(context, own, { isTaken, status, at })
    return isTaken
  }

  return {
    /** Sends a delivery to its endpoint, as that was read last; false when it failed. Never rejects. */
    attempt: (own: { endpoint: Endpoint }, delivery: DueDelivery): Promise<boolean> =>
      tryOnce(own, delivery).catch((error: unknown) => {
        log.warn({ error: describe(error) }, 'a delivery could not be attempted')
        return false
      }),
    /** Cuts off what is under way; it is sent again by whoever comes next. */
    async stop(): Promise<void> {
      isStopping = true
      await poster.close()
    },
  }
}
