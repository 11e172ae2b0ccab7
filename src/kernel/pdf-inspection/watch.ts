import { workerData } from 'node:worker_threads'

const LOOK_EVERY_MS = 20

/** What the process may have in memory, what one document may take of a processor, and how the process ends that takes more. */
export type Limits = { rss_bytes_max: number; cpu_ms_max: number; signal: NodeJS.Signals }

/** `begun` has one number, which both threads see: how many documents were begun. */
export type Watched = { limits: Limits; begun: Int32Array<SharedArrayBuffer> }

const { limits, begun } = workerData as Watched
let current = 0
let before = process.cpuUsage()

// Reading is one long stretch of work that nothing in its own thread can break off.
setInterval(() => {
  if (current !== Atomics.load(begun, 0)) {
    current = Atomics.load(begun, 0)
    before = process.cpuUsage()
  }
  const { user, system } = process.cpuUsage(before)
  const isTooMuch = process.memoryUsage.rss() > limits.rss_bytes_max || user + system > limits.cpu_ms_max * 1_000
  if (isTooMuch) process.kill(process.pid, limits.signal)
}, LOOK_EVERY_MS)
