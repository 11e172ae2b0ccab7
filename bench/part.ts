import type { Tenant } from './fill.ts'
import type { Closers } from './processes.ts'
import type { Say, Stage } from './stage.ts'

export type Options = {
  rounds: number
  seconds: number
  documents: number
  /** Whether a part or an operation of this name is wanted. */
  isAsked(name: string): boolean
  profile: string | undefined
}

/** What every part works on. */
export type Ground = { stage: Stage; tenant: Tenant; closers: Closers; say: Say }

/** One promise about speed, or several of a kind. */
export type Part = {
  name: string
  /** A line for the help. */
  is: string
  /** Names within the part, by which it can be asked for too. */
  within?: readonly string[]
  /** The lines of the report. Fails when something did not work, never because it was slow. */
  run(ground: Ground, options: Options): Promise<string>
}
