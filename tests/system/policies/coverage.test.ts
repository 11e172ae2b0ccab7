import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { listCoverage } from '../../../src/domains/cover/coverage/list-coverage.ts'
import { RESULT_OF, timesOfCard } from '../../../src/domains/cover/documents/check-card.ts'
import { presentMembers } from '../../../src/domains/cover/endorsements/present-members.ts'
import { ALWAYS, coverageOn } from '../../../src/domains/cover/policies/coverage-on.ts'
import { calendarChange } from '../../../src/domains/cover/policies/set-policy-status.ts'
import { afterCalendar, isOver, nextDayOf } from '../../../src/domains/cover/policies/states.ts'
import { dayOf, ENROLLED, FIRST, type LifeOnWall, numberOf, WALL } from './days-model.ts'
import { ACTS, by, Life } from './life-of-policy.ts'

const LIVES = 10_000

function interesting({ wall, today }: Life): number[] {
  const days = [today, FIRST, ENROLLED, wall.termEnd(), wall.last(), wall.firstOfGrace()]
  const named = [wall.endsOn, wall.missedOn, wall.endedOn].filter((day) => day !== undefined)
  const edges = wall.people.flatMap(({ days: own }) =>
    own ? [own.indexOf(1), own.lastIndexOf(1), own.indexOf(0), own.lastIndexOf(0)] : [],
  )
  const all = [...days, ...named, ...edges].flatMap((day) => [day - 1, day, day + 1])
  return [...new Set(all)].filter((day) => day >= 0 && day < WALL.length)
}

/** All that says who is covered says the same as the wall, on each day on which something changes and those next to it. */
function compare(life: Life): void {
  const { policy, wall, expiry, day: today, lines } = life
  const versions = lines.flatMap((line) => line.map((id, index) => ({ id, previous: line[index - 1] ?? null })))
  const stored = { ...policy, enrolledOn: dayOf(ENROLLED), expiry }
  const family = { policies: [stored], versions }
  const members = presentMembers(policy).data
  const { policy: now } = afterCalendar(policy, today)
  const people = [undefined, ...wall.people]
  for (const day of interesting(life)) {
    const asked = { userId: policy.userId, day: dayOf(day), today, dependantId: undefined, isNamedOnly: false }
    const rows = listCoverage(family, asked) ?? []
    for (const [index, person] of people.entries()) {
      const row = rows[index]
      const where = `of ${index} on ${dayOf(day)}, today ${today}`
      assert(row)
      const { reason, covered } = wall.coverage(person, day, life.today)
      assert.deepEqual({ reason: row.reason, covered: row.covered }, { reason, covered }, where)
      if (reason.startsWith('in_')) assert(String(row.from) <= dayOf(day) && dayOf(day) <= String(row.to), where)
      if (!person || policy.issue === 0) continue
      const line = lines[index - 1] as string[]
      const isListed = members.some(
        ({ id, from, to }) =>
          line.includes(id) && from !== null && from <= dayOf(day) && (to === null || dayOf(day) <= to),
      )
      const isOn = day >= FIRST && day <= (wall.endsOn ?? WALL.length) && person.days?.[day] === 1
      assert.equal(isListed, isOn, `listed ${where}`)
    }
  }
  for (const [who, person] of wall.people.entries()) {
    const isOn = person.days?.[life.today] === 1
    if (!isOver(now))
      assert.equal(now.dependantIds.includes(life.idOf(who)), isOn, `dependant_ids of ${who} on ${today}`)
    compareCard(life, person, who)
  }
}

function compareCard(
  { policy, wall, lines, snapshots, today, day }: Life,
  person: LifeOnWall['people'][number],
  who: number,
) {
  const line = lines[who] as string[]
  if (!snapshots.some(({ dependants }) => dependants.some(({ id }) => line.includes(id)))) return
  const { times } = timesOfCard(policy, line)
  for (const [one, own] of [
    [undefined, ALWAYS],
    [person, times],
  ] as const) {
    const { reason, covered } = coverageOn({ ...policy, enrolledOn: day }, own, { day, today: day })
    const expected = wall.coverage(one, today, today)
    assert.equal(RESULT_OF[reason], RESULT_OF[expected.reason as typeof reason], `card of ${who} on ${day}`)
    if (reason === 'in_grace') assert.equal(covered, expected.covered)
  }
}

/** Waits, with or without the calendar. */
function wait(life: Life, days: number, isLate: boolean): void {
  const until = Math.min(life.today + days, WALL.length - 500)
  for (;;) {
    const next = nextDayOf(life.policy)
    if (isLate || next === null || numberOf(next) > until) break
    life.today = Math.max(life.today, numberOf(next))
    const change = calendarChange(life, life.day, by({ kind: 'system', job: 'policy-calendar' }))
    assert(change)
    life.keep(change.result, change)
    compare(life)
  }
  life.today = until
}

const act = fc.record({
  act: fc.constantFrom(...Object.keys(ACTS), 'leave', 'leave', 'accept', 'takeBackLeave', 'join'),
  wait: fc.oneof({ weight: 4, arbitrary: fc.nat(25) }, fc.nat(150), fc.constant(0)),
  who: fc.nat(2),
  distance: fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer({ min: 0, max: 380 })),
})
const lives = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 14 }),
  isLate: fc.boolean(),
  isGraceCovered: fc.boolean(),
  isAsked: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()).map((all) => [...all]),
  isIssued: fc.nat(9).map((one) => one > 0),
})

describe('who is covered, against a calendar on a wall', () => {
  it('coverage, card, record, members and certificate agree on every day of interest of a random life', () => {
    const reached = Object.fromEntries(Object.keys(ACTS).map((name) => [name, 0])) as Record<string, number>
    fc.assert(
      fc.property(lives, ({ acts, isLate, isGraceCovered, isAsked, isIssued }) => {
        const life = new Life(isGraceCovered, isAsked)
        compare(life)
        if (isIssued) ACTS['issue']?.(life, 0, 0)
        for (const { act: name, wait: days, who, distance } of acts) {
          wait(life, days, isLate)
          if (ACTS[name]?.(life, who, distance)) reached[name] = (reached[name] as number) + 1
          compare(life)
        }
      }),
      { numRuns: LIVES },
    )
    for (const [what, times] of Object.entries(reached)) assert(times > 20, `${what}: ${times}`)
  })
})
