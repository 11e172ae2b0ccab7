import { workerData } from 'node:worker_threads'

const CHECK_INTERVAL_MS = 20

/** The memory limit of the process, the CPU limit per document, and the signal that ends a process exceeding them. */
export type Limits = { rss_bytes_max: number; cpu_ms_max: number; signal: NodeJS.Signals }

/** `started` holds one number, shared by both threads: how many documents were started. */
export type Watched = { limits: Limits; started: Int32Array<SharedArrayBuffer> }

const { limits, started } = workerData as Watched
let current = 0
let baseline = process.cpuUsage()

// Inspection is one long synchronous computation that its own thread cannot interrupt.
setInterval(() => {
  if (current !== Atomics.load(started, 0)) {
    current = Atomics.load(started, 0)
    baseline = process.cpuUsage()
  }
  const { user, system } = process.cpuUsage(baseline)
  const isExceeded = process.memoryUsage.rss() > limits.rss_bytes_max || user + system > limits.cpu_ms_max * 1_000
  if (isExceeded) process.kill(process.pid, limits.signal)
}, CHECK_INTERVAL_MS)
