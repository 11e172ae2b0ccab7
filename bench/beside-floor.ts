import assert from 'node:assert/strict'
import { type Figures, measure, report } from './full-load.ts'
import { operationsOn } from './operations.ts'
import type { Part } from './part.ts'
import { walletOperationsOn } from './wallet-operations.ts'

const NAMES = [
  'list policies',
  'issue token',
  'create wallet new',
  'create wallet again',
  'wallet status',
  'refresh wallet tokens',
]

/** How many requests a second the product answers, beside a floor that answers the same bytes. */
export const besideFloor: Part = {
  name: 'operations',
  is: 'requests a second, beside a floor: bare node:http and pg, the same statements and the same bytes',
  within: NAMES,
  async run(ground, { rounds, seconds, isAsked }) {
    const { stage, tenant, say } = ground
    const all = [...operationsOn(tenant, stage), ...walletOperationsOn(ground)]
    assert.deepEqual(
      all.map(({ name }) => name),
      NAMES,
    )
    const asked = all.filter(({ name }) => isAsked(name))
    const operations = asked.length > 0 ? asked : all
    const floor = await stage.start('floor')
    for (const operation of operations) await operation.check()
    say('product and floor answer the same bytes')

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
