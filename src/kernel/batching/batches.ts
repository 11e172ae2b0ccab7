import { unavailable } from '../problem-error.ts'
import { wasRolledBack } from '../db/database.ts'
import { withoutCaller } from '../current-caller.ts'
import { isTracing, recordedSpans, type Span, within } from '../tracing.ts'
import { createWaiting, type Waiting } from '../db/waiting.ts'

/** Above this batch size, waiting for a slow call costs more than the saved round trip. */
const CALLS_PER_BATCH_MAX = 32
const BATCHES_AT_ONCE_MAX = 2
/** A slower statement is probably waiting for a lock; the calls behind it go on without it. */
const SLOW_MS = 50
/** Calls that wait longer are rejected, as at the pool: a frozen database must not cost two timeouts. */
const WAIT_MS_MAX = 2_000

type QueuedCall<Call, Row> = {
  call: Call
  queuedAt_ms: number
  endWait: () => void
  /** The spans the call is part of, if they are recorded. */
  spans: readonly Span[]
  resolve: (rows: Row[]) => void
  reject: (error: unknown) => void
}

/** Sends one statement for several calls; each returned row names its call by `n`, counted from 1. */
export type SendBatch<Call, Row> = (calls: Call[]) => Promise<Row[]>

/**
 * Batches the calls of one iteration of the event loop, and those that arrive while statements run. When idle, a call is
 * sent in its own iteration, alone, without delay. Gains 1.5 to 3.5 times the requests per second for reads and at least 4
 * times for writes, which also share the commit. When a batch fails, each call is retried alone, so that none fails
 * because of its neighbour; not when the connection was lost, because the outcome is then unknown.
 */
export function createBatches<Call, Row extends { n: number }>(
  send: SendBatch<Call, Row>,
  sendOne: (call: Call) => Promise<Row[]> = (call) => send([call]),
  { waiting = createWaiting(), timeoutFactor = 1 }: { waiting?: Waiting; timeoutFactor?: number } = {},
): (call: Call) => Promise<Row[]> {
  const queue: QueuedCall<Call, Row>[] = []
  let running = 0
  let isStarting = false

  /**
   * Waits for the rest of this iteration, from other sockets and from the previous statement: sent at the first call, two
   * calls went alone and the others waited for them.
   */
  function startSoon(): void {
    if (isStarting) return
    isStarting = true
    setImmediate(startNext)
  }

  function startNext(): void {
    isStarting = false
    const firstLive = queue.findIndex(
      ({ queuedAt_ms }) => queuedAt_ms > performance.now() - WAIT_MS_MAX * timeoutFactor,
    )
    for (const expired of queue.splice(0, firstLive === -1 ? queue.length : firstLive)) {
      expired.endWait()
      expired.reject(unavailable())
    }
    while (running < BATCHES_AT_ONCE_MAX && queue.length > 0) run(queue.splice(0, CALLS_PER_BATCH_MAX))
  }

  function run(batch: QueuedCall<Call, Row>[]): void {
    running++
    for (const { endWait } of batch) endWait()
    let holdsSlot = true
    const freeSlot = () => {
      if (!holdsSlot) return
      holdsSlot = false
      running--
      if (queue.length > 0) startSoon()
    }
    const slowTimer = setTimeout(freeSlot, SLOW_MS)
    void withoutCaller(() => runTogether(batch)).finally(() => {
      clearTimeout(slowTimer)
      freeSlot()
    })
  }

  /** The statement is part of every caller's trace. */
  const runTogether = (batch: QueuedCall<Call, Row>[]): Promise<void> =>
    isTracing()
      ? within([...new Set(batch.flatMap(({ spans }) => spans))], () => sendTogether(batch))
      : sendTogether(batch)

  async function sendTogether(batch: QueuedCall<Call, Row>[]): Promise<void> {
    const [only] = batch
    if (batch.length === 1 && only) return sendOne(only.call).then(only.resolve, only.reject)
    try {
      const rowsByCall: Row[][] = batch.map(() => [])
      for (const row of await send(batch.map(({ call }) => call))) rowsByCall[row.n - 1]?.push(row)
      for (const [index, { resolve }] of batch.entries()) resolve(rowsByCall[index] ?? [])
    } catch (error) {
      if (wasRolledBack(error)) await Promise.all(batch.map((queued) => runTogether([queued])))
      else for (const { reject } of batch) reject(error)
    }
  }

  return (call) =>
    new Promise((resolve, reject) => {
      const times = { queuedAt_ms: performance.now(), endWait: waiting.begin() }
      queue.push({ call, ...times, spans: recordedSpans(), resolve, reject })
      startSoon()
    })
}
