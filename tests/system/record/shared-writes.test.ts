import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Database } from '../../../src/kernel/db/database.ts'
import { openTestApp } from '../../support/app.ts'
import { type CallRequest, prepareWorlds, type World, world } from '../../record/worlds.ts'

const RUNS = 4
const SEED = 20_260_401
/** Enough to share statements. With more, calls on a slow machine wait so long that they get a 503. */
const WORLDS_TOGETHER = 16
const WARM_UP = 20
const WORLDS_AT_ONCE = { minLength: 50, maxLength: 80, size: 'max' } as const

/** The number of calls that shared a statement, by its name. */
const shared: Record<string, number> = {}

function watched(db: Database): Database {
  return {
    ...db,
    query: (step, values = []) => {
      const [first] = values // of a shared write all calls as JSON, of a shared read an array
      const isShared = step.name.endsWith('_many') && typeof first === 'string'
      const calls = isShared ? (JSON.parse(first) as unknown[]).length : 0
      if (calls > 1) shared[step.name] = (shared[step.name] ?? 0) + calls
      return db.query(step, values)
    },
  }
}

const t = await openTestApp({ own: true })
const together = [await t.openNode({ watched }), await t.openNode({ watched })]
const alone = await t.openNode({ batching: false })
const { begin, ask, outcomeOf } = await prepareWorlds(t)

/** The clock is set, so that the ten seconds of a refresh token's predecessor do not end on a slow machine. */
t.clock.at = new Date()
after(() => void (t.clock.at = undefined))

/** The final state of worlds whose calls run concurrently, through two processes that share statements. */
async function outcomesTogether(worlds: World[]): Promise<string[]> {
  const outcomes: string[] = []
  for (let first = 0; first < worlds.length; first += WORLDS_TOGETHER) {
    outcomes.push(...(await outcomesOfSome(worlds.slice(first, first + WORLDS_TOGETHER))))
  }
  return outcomes
}

async function outcomesOfSome(worlds: World[]): Promise<string[]> {
  const begun = await Promise.all(worlds.map(async (one) => ({ ...one, scene: await begin(one) })))
  const calls = begun.flatMap(({ calls: request, scene }) => request.map((one) => ({ request: one, scene })))
  const reported = await Promise.all(
    calls.map(async ({ request, scene }, index) => {
      const { call } = together[index % together.length] ?? alone
      return { scene, request, response: await ask(call, scene, request) }
    }),
  )
  return Promise.all(
    begun.map(({ scene }) =>
      outcomeOf(
        scene,
        reported.filter((one) => one.scene === scene),
      ),
    ),
  )
}

/** Of worlds with the same calls: the final states found so far, and the orders of the calls that have not been tried. */
type Possible = { outcomes: string[]; untried: CallRequest[][] }
const known = new Map<string, Possible>()

/**
 * Asserts that this is the final state of a world for some order of its calls, one after another, each in a statement of its own.
 * Orders are tried only until one is found.
 */
async function assertPossible(one: World, outcome: string): Promise<void> {
  const key = JSON.stringify({ ...one, calls: one.calls.map((request) => JSON.stringify(request)).toSorted() })
  const possible = known.get(key) ?? { outcomes: [], untried: orders(one.calls) }
  known.set(key, possible)
  while (!possible.outcomes.includes(outcome)) {
    const calls = possible.untried.shift()
    const others = () => possible.outcomes.join('\n\nor\n')
    assert(calls, `${JSON.stringify(one)}\n\nis\n${outcome}\n\nand not\n${others()}`)
    possible.outcomes.push(await outcomeOneByOne({ ...one, calls }))
  }
}

async function outcomeOneByOne(one: World): Promise<string> {
  const scene = await begin(one)
  const reported = []
  for (const request of one.calls) reported.push({ request, response: await ask(alone.call, scene, request) })
  return outcomeOf(scene, reported)
}

/** The different orders of these, the present one first. */
function orders(calls: CallRequest[]): CallRequest[][] {
  if (calls.length <= 1) return [calls]
  const all = calls.flatMap((call, index) => orders(calls.toSpliced(index, 1)).map((rest) => [call, ...rest]))
  return [...new Map(all.map((order) => [JSON.stringify(order), order])).values()]
}

describe('calls that share statements', () => {
  it('return and store what they would one by one in some order', async () => {
    const property = fc.asyncProperty(fc.array(world, WORLDS_AT_ONCE), async (worlds) => {
      const outcomes = await outcomesTogether(worlds)
      for (const [index, one] of worlds.entries()) await assertPossible(one, outcomes[index] ?? '')
    })
    // The first run of code is slow, and calls that wait long get a 503: so the first batch is not checked.
    await outcomesTogether(fc.sample(world, { numRuns: WARM_UP, seed: SEED }))
    await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true })
  })

  it('do share them in this test', () => {
    const names = [
      'users_insert',
      'users_update_profile',
      'refresh_families_rotate',
      'insurance_policies_enrol',
      'insurance_policies_change',
      'consultation_messages_insert',
    ]
    for (const name of names) {
      assert((shared[`${name}_many`] ?? 0) > 1, `no two calls shared ${name}`)
    }
  })
})
