import type { DocumentClient } from './document-client.ts'
import type { Documents } from './issue-policies.ts'
import { residentMegabytes } from './process-figures.ts'
import { median, target } from './report.ts'
import type { Say } from './stage.ts'

/** Until a busy process has grown its heap, whatever it serves: V8 lets it reach some 200 MB before it collects. */
const WARM_UP_REQUESTS = 10_000
const WARM_UP_DOCUMENTS = 400
const STEP = 200
/** Readings of a steady process differ by up to 10 MB. */
const GROWTH_MAX_MB = 16

type WatchOptions = { count: number; pid: number; say: Say }

/**
 * Watches the product's memory while certificates are typeset one at a time. Compares the later half of the readings
 * with the earlier, alongside the growth expected if every document leaked its own bytes.
 */
export async function watchDocumentMemory(client: DocumentClient, { count, pid, say }: WatchOptions): Promise<string> {
  say(`memory: ${WARM_UP_REQUESTS} requests that set nothing, then ${WARM_UP_DOCUMENTS} certificates to warm up`)
  for (let done = 0; done < WARM_UP_REQUESTS; done++) await client.getUnchanged(client.policies[0] as Documents)
  await client.getCertificates((done) => done >= WARM_UP_DOCUMENTS)

  const series = [residentMegabytes(pid)]
  while ((series.length - 1) * STEP < count) {
    await client.getCertificates((done) => done >= STEP)
    series.push(residentMegabytes(pid))
    say(`  ${(series.length - 1) * STEP} certificates: ${series.at(-1)?.toFixed(0)} MB`)
  }

  const half = Math.floor(series.length / 2)
  const grown = median(series.slice(-half)) - median(series.slice(0, half))
  const left = ((series.length - half) * STEP * client.certificateBytes) / 1_024 ** 2
  return [
    `resident memory before and after each ${STEP} certificates: ${series.map((mb) => mb.toFixed(0)).join(' ')} MB`,
    `grown by ${grown.toFixed(0)} MB; by ${left.toFixed(0)} MB if each left its own bytes behind`,
    target(`under ${GROWTH_MAX_MB} MB`, grown < GROWTH_MAX_MB),
  ].join('\n')
}
