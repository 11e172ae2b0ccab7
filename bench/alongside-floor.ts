import assert from 'node:assert/strict'
import type { Round } from './drive.ts'
import { type Operation, operationsOn } from './operations.ts'
import type { Part } from './part.ts'
import { median, spread, table } from './report.ts'
import type { Say } from './stage.ts'
import { walletOperationsOn } from './wallet-operations.ts'

const NAMES = [
  'list policies',
  'issue token',
  'create wallet new',
  'create wallet again',
  'wallet status',
  'refresh wallet tokens',
]

const WARM_UP_SECONDS = 3

/** Measures how many requests per second the product serves, alongside a minimal server that returns the same bytes. */
export const besideFloor: Part = {
  name: 'operations',
  is: 'requests a second, alongside a floor: bare node:http and pg, the same statements and the same bytes',
  within: NAMES,
  async run(context, { rounds, seconds, isSelected }) {
    const { stage, tenant, say } = context
    const all = [...operationsOn(tenant, stage), ...(await walletOperationsOn(context))]
    assert.deepEqual(
      all.map(({ name }) => name),
      NAMES,
    )
    const asked = all.filter(({ name }) => isSelected(name))
    const operations = asked.length > 0 ? asked : all
    const floor = await stage.start('floor')
    for (const operation of operations) await operation.check()
    say('product and floor return the same bytes')

    const figures: Figures[] = []
    for (const operation of operations) {
      say(`${operation.name}: ${rounds} rounds of ${seconds} s each for product and floor`)
      figures.push(await measure(operation, { ...stage, rounds, seconds, say }))
      await operation.checkAfterwards?.()
    }
    await tenant.checkNothingWasWritten()
    await floor.stop()
    return report(figures)
  },
}

type Figures = { name: string; product: Round[]; floor: Round[] }
type Plan = { productUrl: string; floorUrl: string; rounds: number; seconds: number; say: Say }

/** Measures product and floor in turn, so that other load affects both. */
async function measure({ name, load }: Operation, plan: Plan): Promise<Figures> {
  const { productUrl, floorUrl, rounds, seconds, say } = plan
  for (const url of [productUrl, floorUrl]) await load(url, WARM_UP_SECONDS)
  const figures: Figures = { name, product: [], floor: [] }
  for (let round = 1; round <= rounds; round++) {
    const product = await load(productUrl, seconds)
    const floor = await load(floorUrl, seconds)
    assert(!product.isDry && !floor.isDry, `${name}: too little was prepared for ${seconds} s`)
    figures.product.push(product)
    figures.floor.push(floor)
    say(`  round ${round}: product ${product.perSecond.toFixed(0)}, floor ${floor.perSecond.toFixed(0)} requests/s`)
  }
  return figures
}

/** Formats the table. Ratios above 1 mean that the product is faster. */
function report(figures: Figures[]): string {
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
