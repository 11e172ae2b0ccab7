import { daysFrom } from '../../support/days.ts'

/** A calendar on a wall: its days have numbers, and a person crosses out those on which nobody is covered. */
export const WALL = daysFrom('2026-01-01', '2032-12-31')
const NUMBERS = new Map(WALL.map((day, number) => [day, number]))
export const numberOf = (day: string): number => NUMBERS.get(day) as number
export const dayOf = (number: number): string => WALL[number] as string

export const GRACE_DAYS = 30
export const WINDOW_DAYS = 30
export const FIRST = numberOf('2026-04-01')
export const ENROLLED = FIRST - 20
const TERM_ENDS = [2027, 2028, 2029, 2030, 2031].map((year) => numberOf(`${year}-03-31`))

/** Who is asked for, is on it on some days, or was never. */
export type PersonOnWall = {
  /** Each day of the wall on which the person is on the policy; undefined for somebody who was never accepted. */
  days: Uint8Array | undefined
  join: { on: number; isOfSameTime: boolean } | undefined
  /** The last day before a leave that is not accepted yet; `to` undefined where there was none. */
  leave: { before: number } | undefined
}

export class LifeOnWall {
  isIssued = false
  isRejected = false
  bought = 1
  endsOn: number | undefined
  /** The end was named once the policy was over, or on a day that was over. */
  isNamedLate = false
  endedOn: number | undefined
  missedOn: number | undefined
  readonly people: PersonOnWall[]
  readonly isGraceCovered: boolean

  constructor(isGraceCovered: boolean, asked: readonly boolean[]) {
    this.isGraceCovered = isGraceCovered
    this.people = asked.map((isAsked) => ({
      days: isAsked ? this.always() : undefined,
      join: undefined,
      leave: undefined,
    }))
  }

  always = () => new Uint8Array(WALL.length).fill(1)

  termEnd = () => TERM_ENDS[this.bought - 1] as number
  canRenew = () => this.bought < TERM_ENDS.length
  isMissed = () => this.missedOn !== undefined && this.missedOn < this.termEnd()
  firstOfGrace = () => (this.isMissed() ? (this.missedOn as number) : this.termEnd() + 1)

  /** The last day on which anybody is covered, grace included. */
  last(): number {
    if (this.isNamedLate && this.endsOn !== undefined) return this.endsOn
    const grace = (this.isMissed() ? (this.missedOn as number) : this.termEnd()) + GRACE_DAYS
    return Math.min(grace, this.endsOn ?? WALL.length, (this.endedOn ?? WALL.length) - 1)
  }

  isOver = (today: number) => this.isIssued && this.last() < today

  /** What nobody decided any more is dropped; a last day stays. */
  settle(isAccepted: boolean): void {
    for (const person of this.people) {
      if (person.join && isAccepted) this.accept(person, person.join.on)
      person.join = undefined
      person.leave = undefined
    }
  }

  /** The last day that is not crossed out. */
  static lastOf({ days }: PersonOnWall): number | undefined {
    const last = days?.lastIndexOf(1) ?? -1
    return last === -1 ? undefined : last
  }

  accept(person: PersonOnWall, on: number): void {
    const days = person.days ?? new Uint8Array(WALL.length)
    let [from, to] = [on, WALL.length - 1]
    if (person.join?.isOfSameTime) {
      to = days.lastIndexOf(1)
      for (from = to; days[from] === 1; from--) days[from] = 0
      from = on
    }
    if (from <= to) days.fill(1, from, to + 1)
    person.days = days
    person.join = undefined
  }

  /** Moves the last day of the last time of a person. */
  leave(person: PersonOnWall, to: number): void {
    const days = person.days as Uint8Array
    const last = days.lastIndexOf(1)
    if (to < last) days.fill(0, to + 1)
    else days.fill(1, last, to + 1)
  }

  /** What is to be said of a person on a day. */
  coverage(person: PersonOnWall | undefined, day: number, today: number): { reason: string; covered: boolean | null } {
    if (day < ENROLLED && day < FIRST && day < today) return { reason: 'unknown', covered: null }
    return this.known(person, day)
  }

  private known(person: PersonOnWall | undefined, day: number) {
    const no = (reason: string) => ({ reason, covered: false })
    if (person && person.days === undefined) return no('not_named')
    if (!this.isIssued) return no(this.isRejected ? 'expired' : 'awaiting_issue')
    const isOn = (one: number) => one >= FIRST && one <= this.last() && (person?.days?.[one] ?? 1) === 1
    const grace = this.firstOfGrace()
    if (isOn(day))
      return day < grace ? { reason: 'in_force', covered: true } : { reason: 'in_grace', covered: this.isGraceCovered }
    for (let one = Math.max(day, FIRST); one <= this.last(); one++) {
      if (isOn(one) && (one < grace || this.isGraceCovered)) return no('not_started')
    }
    return no('expired')
  }
}
