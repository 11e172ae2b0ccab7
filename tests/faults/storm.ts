import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from './faults.ts'
import type { ScenarioContext } from './scenario-context.ts'
import { startLoad } from './load.ts'

/** Some faults hit a system still recovering from the previous one, others a healthy one. */
const PAUSE_MS_MIN = 100
const PAUSE_MS_MAX = 4_000
const TRIES_PER_STRIKE = 3

/** Applies faults one after the other, with the probabilities of their weights, while clients work. */
export const storm = (faults: Fault[]) => async (ground: ScenarioContext) => {
  const { stage, context, strikes, say } = ground
  const load = await startLoad(context)
  try {
    const random = context.random.fork('faults')
    for (let strike = 1, tries = 0; strike <= strikes && tries < strikes * TRIES_PER_STRIKE; tries++) {
      await sleep(random.between(PAUSE_MS_MIN, PAUSE_MS_MAX))
      const fault = random.weighted(faults)
      if (!(await fault.strike(stage, random))) continue
      ground.figures.strikes.set(fault.name, (ground.figures.strikes.get(fault.name) ?? 0) + 1)
      const { acknowledged, unknown } = context.journal.counts()
      say(`${strike++} of ${strikes}: ${fault.name}; ${acknowledged} writes acknowledged, ${unknown} unknown`)
    }
    await stage.heal()
  } finally {
    await load.stop()
  }
}
