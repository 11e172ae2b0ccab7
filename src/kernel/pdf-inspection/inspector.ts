import { fileURLToPath } from 'node:url'
import { openTurns } from '../turns.ts'
import { openEngine } from '../pdf/engine.ts'
import type { Limits } from './watch.ts'
import type { Task } from './inspector-process.ts'
import type { PdfDefect } from './pdf-defects.ts'

export type PdfInspector = {
  /**
   * Returns what is wrong with a PDF; empty when nothing is. `read` is called when its turn comes, so that a document which
   * waits is not in memory. Throws 503 `unavailable` when that takes too long, or the process dies.
   */
  inspect(read: () => Promise<Uint8Array>): Promise<PdfDefect[]>
  /** Refuses what is under way and ends the process. */
  stop(): Promise<void>
}

/** Some 100 MiB are the process’s own; a document that may have 100 MiB when unpacked has been seen to take 300 more. */
const RSS_BYTES_MAX = 512 * 1024 * 1024
/** The slowest of a thousand strange documents took a third of a second. */
const CPU_MS_MAX = 5_000
const WAITING_LIMIT_MS = 10_000
/** By the clock on the wall, for a machine that has no time. */
const TIME_LIMIT_MS = 20_000

/** Ends a process that does not listen to it. */
const EXCESS_SIGNAL = 'SIGUSR2'

/**
 * Looks at PDFs one after the other in a process of their own: a file that is made to be read for ever, or to fill the memory,
 * ends that process and not the server.
 */
export function openPdfInspector({
  rss_bytes_max = RSS_BYTES_MAX,
  cpu_ms_max = CPU_MS_MAX,
  timeLimit_ms = TIME_LIMIT_MS,
} = {}): PdfInspector {
  const limits: Limits = { rss_bytes_max, cpu_ms_max, signal: EXCESS_SIGNAL }
  const engine = openEngine<Task, PdfDefect[]>({
    module: fileURLToPath(new URL('inspector-process.ts', import.meta.url)),
    args: [JSON.stringify(limits)],
    waitingMax: 1, // the turns see to it
    waitingLimit_ms: WAITING_LIMIT_MS,
    timeLimit_ms,
    outcomeOfEnd: (signal) => (signal === EXCESS_SIGNAL ? ['too_complex'] : undefined),
  })
  const inTurn = openTurns(WAITING_LIMIT_MS)
  return {
    inspect: (read) => inTurn('inspector', async () => engine.run({ pdf: await read() })),
    stop: engine.stop,
  }
}
