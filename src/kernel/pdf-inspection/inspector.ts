import { createBulkhead } from '../bulkhead.ts'
import { createEngine } from '../pdf/engine.ts'
import { programModule } from '../program-files.ts'
import type { Limits } from './watch.ts'
import type { Task } from './inspector-process.ts'
import type { PdfDefect } from './pdf-defects.ts'

export type PdfInspector = {
  /**
   * Returns the defects of a PDF; empty when there are none. Calls `read` when the inspection starts, so that queued
   * documents are not in memory. Throws 503 `unavailable` on timeout or when the process dies.
   */
  inspect(read: () => Promise<Uint8Array>): Promise<PdfDefect[]>
  /** Rejects the running inspection and ends the process. */
  stop(): Promise<void>
}

/** The process itself takes some 100 MiB; a document of 100 MiB unpacked was seen to take 300 more. */
const RSS_BYTES_MAX = 512 * 1024 * 1024
/** The slowest of a thousand unusual documents took a third of a second. */
const CPU_MS_MAX = 5_000
const WAITING_LIMIT_MS = 10_000
/** Wall-clock time, for a busy machine. */
const TIME_LIMIT_MS = 20_000

/** The signal of a process that exceeded its limits. */
const EXCESS_SIGNAL = 'SIGUSR2'

/**
 * Inspects PDFs one at a time in a separate process: a file made to loop forever or to exhaust the memory ends that
 * process, not the server.
 */
export function createPdfInspector({
  rss_bytes_max = RSS_BYTES_MAX,
  cpu_ms_max = CPU_MS_MAX,
  timeLimit_ms = TIME_LIMIT_MS,
} = {}): PdfInspector {
  const limits: Limits = { rss_bytes_max, cpu_ms_max, signal: EXCESS_SIGNAL }
  const engine = createEngine<Task, PdfDefect[]>({
    module: programModule('src/kernel/pdf-inspection/inspector-process.ts'),
    args: [JSON.stringify(limits)],
    waitingMax: 1, // the bulkhead ensures it
    waitingLimit_ms: WAITING_LIMIT_MS,
    timeLimit_ms,
    outcomeOfEnd: (signal) => (signal === EXCESS_SIGNAL ? ['too_complex'] : undefined),
  })
  const oneAtATime = createBulkhead({ width: 1, waitMax_ms: WAITING_LIMIT_MS })
  return {
    inspect: (read) => oneAtATime.run('inspector', async () => engine.run({ pdf: await read() })),
    stop: engine.stop,
  }
}
