import { setTimeout as sleep } from 'node:timers/promises'
import { createBatches } from '../../../kernel/batching/batches.ts'
import { signWebhook } from '../../../kernel/crypto/sign-webhook.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { describe } from '../../../kernel/http/problems.ts'
import type { Log } from '../../../kernel/log.ts'
import type { Metrics } from '../../../kernel/metrics.ts'
import type { Poster, PostOutcome } from '../../../kernel/outbound/post-outside.ts'
import { inSpan, traceHeaders } from '../../../kernel/tracing.ts'
import { type Deps, toEnvelope } from '../../../record/index.ts'
import { type DueDelivery, type Outcome, recordOutcomes } from './sender-store.ts'
import { nextAttempt } from './next-attempt.ts'
import { trackHealth } from './track-health.ts'
import { TEXTS } from './records.ts'
import type { Endpoint } from './store.ts'

const RECORD_RETRY_MS = 500

const ATTEMPTS = 'webhook_attempt_duration_seconds'
const GIVEN_UP = 'webhook_deliveries_given_up_total'
export const ATTEMPT_METRICS = {
  [ATTEMPTS]: {
    help:
      'Duration of attempts to deliver a webhook; outcome is delivered, rejected (a status other than 2xx), ' +
      'or the reason why there was no response',
    labels: ['outcome'],
  },
  [GIVEN_UP]: { help: 'Webhook deliveries whose tenth attempt failed' },
}

type AttemptSettings = { poster: Poster; log: Log; metrics: Metrics }

const isSuccess = ({ status }: PostOutcome): boolean => status !== null && status >= 200 && status < 300

/** Makes attempts and records their outcomes, many in one statement. */
export function createAttempts(context: Deps, { poster, log, metrics }: AttemptSettings) {
  const { db, clock } = context
  const attemptDone = metrics.timer(ATTEMPTS, ATTEMPT_METRICS[ATTEMPTS].help)
  const deliveryGivenUp = metrics.counter(GIVEN_UP, ATTEMPT_METRICS[GIVEN_UP].help)
  const record = createBatches<Outcome, { n: number }>(async (outcomes) => {
    await recordOutcomes(db, outcomes)
    return []
  })
  let isStopping = false

  /**
   * Records an outcome, retrying until it succeeds. Until then the delivery stays held, so it is not sent twice while
   * the database is down.
   */
  async function recordDurably(outcome: Outcome): Promise<void> {
    try {
      await record(outcome)
    } catch (error) {
      log.warn({ error: describe(error) }, 'recording a delivery attempt failed; retrying')
      if (isStopping) return
      await sleep(RECORD_RETRY_MS)
      await recordDurably(outcome)
    }
  }

  const post = (endpoint: Endpoint, { event, traceparent }: DueDelivery, at: Date): Promise<PostOutcome> =>
    inSpan({ name: `webhook ${event.type}`, kind: 'client', parent: traceparent ?? undefined }, async (span) => {
      const { headers, body } = signDelivery(context.vault, { endpoint, event, at })
      const outcome = await poster.post({ url: endpoint.url, headers: { ...headers, ...traceHeaders() }, body })
      if (outcome.status !== null) span?.set({ 'http.response.status_code': outcome.status })
      if (!isSuccess(outcome)) span?.fail(outcome.failure ?? String(outcome.status))
      return outcome
    })

  async function tryOnce(served: { endpoint: Endpoint }, delivery: DueDelivery) {
    const { endpointId, tries: previousTries, dueAt, event } = delivery
    const at = clock.now()
    const startedAt = performance.now()
    const outcome = await post(served.endpoint, delivery, at)
    const { status, failure, excerpt } = outcome
    if (isStopping && failure) return false // aborted by us: sent again later
    const isAccepted = isSuccess(outcome)
    const duration_ms = performance.now() - startedAt
    attemptDone({ outcome: isAccepted ? 'delivered' : (failure ?? 'rejected'), duration_ms })
    const tries = previousTries + 1
    const nextAttemptAt = isAccepted ? null : nextAttempt(tries, outcome, { at: clock.now() })
    if (!isAccepted && !nextAttemptAt) deliveryGivenUp()
    await recordDurably({
      endpointId,
      eventId: event.id,
      dueAt,
      status: isAccepted ? 'DELIVERED' : nextAttemptAt ? 'PENDING' : 'FAILED',
      tries,
      nextAttemptAt,
      attempt: { at_ms: at.getTime(), duration_ms: Math.round(duration_ms), status, failure, excerpt },
    })
    await trackHealth({ ...context, log }, served, { isAccepted, status, at })
    return isAccepted
  }

  return {
    /** Sends a delivery to its endpoint, as last read; false when it failed. Never rejects. */
    attempt: (served: { endpoint: Endpoint }, delivery: DueDelivery): Promise<boolean> =>
      tryOnce(served, delivery).catch((error: unknown) => {
        log.warn({ error: describe(error) }, 'a delivery could not be attempted')
        return false
      }),
    /** Aborts running calls; another process sends them again. */
    async stop(): Promise<void> {
      isStopping = true
      await poster.close()
    },
  }
}

type DeliveryInput = { endpoint: Endpoint; event: DueDelivery['event']; at: Date }

/** Returns the body of a delivery and its headers, signed with two secrets for a while after a rotation. */
export function signDelivery(vault: Vault, { endpoint, event, at }: DeliveryInput) {
  const body = JSON.stringify(toEnvelope(event))
  const signed = signWebhook(secretsAt(vault, endpoint, at), { id: event.id, at, body })
  return { headers: { 'user-agent': 'banyan', ...signed }, body }
}

function secretsAt(vault: Vault, { id: endpointId, dataKey, ...endpoint }: Endpoint, at: Date): string[] {
  const { secret, previousSecret, previousSecretUntil } = endpoint
  const key = vault.unwrap(dataKey)
  const current = TEXTS.secret.unseal(key, { endpointId }, secret)
  if (previousSecret === null || previousSecretUntil === null || previousSecretUntil <= at) return [current]
  return [current, TEXTS.previous_secret.unseal(key, { endpointId }, previousSecret)]
}
