import { BanyanError, isPassing } from './errors.ts'
import { notModified, type IfNoneMatch, type NotModified, type ReadOptions } from './operation.ts'
import { pause } from './waiting.ts'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5_000
const GROWTH = 1.5
const TIMEOUT_MS = 60_000

export type WaitOptions = Omit<ReadOptions, 'timeout'> & {
  /** Milliseconds to wait in all; 60,000 unless set. A person who decides may take days: follow events instead. */
  timeout?: number | undefined
}

/** The record did not get there: it is in a state that it never leaves, or the time was over, also without a response. */
export class WaitError extends BanyanError {
  override readonly name: string = 'WaitError'
  override readonly code = 'not_reached'
  /** The record as it was read last; undefined if it was never read. */
  readonly last: object | undefined

  constructor(message: string, last: object | undefined, cause?: unknown) {
    super(message, { cause })
    this.last = last
  }
}

type Reader<T> = (options: ReadOptions & Partial<IfNoneMatch>) => Promise<T | NotModified>
type Goal<T> = { isReached: (record: T) => boolean; isFinal: (record: T) => boolean }

/** Reads the record until it is as wanted, less and less often, and without its content while it has not changed. */
export async function waitFor<T extends object>(read: Reader<T>, goal: Goal<T>, options: WaitOptions): Promise<T> {
  const { timeout = TIMEOUT_MS, ...others } = options
  const end = performance.now() + timeout
  let last: T | undefined
  let cause: unknown
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * GROWTH, LONGEST_WAIT_MS)) {
    try {
      const found = await read({ ...others, timeout: end - performance.now(), ...(last && { ifNoneMatch: last }) })
      if (found !== notModified) last = found
    } catch (error) {
      if (!isPassing(error)) throw error
      cause = error
    }
    if (last && goal.isReached(last)) return last
    if (last && goal.isFinal(last)) throw new WaitError('The record is in a final state', last)
    if (performance.now() + waitMs > end) throw new WaitError('The time to wait is over', last, cause)
    await pause(waitMs, others.signal)
  }
}
