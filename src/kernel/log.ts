import pino, { type Logger } from 'pino'

export type Log = Logger

/** The program's log: JSON lines on stderr, written in batches. What is logged is named field by field, never a body. */
export function openLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 250 }),
  )
}
