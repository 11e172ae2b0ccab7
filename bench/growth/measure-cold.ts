import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { ask, type Request } from '../ask.ts'
import { quantile } from '../report.ts'
import type { Say } from '../stage.ts'
import type { GrowthRequest } from './growth-requests.ts'
import { table } from '../../tools/reference/markdown.ts'

const REQUESTS = 500
const SYSTEM_CACHE = '/proc/sys/vm/drop_caches'
const PAGE_CACHE = '1'

/**
 * Measures requests one after another when none of the users' rows is in memory, then the same ones again. The
 * database's own buffers, of 128 MB, keep the upper levels of the indexes. Returns nothing where the system's cache
 * cannot be emptied: that takes root.
 */
export async function measureCold(url: string, requests: GrowthRequest[], say: Say): Promise<string | undefined> {
  const rows: string[][] = []
  for (const { name, status, usesUp, make } of requests) {
    if (usesUp) continue
    const same = Array.from({ length: REQUESTS }, make)
    const isEmptied = await writeFile(SYSTEM_CACHE, PAGE_CACHE).then(
      () => true,
      () => false,
    )
    if (!isEmptied) return undefined
    const [cold, warm] = [await times(url, same, status), await times(url, same, status)]
    const cells = [cold, warm].flatMap((took) => [0.5, 0.99].map((share) => quantile(took, share).toFixed(1)))
    say(`${name}, from storage: p50 ${cells[0]} ms, then ${cells[2]} ms`)
    rows.push([name, ...cells])
  }
  const head = ['one after another', 'p50 ms from storage', 'p99 ms', 'p50 ms from memory', 'p99 ms']
  return table(head, rows)
}

async function times(url: string, requests: Request[], status: number): Promise<number[]> {
  const took: number[] = []
  for (const request of requests) {
    const from = performance.now()
    const response = await ask(url, request)
    took.push(performance.now() - from)
    assert.equal(response.status, status, response.text)
  }
  return took
}
