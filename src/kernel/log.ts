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
/** Lines that cannot be written, because nobody reads the pipe or the disk is full, are held up to this size. */
const HELD_BYTES_MAX = 16 * 1024 * 1024

type LogSettings = { fields?: (() => object) | undefined; process?: string | undefined }

/**
 * Opens the program's log: JSON lines on stderr, written in batches. Logged fields are named one by one; bodies are
 * never logged. `fields` are added to each line; with several processes, `process` names this one there.
 */
export function createLog(level: string, { fields, process }: LogSettings = {}): Log {
  return pino(
    {
      level,
      base: process === undefined ? null : { process },
      ...(fields && { mixin: fields }),
      timestamp: () => `,"time":"${isoTime(systemClock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stderrFor(process),
  )
}

const destinations = new Map<string | undefined, ReturnType<typeof createStderr>>()

/** Returns the one stderr of all logs of this name: each costs a timer and a listener that live as long as the process. */
function stderrFor(name: string | undefined) {
  const stderr = destinations.get(name) ?? createStderr(name)
  destinations.set(name, stderr)
  return stderr
}

/**
 * Buffers lines before the destination, which measures its whole buffer at every line: a tenth of the cost of a line.
 */
function createStderr(name: string | undefined) {
  const batch = name === undefined ? BATCH_CHARACTERS : SHARED_BATCH_CHARACTERS
  let buffered = ''
  const handOverLines = () => {
    if (buffered !== '') destination.write(buffered)
    buffered = ''
  }
  process.once('exit', handOverLines) // before the destination's own handler, which writes its buffer
  const destination = createDestination(batch, name)
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

/**
 * Creates the destination on stderr. Logging is best effort: what cannot be written is retried with the next lines, and
 * the number of lost lines is logged afterwards.
 */
function createDestination(batch: number, name: string | undefined) {
  let lost = 0
  let isFailing = false
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: batch / 2,
    maxWrite: batch,
    maxLength: HELD_BYTES_MAX,
  })
  const flushSync = destination.flushSync.bind(destination)
  destination.flushSync = () => {
    if (!isFailing) flushSync() // it would try without end, and the program would not exit
  }
  return destination
    .on('error', () => (isFailing = true))
    .on('write', () => (isFailing = false))
    .on('drop', (lines: string) => (lost += lines.split('\n').length - 1))
    .on('drain', () => {
      if (lost === 0) return
      const line = { level: 'warn', time: isoTime(systemClock.now()), ...(name !== undefined && { process: name }) }
      destination.write(
        `${JSON.stringify({ ...line, lines: lost, msg: 'log lines were lost: they could not be written' })}\n`,
      )
      lost = 0
    })
}
