import pino, { type Logger } from 'pino'
import { isoTime, systemClock } from './clock.ts'

export type Log = Logger

/**
 * Each write wakes a thread, so lines are written in batches. A killed process loses at most a quarter of a second of
 * them.
 */
const BATCH_CHARACTERS = 8_192
/** A pipe takes this much at once, so the lines of several processes are not mixed. */
const SHARED_BATCH_CHARACTERS = 4_096
const FLUSH_INTERVAL_MS = 250

type LogSettings = { fields?: (() => object) | undefined; process?: string | undefined }

/**
 * Opens the program's log: JSON lines on stderr, written in batches. Logged fields are named one by one; bodies are
 * never logged. `fields` are added to each line; with several processes, `process` names this one there.
 */
export function openLog(level: string, { fields, process }: LogSettings = {}): Log {
  return pino(
    {
      level,
      base: process === undefined ? null : { process },
      ...(fields && { mixin: fields }),
      timestamp: () => `,"time":"${isoTime(systemClock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stderrFor(process === undefined ? BATCH_CHARACTERS : SHARED_BATCH_CHARACTERS),
  )
}

const opened = new Map<number, ReturnType<typeof openStderr>>()

/** Returns the one stderr of all logs with this batch: each costs a timer and a listener that live as long as the process. */
function stderrFor(batch: number) {
  const stderr = opened.get(batch) ?? openStderr(batch)
  opened.set(batch, stderr)
  return stderr
}

/**
 * Buffers lines before the destination, which measures its whole buffer at every line: a tenth of the cost of a line.
 */
function openStderr(batch: number) {
  let buffered = ''
  const handOverLines = () => {
    if (buffered !== '') destination.write(buffered)
    buffered = ''
  }
  process.once('exit', handOverLines) // before the destination's own handler, which writes its buffer
  const destination = pino.destination({ dest: 2, sync: false, minLength: batch / 2, maxWrite: batch })
  const flush = (done?: (error?: Error | null) => void) => {
    handOverLines()
    destination.flush(done)
  }
  setInterval(flush, FLUSH_INTERVAL_MS).unref()
  return {
    write(line: string) {
      if (buffered.length + line.length > batch) handOverLines()
      buffered += line
    },
    flush,
  }
}
