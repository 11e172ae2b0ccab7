import type { Context } from './member.ts'
import type { Say, Stage } from './stage.ts'

/** What a run counts beside its traffic. */
export type Figures = {
  /** How often each fault struck. */
  strikes: Map<string, number>
  hotWrites: { asked: number; done: number } | undefined
}

/** What a scenario works on. */
export type Ground = { stage: Stage; context: Context; figures: Figures; strikes: number; say: Say }

/** A way to try the program. What it writes is checked at the end, with all the others. */
export type Scenario = { name: string; is: string; run(ground: Ground): Promise<void> }
