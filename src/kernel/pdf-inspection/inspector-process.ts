import { Worker } from 'node:worker_threads'
import { findPdfDefects } from './find-pdf-defects.ts'
import type { Limits, Watched } from './watch.ts'

/** A document to look at; the response is the list of its faults. */
export type Task = { pdf: Uint8Array }

const [, , limits = ''] = process.argv
const watched: Watched = {
  limits: JSON.parse(limits) as Limits,
  begun: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
}
new Worker(new URL('watch.ts', import.meta.url), { workerData: watched }).unref()

process.on('message', ({ pdf }: Task) => {
  Atomics.add(watched.begun, 0, 1)
  void findPdfDefects(pdf).then((errors) => process.send?.(errors))
})
// A terminal signals the whole group: whoever started this decides when it ends, at the latest by closing the channel.
process.on('SIGINT', () => {}).on('SIGTERM', () => {})
