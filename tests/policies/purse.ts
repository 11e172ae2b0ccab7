import { addDays, type Day } from '../../src/kernel/date.ts'

export const FIRST: Day = '2027-04-01'
/** Days of a purse; the first is a while before the first cover. */
const LENGTH = 500
const dayAt = (index: number): Day => addDays(FIRST, index)

/**
 * What a deposit holds on each day, as anybody would write it into a calendar: an amount is added to its day and to every later one. Written without the functions
 * that are tried.
 */
export class Purse {
  readonly days: number[] = Array.from({ length: LENGTH }, () => 0)
  /** Every amount, as it was written. */
  readonly written: { on: number; paise: number }[] = []

  add(on: number, paise: number): void {
    this.written.push({ on, paise })
    for (let day = on; day < LENGTH; day++) this.days[day] = (this.days[day] ?? 0) + paise
  }

  get balance(): number {
    return this.days.at(-1) ?? 0
  }

  holds(paise: number, from: number, today: number): boolean {
    for (let day = from; day <= today; day++) if ((this.days[day] ?? 0) < paise) return false
    return true
  }

  /** Returns the first day from `from` on since which it holds an amount, today at the latest; undefined where it does not today. */
  heldFrom(paise: number, from: number, today: number): number | undefined {
    for (let day = Math.min(from, today); day <= today; day++) if (this.holds(paise, day, today)) return day
    return undefined
  }

  /** The same as the functions read it: the balance, and what each day after one adds up to. */
  asHeld(after: number) {
    const sums = new Map<number, number>()
    for (const { on, paise } of this.written) if (on > after) sums.set(on, (sums.get(on) ?? 0) + paise)
    const days = [...sums].toSorted(([a], [b]) => a - b).map(([on, paise]) => ({ on: dayAt(on), paise }))
    return { balancePaise: this.balance, days }
  }
}

export { dayAt }
