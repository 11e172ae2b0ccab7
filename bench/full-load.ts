import autocannon, { type Client } from 'autocannon'
import type { Request } from './ask.ts'
import type { Operation } from './operations.ts'
import { median, spread, table } from './report.ts'
import type { Say } from './stage.ts'

export const CONNECTIONS = 64
const WARM_UP_SECONDS = 3

type Round = { answers: number; perSecond: number; p99Ms: number }
export type Figures = { name: string; product: Round[]; floor: Round[] }
/** Runs one round against a server. */
export type Load = (url: string, seconds: number) => Promise<Round>

/** Each connection asks for users of its own, in an order without pattern. */
export function loadFrom(requests: Request[]): Load {
  const shuffled = shuffle(requests)
  const share = Math.floor(shuffled.length / CONNECTIONS)
  const shares = Array.from({ length: CONNECTIONS }, (_, place) => shuffled.slice(place * share, (place + 1) * share))
  return (url, seconds) => {
    let place = 0
    return run(url, seconds, (client) => client.setRequests(shares[place++ % CONNECTIONS] as Request[]))
  }
}

/** One round; `setupClient` is called once a connection. */
export async function run(url: string, seconds: number, setupClient: (client: Client) => void): Promise<Round> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, setupClient })
  const { non2xx, errors, timeouts, '2xx': answers } = result
  if (non2xx + errors + timeouts > 0 || answers === 0) {
    const statuses = JSON.stringify(result.statusCodeStats)
    throw new Error(`${url} answered ${statuses}, ${errors} requests failed, ${timeouts} timed out`)
  }
  return { answers, perSecond: result.requests.average, p99Ms: result.latency.p99 }
}

function shuffle<T>(list: T[]): T[] {
  return list
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

type Plan = { productUrl: string; floorUrl: string; rounds: number; seconds: number; say: Say }

/** Product and floor in turn, so that whatever else the machine does meets both. */
export async function measure({ name, load }: Operation, plan: Plan): Promise<Figures> {
  const { productUrl, floorUrl, rounds, seconds, say } = plan
  for (const url of [productUrl, floorUrl]) await load(url, WARM_UP_SECONDS)
  const figures: Figures = { name, product: [], floor: [] }
  for (let round = 1; round <= rounds; round++) {
    const product = await load(productUrl, seconds)
    const floor = await load(floorUrl, seconds)
    figures.product.push(product)
    figures.floor.push(floor)
    say(`  round ${round}: product ${product.perSecond.toFixed(0)}, floor ${floor.perSecond.toFixed(0)} requests/s`)
  }
  return figures
}

/** The table. Ratios above 1 mean that the product is the faster one. */
export function report(figures: Figures[]): string {
  const head = ['operation', 'product req/s', 'floor req/s', 'ratio', 'ratio by round', 'p99 product', 'p99 floor']
  const lines = figures.map(({ name, product, floor }) => {
    const ratios = product.map(({ perSecond }, round) => perSecond / (floor[round] as Round).perSecond)
    const [ours, theirs] = [product, floor].map((all) => all.map(({ perSecond }) => perSecond)) as [number[], number[]]
    return [
      name,
      spread(ours, 0),
      spread(theirs, 0),
      (median(ours) / median(theirs)).toFixed(2),
      spread(ratios, 2),
      ...[product, floor].map((all) => `${median(all.map(({ p99Ms }) => p99Ms)).toFixed(0)} ms`),
    ]
  })
  return table(head, lines)
}
