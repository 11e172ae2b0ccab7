import type { Context } from './member.ts'
import type { Say, Stage } from './stage.ts'

/** Counters of a run besides its traffic. */
export type Figures = {
  /** How often each fault occurred. */
  strikes: Map<string, number>
  hotWrites: { asked: number; done: number } | undefined
}

/** The context of a scenario. */
export type ScenarioContext = { stage: Stage; context: Context; figures: Figures; strikes: number; say: Say }

/** A way to try the program. Its writes are checked at the end, with all the others. */
export type Scenario = { name: string; is: string; run(ground: ScenarioContext): Promise<void> }
