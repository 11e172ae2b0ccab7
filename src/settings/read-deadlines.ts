import type { Day } from '../kernel/date.ts'
import type { DaysFrom } from '../kernel/settings/setting.ts'
import type { LIMIT_SETTINGS } from './limit-settings.ts'

/** The days in which somebody should act, each with its setting. */
const SETTING_OF = {
  decision: 'DECISION_DAYS',
  issue: 'ISSUE_DAYS',
  freeLook: 'FREE_LOOK_DAYS',
} as const satisfies Record<string, keyof typeof LIMIT_SETTINGS>

/** Numbers of days, with the day from which each holds. */
export type Deadlines = Readonly<Record<keyof typeof SETTING_OF, readonly DaysFrom[]>>

type DaysReading = { days: (name: (typeof SETTING_OF)[keyof Deadlines]) => readonly DaysFrom[] }

export function readDeadlines({ days }: DaysReading): Deadlines {
  const deadlines = Object.entries(SETTING_OF).map(([deadline, name]) => [deadline, days(name)])
  return Object.freeze(Object.fromEntries(deadlines)) as Deadlines
}

/** Returns the number of days that holds for what begins on this day. */
export const daysFor = (deadline: readonly DaysFrom[], day: Day): number =>
  deadline.findLast(({ from }) => from === null || from <= day)?.days ?? 0
