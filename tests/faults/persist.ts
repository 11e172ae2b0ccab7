import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from '../support/server.ts'
import { acknowledge, type Entry } from './journal.ts'
import type { Random } from './random.ts'
import type { ClientRequest, Sent, Traffic } from './traffic.ts'

const PAUSE_MS = 200
const JITTER = 0.5
const PERSISTS_MS = 90_000

type Context = { traffic: Traffic; random: Random }

/** The outcome of a client's attempts. */
export type Settled = { outcome: 'acknowledged' | 'refused'; reply: Reply } | { outcome: 'unknown' }

type PersistOptions = {
  entry: Entry
  clientRequest: ClientRequest
  /** False when a second attempt could do harm: the first ambiguous one is then the last. */
  mayRepeat: boolean
  /** The probability that the client gives up after an ambiguous attempt. */
  givesUp: number
}

/** Sends a write until it has a clear response, as a careful client does, and keeps its journal. */
export async function persist(
  context: Context,
  { entry, clientRequest, mayRepeat, givesUp }: PersistOptions,
): Promise<Settled> {
  const deadline = performance.now() + PERSISTS_MS
  for (;;) {
    const sent = await context.traffic.send(clientRequest, context.random)
    if (isClear(sent)) {
      const { reply } = sent
      if (isSuccess(reply)) acknowledge(entry, reply.body)
      else entry.state = 'refused'
      return { outcome: isSuccess(reply) ? 'acknowledged' : 'refused', reply }
    }
    if (mayHaveHappened(sent)) {
      entry.pending++
      if (!mayRepeat || context.random.chance(givesUp)) return { outcome: 'unknown' }
    }
    if (performance.now() > deadline) return { outcome: 'unknown' }
    await pause(sent, context.random)
  }
}

/** Repeats a call that changes nothing until it succeeds; fails when it never does. */
export async function repeatUntilDone(context: Context, clientRequest: ClientRequest): Promise<Reply> {
  const deadline = performance.now() + PERSISTS_MS
  for (;;) {
    const sent = await context.traffic.send(clientRequest, context.random)
    if (sent.outcome === 'responded' && isSuccess(sent.reply)) return sent.reply
    const state = sent.outcome === 'responded' ? sent.reply.text : sent.outcome
    if (isClear(sent) || performance.now() > deadline)
      throw new Error(`${clientRequest.method} ${clientRequest.path}: ${state}`)
    await pause(sent, context.random)
  }
}

const isSuccess = ({ status }: Reply) => status >= 200 && status < 300

/** True when nothing was done and the call may be retried. */
const NOT_DONE = [408, 429]

/** Not a temporary rejection: too slow, too many, still running, unavailable. */
export function isClear(sent: Sent): sent is Extract<Sent, { outcome: 'responded' }> {
  if (sent.outcome !== 'responded') return false
  const { status, body } = sent.reply
  return status < 500 && !NOT_DONE.includes(status) && body?.code !== 'idempotency_in_progress'
}

/** A 503 too can follow a commit whose response was lost; a call still running was counted when it was sent. */
const mayHaveHappened = (sent: Sent) =>
  sent.outcome === 'lost' || (sent.outcome === 'responded' && sent.reply.status >= 500)

/** As long as the response asks for, spread so that clients do not retry at the same moment. */
async function pause(sent: Sent, random: Random): Promise<void> {
  const seconds = sent.outcome === 'responded' ? Number(sent.reply.headers.get('retry-after') ?? 0) : 0
  await sleep((seconds * 1000 || PAUSE_MS) * (1 + JITTER * random.fraction()))
}
