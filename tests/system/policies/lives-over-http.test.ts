import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Body } from '../../support/app.ts'
import { beginStory } from '../stories/company.ts'
import { dayOf, FIRST, LifeOnWall, numberOf, WALL, WINDOW_DAYS } from './days-model.ts'

const LIVES = 50

const { t, partner, insurer, on, person, insured } = await beginStory()

const ACTS = ['join', 'join', 'leave', 'leave', 'accept', 'accept', 'refuse', 'takeBack', 'correct', 'issue'] as const
const lives = fc.array(
  fc.record({ act: fc.constantFrom(...ACTS), who: fc.nat(2), wait: fc.nat(45), distance: fc.nat(40) }),
  { minLength: 3, maxLength: 8 },
)

type Waiting = { id: string; kind: 'JOIN' | 'LEAVE'; on: number }

/** A policy that is only known by the API, and the same on a wall. */
class LifeOverHttp {
  today = FIRST
  readonly wall = new LifeOnWall(true, [true, true, false])
  readonly waiting = new Map<number, Waiting>()
  readonly named: number[] = []
  path = ''
  policy = ''
  ids: string[] = []

  async begin(): Promise<void> {
    await on(dayOf(FIRST))
    const asha = await person('Ravi', 'Mira', 'Tara')
    this.path = asha.path
    this.ids = asha.children
    this.policy = await insured(asha.path, asha.children.slice(0, 2), { start_date: dayOf(FIRST) })
    this.wall.isIssued = true
  }

  /** Waits; a term that would be over is renewed in its window, as its insurer does. */
  async wait(days: number): Promise<void> {
    const until = Math.min(this.today + days, WALL.length - 800)
    if (until > this.wall.termEnd()) {
      await this.at(this.wall.termEnd() - WINDOW_DAYS)
      await this.issue()
      this.wall.bought++
    }
    await this.at(until)
  }

  async at(day: number): Promise<void> {
    this.today = Math.max(this.today, day)
    await on(dayOf(this.today))
  }

  async issue(): Promise<void> {
    const { persons_version } = await insurer('GET', `${this.policy}/status`)
    await insurer('PUT', `${this.policy}/status`, { status: 'ISSUED', persons_version })
    this.wall.settle(true)
    this.waiting.clear()
  }

  member = (who: number, days: object) => partner('PUT', `${this.policy}/members/${this.ids[who]}`, days)

  async ask(who: number, kind: Waiting['kind'], day: number): Promise<void> {
    await this.member(who, { [kind === 'JOIN' ? 'from' : 'to']: dayOf(day) })
    const { data } = await insurer('GET', '/v1/endorsements?state=REQUESTED&limit=100')
    const [asked] = data.filter(
      (one: Body) =>
        one.kind === kind && this.policy.endsWith(one.insurance_policy_id) && one.person_id === this.ids[who],
    )
    assert(asked && asked.on === dayOf(day))
    this.waiting.set(who, { id: asked.id, kind, on: day })
    this.named.push(day)
  }

  /** Does it to the first person from this one that it fits. */
  async playOfAny(act: (typeof ACTS)[number], first: number, distance: number): Promise<boolean> {
    for (const offset of [0, 1, 2]) if (await this.play(act, (first + offset) % 3, distance)) return true
    return false
  }

  /** Does what can be done now; returns false where the act does not fit. */
  async play(act: (typeof ACTS)[number], who: number, distance: number): Promise<boolean> {
    const one = this.wall.people[who]
    const waiting = this.waiting.get(who)
    assert(one)
    const day = this.today + distance
    const isOpen = one.days === undefined || one.days.at(-1) === 1
    switch (act) {
      case 'join':
        if (one.days !== undefined || waiting || day > this.wall.termEnd()) return false
        await this.ask(who, 'JOIN', day)
        one.join = { on: day, isOfSameTime: false }
        return true
      case 'leave':
        if (one.days === undefined || !isOpen || waiting || day > this.wall.termEnd() || one.days[day] !== 1)
          return false
        await this.ask(who, 'LEAVE', day)
        this.wall.leave(one, day)
        return true
      case 'accept':
        if (!waiting) return false
        await insurer('PUT', `/v1/endorsements/${waiting.id}/state`, { state: 'ACCEPTED' })
        if (waiting.kind === 'JOIN') this.wall.accept(one, waiting.on)
        this.waiting.delete(who)
        return true
      case 'refuse':
        if (waiting?.kind !== 'JOIN') return false
        await insurer('PUT', `/v1/endorsements/${waiting.id}/state`, { state: 'REFUSED', reason: 'Too old' })
        one.join = undefined
        this.waiting.delete(who)
        return true
      case 'takeBack':
        if (!waiting) return false
        await this.member(who, waiting.kind === 'JOIN' ? { from: null } : { to: null })
        if (waiting.kind === 'JOIN') one.join = undefined
        else one.days?.fill(1, waiting.on + 1)
        this.waiting.delete(who)
        return true
      case 'correct': {
        const { id } = await partner('PATCH', `${this.path}/dependants/${this.ids[who]}`, {
          first_name: `Asha ${this.today} ${who}`,
        })
        if (id === this.ids[who]) return false
        this.ids[who] = id
        return true
      }
      case 'issue': {
        const { status } = await insurer('GET', `${this.policy}/status`)
        if (status !== 'REQUIRES_POLICY_REISSUANCE') return false
        await this.issue()
        return true
      }
    }
  }

  /** Coverage, members and record say what the wall says, on each named day and those next to it. */
  async compare(): Promise<void> {
    const around = [this.today, this.wall.termEnd(), ...this.named].flatMap((day) => [day - 1, day, day + 1])
    const { data: members } = await insurer('GET', `${this.policy}/members`)
    for (const day of new Set(around.filter((one) => one >= FIRST && one < WALL.length))) {
      const { data } = await partner('GET', `${this.path}/coverage?on=${dayOf(day)}`)
      for (const [who, one] of this.wall.people.entries()) {
        const where = `${who} on ${dayOf(day)}, today ${dayOf(this.today)}`
        const row = data.find(({ id }: Body) => id === this.ids[who])
        const expected = this.wall.coverage(one, day, this.today)
        assert.deepEqual({ reason: row.reason, covered: row.covered }, expected, where)
        const isListed = members.some(
          ({ id, from, to }: Body) =>
            id === this.ids[who] && from !== null && numberOf(from) <= day && (to === null || day <= numberOf(to)),
        )
        assert.equal(isListed, one.days?.[day] === 1, `listed: ${where}`)
      }
    }
    const { dependant_ids } = await partner('GET', this.policy)
    const isOn = this.wall.people.flatMap(({ days }, who) => (days?.[this.today] === 1 ? [this.ids[who]] : []))
    assert.deepEqual(new Set(dependant_ids), new Set(isOn), `today ${dayOf(this.today)}`)
  }
}

describe('a policy over HTTP, against a calendar on a wall', () => {
  it('coverage, members and record agree on every named day of fifty random lives', async () => {
    const reached = new Map<string, number>()
    const random = fc.sample(lives, { numRuns: LIVES })
    for (const acts of random) {
      const life = new LifeOverHttp()
      await life.begin()
      for (const { act, who, wait, distance } of acts) {
        await life.wait(wait)
        if (!(await life.playOfAny(act, who, distance))) continue
        reached.set(act, (reached.get(act) ?? 0) + 1)
        await life.compare()
      }
    }
    for (const act of ACTS) assert((reached.get(act) ?? 0) > 2, `${act}: ${reached.get(act)}`)
    t.calendar.at = undefined
  })
})
