import { flushCompileCache } from 'node:module'
import { Worker } from 'node:worker_threads'
import { programModule } from '../program-files.ts'
import { findPdfDefects } from './find-pdf-defects.ts'
import type { Limits, Watched } from './watch.ts'

/** A document to inspect; the response is the list of its defects. */
export type Task = { pdf: Uint8Array }

const [, , limits = ''] = process.argv
const watched: Watched = {
  limits: JSON.parse(limits) as Limits,
  started: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
}
new Worker(programModule('src/kernel/pdf-inspection/watch.ts'), { workerData: watched }).unref()

process.on('message', ({ pdf }: Task) => {
  Atomics.add(watched.started, 0, 1)
  void findPdfDefects(pdf).then((defects) => process.send?.(defects))
})
flushCompileCache() // at its end it is killed, and would leave no compiled code
// A terminal signals the whole process group; the parent decides when this process ends, at the latest by closing the
// channel.
process.on('SIGINT', () => {}).on('SIGTERM', () => {})
