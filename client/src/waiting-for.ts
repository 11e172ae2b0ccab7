import { BanyanError } from './errors.ts'
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

/** The record did not get there: it is in a state that it never leaves, or the time was over. */
export class WaitError extends BanyanError {
  override readonly name: string = 'WaitError'
  override readonly code = 'not_reached'
  /** The record as it was read last. */
  readonly last: object

  constructor(message: string, last: object) {
    super(message)
    this.last = last
  }
}

type Reader<T> = (options: ReadOptions & Partial<IfNoneMatch>) => Promise<T | NotModified>
type Goal<T> = { isReached: (record: T) => boolean; isFinal: (record: T) => boolean }

/** Reads the record until it is as wanted, less and less often, and without its content while it has not changed. */
export async function waitFor<T extends object>(read: Reader<T>, goal: Goal<T>, options: WaitOptions): Promise<T> {
  const { timeout = TIMEOUT_MS, ...others } = options
  const deadline = Date.now() + timeout
  let last: T | undefined
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * GROWTH, LONGEST_WAIT_MS)) {
    const found = await read({ ...others, ...(last && { ifNoneMatch: last }) })
    if (found !== notModified) last = found
    if (last && goal.isReached(last)) return last
    if (last && goal.isFinal(last)) throw new WaitError('The record is in a final state', last)
    if (last && Date.now() + waitMs > deadline) throw new WaitError('The time to wait is over', last)
    await pause(waitMs, others.signal)
  }
}
