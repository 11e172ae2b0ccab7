import type { Tenant } from './fill.ts'
import type { Machine } from './performance-page.ts'
import type { Closers } from './processes.ts'
import type { Say, Stage } from './stage.ts'

export type Options = {
  rounds: number
  seconds: number
  documents: number
  /** Returns true when a part or an operation of this name is selected. */
  isSelected(name: string): boolean
  processes: number
}

/** The context of every part. */
export type BenchContext = { stage: Stage; tenant: Tenant; closers: Closers; say: Say }

/** The context of what is measured on a database of its own. */
export type ModeContext = { closers: Closers; say: Say; machine: Machine }

/** A measurement of one or more performance targets. */
export type Part = {
  name: string
  /** A line of the help. */
  is: string
  /** The operations of the part, which can be selected too. */
  within?: readonly string[]
  /** Returns the report. Throws when something did not work, never because it was slow. */
  run(context: BenchContext, options: Options): Promise<string>
}
