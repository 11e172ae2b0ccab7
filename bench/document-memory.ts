import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { DocumentClient } from './document-client.ts'
import type { Say } from './stage.ts'

const STEP = 200

type Watching = { documents: number; pid: number; say: Say }

/** What the product holds while documents are set one after the other. */
export async function watchDocumentMemory(client: DocumentClient, { documents, pid, say }: Watching): Promise<string> {
  const series = [await residentMegabytes(pid)]
  for (let done = 0; done < documents; done += STEP) {
    await client.getCertificates((count) => count >= STEP)
    series.push(await residentMegabytes(pid))
    say(`  ${done + STEP} documents: ${series.at(-1)?.toFixed(0)} MB`)
  }
  return `resident memory after each ${STEP} certificates: ${series.map((value) => value.toFixed(0)).join(' ')} MB`
}

async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1_024
}
