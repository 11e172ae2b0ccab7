import pino, { type Logger } from 'pino'
import { isoTime, systemClock } from './clock.ts'

export type Log = Logger

/**
 * Each write wakes a thread, so lines are written in batches. A killed process loses at most a quarter of a second of
 * them.
 */
const BATCH_CHARACTERS = 8_192
const FLUSH_INTERVAL_MS = 250

/**
 * Opens the program's log: JSON lines on stderr, written in batches. Logged fields are named one by one; bodies are
 * never logged. `fields` are added to each line.
 */
export function openLog(level: string, { fields }: { fields?: (() => object) | undefined } = {}): Log {
  return pino(
    {
      level,
      base: null,
      ...(fields && { mixin: fields }),
      timestamp: () => `,"time":"${isoTime(systemClock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    openStderr(),
  )
}

/**
 * Buffers lines before the destination, which measures its whole buffer at every line: a tenth of the cost of a line.
 */
function openStderr() {
  let buffered = ''
  const handOverLines = () => {
    if (buffered !== '') destination.write(buffered)
    buffered = ''
  }
  process.once('exit', handOverLines) // before the destination's own handler, which writes its buffer
  const destination = pino.destination({ dest: 2, sync: false, minLength: BATCH_CHARACTERS })
  const flush = (done?: (error?: Error | null) => void) => {
    handOverLines()
    destination.flush(done)
  }
  setInterval(flush, FLUSH_INTERVAL_MS).unref()
  return {
    write(line: string) {
      buffered += line
      if (buffered.length >= BATCH_CHARACTERS) handOverLines()
    },
    flush,
  }
}
