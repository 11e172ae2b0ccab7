import pino, { type Logger } from 'pino'
import { isoTime, systemClock } from './clock.ts'

export type Log = Logger

/** Each write wakes a thread. What a killed process takes along is a quarter of a second of lines at most. */
const WRITTEN_AT_ONCE = 8_192
/** What a pipe takes as a whole, where several processes write into one. */
const WRITTEN_AT_ONCE_BESIDE_OTHERS = 4_096
const WRITTEN_AFTER_MS = 250

/**
 * The program's log: JSON lines on stderr, written in batches. What is logged is named field by field, never a body. `process`
 * names the process in each line, where there are several.
 */
export function openLog(level: string, process?: string): Log {
  return pino(
    {
      level,
      base: process === undefined ? null : { process },
      timestamp: () => `,"time":"${isoTime(systemClock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    openStderr(process === undefined ? WRITTEN_AT_ONCE : WRITTEN_AT_ONCE_BESIDE_OTHERS),
  )
}

/** The destination measures all that waits in it at every line, which is a tenth of what a line costs; so lines wait here. */
function openStderr(atOnce: number) {
  let waiting = ''
  const handOver = () => {
    if (waiting !== '') destination.write(waiting)
    waiting = ''
  }
  process.once('exit', handOver) // before the destination's own, which writes what it has
  const destination = pino.destination({ dest: 2, sync: false, minLength: atOnce / 2, maxWrite: atOnce })
  const flush = (done?: (error?: Error | null) => void) => {
    handOver()
    destination.flush(done)
  }
  setInterval(flush, WRITTEN_AFTER_MS).unref()
  return {
    write(line: string) {
      if (waiting.length + line.length > atOnce) handOver()
      waiting += line
    },
    flush,
  }
}
