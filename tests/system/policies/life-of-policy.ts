import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Caller } from '../../../src/access/caller.ts'
import type { PolicySnapshot } from '../../../src/domains/cover/documents/policy-snapshot.ts'
import { decideMember } from '../../../src/domains/cover/endorsements/decide-member.ts'
import type { PendingEndorsement } from '../../../src/domains/cover/endorsements/pending-store.ts'
import type { FoundEndorsement } from '../../../src/domains/cover/endorsements/records.ts'
import { decideEndorsement } from '../../../src/domains/cover/endorsements/set-endorsement-state.ts'
import { createSnapshot } from '../../../src/domains/cover/policies/create-snapshot.ts'
import { decideEnd, decideWithdrawal, type End } from '../../../src/domains/cover/policies/decide-end.ts'
import type { Policy } from '../../../src/domains/cover/policies/records.ts'
import { decidePolicyTransition } from '../../../src/domains/cover/policies/set-policy-status.ts'
import { afterCalendar, isOver, type PolicyStatus, storedDays } from '../../../src/domains/cover/policies/states.ts'
import { decidePropagation } from '../../../src/domains/cover/policy-propagation/decide-propagation.ts'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import type { Recorded } from '../../../src/record/index.ts'
import { AT, policies } from '../../policies/any-policy.ts'
import { dayOf, ENROLLED, FIRST, GRACE_DAYS, LifeOnWall, numberOf, WALL, WINDOW_DAYS } from './days-model.ts'

const FREE = { isArchived: false, isSponsorActive: true, others: [] }
const PARTIES = { sponsorName: 'S', providerName: 'P', providerAddress: null, providerColour: null, planName: null }
const PLATFORM = { kind: 'platform', platformId: 'plt_1' } as unknown as Caller
const PROVIDER = { kind: 'provider', benefitProviderId: 'bpr_1' } as unknown as Caller
const OWNER = { kind: 'owner', subject: 'test' } as unknown as Caller
export const by = (caller: Caller) => ({ caller, requestId: 'req_1', at: AT })
const BORN = '2015-08-02'

const [template] = fc.sample(policies, { numRuns: 1, seed: 1 })
assert(template)

/** A policy as it is stored, with what the history has of it, and the same on the wall. */
export class Life {
  policy: Policy
  end: End | null = null
  pending: PendingEndorsement[] = []
  asked = new Map<string, FoundEndorsement>()
  snapshots: PolicySnapshot[] = []
  /** The versions of each dependant. */
  lines: string[][] = [['dep_0'], ['dep_1'], ['dep_2']]
  expiry: { endedFrom: string | null; graceSince: string | null; isNamed: boolean } | undefined
  graceSince: string | null = null
  today = ENROLLED
  readonly wall: LifeOnWall

  constructor(isGraceCovered: boolean, isAsked: boolean[]) {
    this.wall = new LifeOnWall(isGraceCovered, isAsked)
    const dependantIds = this.lines.flatMap(([id], index) => (isAsked[index] ? [id as string] : []))
    this.policy = {
      ...(template as Policy),
      status: 'PENDING',
      coveredFrom: dayOf(FIRST),
      startDate: dayOf(FIRST),
      endDate: dayOf(this.wall.termEnd()),
      termMonths: 12,
      renewalWindowDays: WINDOW_DAYS,
      graceDays: GRACE_DAYS,
      graceCover: isGraceCovered ? 'FULL' : 'NONE',
      graceUntil: null,
      issue: 0,
      issuedDependantIds: null,
      dependantIds,
      nomineeDependantId: null,
      beginsCover: false,
      personsVersion: 0,
      personsSeen: 0,
      member: { ...(template as Policy).member, first_name: 'Asha', last_name: 'Example', dob: '1990-05-17' },
      dependant: (id) => ({ first_name: id, last_name: 'Example', date_of_birth: BORN }),
    }
  }

  get day() {
    return dayOf(this.today)
  }
  idOf = (who: number) => this.lines[who]?.at(-1) as string

  /** Nothing waits any more. */
  clearPending(): void {
    this.pending = []
    this.asked.clear()
    this.wall.settle(false)
  }

  /** Keeps what a change writes: the policy, decided endorsements, and the days on which grace and the end began. */
  keep(policy: Policy, { history }: Pick<Recorded, 'history'>, day = this.day): void {
    this.policy = { ...policy, memberDays: storedDays(policy) }
    for (const { entityId, to, author } of history) {
      if (entityId !== policy.id) continue
      const isPerson = author === undefined
      if (to === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE') this.graceSince = isPerson ? day : null
      if (to === 'EXPIRED') {
        const wasInGrace = history.some(
          (one) => one.to === 'EXPIRED' && one.from === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
        )
        this.expiry = {
          endedFrom: isPerson ? day : null,
          graceSince: wasInGrace ? this.graceSince : null,
          isNamed: false,
        }
      }
    }
    if (isOver(policy)) this.clearPending()
    else this.expiry = undefined
  }

  decide(rows: readonly { endorsement_id: string; state: string; issue?: number | null | undefined }[]): void {
    for (const { endorsement_id: id, state, issue } of rows) {
      const isOpen = state === 'ACCEPTED' && (issue ?? null) === null
      this.pending = this.pending.flatMap((one) =>
        one.id === id ? (isOpen ? [{ ...one, state: 'ACCEPTED' as const }] : []) : [one],
      )
      this.asked.delete(id)
    }
  }

  request(rows: readonly Record<string, unknown>[]): void {
    for (const row of rows) {
      const id = row['endorsement_id'] as string
      const on = row['on_day'] as string
      this.pending.push({ id, kind: row['kind'], on, state: 'REQUESTED' } as PendingEndorsement)
      const personId = row['person_id']
      const { userId, platformId, benefitProviderId } = this.policy
      const one = {
        id,
        kind: row['kind'],
        on,
        personId,
        state: 'REQUESTED',
        userId,
        platformId,
        benefitProviderId,
        revision: 1,
      }
      this.asked.set(id, { ...one, policyId: this.policy.id, reason: null } as unknown as FoundEndorsement)
    }
  }

  /** Prints what was issued, and compares it with the wall on every day of its term. */
  print(issued: Policy): void {
    const snapshot = createSnapshot(issued, { ...PARTIES, madeOn: this.day })
    this.snapshots.push(snapshot)
    const [from, to] = [numberOf(snapshot.start_date), numberOf(snapshot.end_date)]
    for (const [who, person] of this.wall.people.entries()) {
      const printed = snapshot.dependants.filter(({ id }) => id === this.idOf(who))
      const days = person.days ?? new Uint8Array(WALL.length)
      for (let day = from; day <= to; day++) {
        const isPrinted = printed.some(
          (one) => (one.from === undefined || one.from <= dayOf(day)) && (one.to === undefined || dayOf(day) <= one.to),
        )
        assert.equal(isPrinted, days[day] === 1, `printed of ${who} on ${dayOf(day)}`)
      }
    }
  }
}

const isRefused = (error: unknown) => {
  if (!(error instanceof ProblemError)) throw error
  return true
}

/** Returns what is decided; undefined where it is refused. */
function tried<T>(decide: () => T): T | undefined {
  try {
    return decide()
  } catch (error) {
    assert(isRefused(error))
    return undefined
  }
}

const NOW = { endorsementDays: 7, backdateDays: 45 }

function member(life: Life, who: number, input: { from?: string | null; to?: string | null }): boolean {
  const now = { author: by(PLATFORM), today: life.day, ...NOW }
  const decided = tried(() => decideMember(life.policy, { id: life.idOf(who), born: BORN }, input, now))
  if (decided === undefined) return false
  if ('withdrawn' in decided) return decision(life, decided.withdrawn, { state: 'WITHDRAWN' }, PLATFORM)
  life.keep(decided.policy, decided)
  life.decide(decided.decided)
  life.request(decided.requested)
  return true
}

function decision(life: Life, id: string, input: Parameters<typeof decideEndorsement>[1], caller: Caller): boolean {
  const endorsement = life.asked.get(id)
  assert(endorsement)
  const { policy, pending, day: today } = life
  const covers = ({ issue, start_date, end_date }: PolicySnapshot) =>
    issue > 0 && start_date <= today && today <= end_date
  const running = policy.startDate > today ? life.snapshots.findLast(covers) : undefined
  const now = { author: by(caller), today }
  const decided = tried(() => decideEndorsement({ endorsement, policy, pending, running }, input, now))
  if (!decided) return false
  life.keep(decided.policy, decided)
  life.decide(decided.decided)
  const { kind, personId } = endorsement
  const person = life.wall.people[life.lines.findIndex((line) => line.includes(personId as string))]
  if (person) {
    const on = numberOf(input.on ?? endorsement.on)
    if (kind === 'JOIN' && input.state === 'ACCEPTED') life.wall.accept(person, on)
    if (kind === 'JOIN') person.join = undefined
    if (kind === 'LEAVE') life.wall.leave(person, input.state === 'ACCEPTED' ? on : (person.leave?.before as number))
    if (kind === 'LEAVE') person.leave = undefined
  }
  for (const one of decided.snapshots) life.print(one)
  return true
}

function join(life: Life, who: number, on: number): boolean {
  const person = life.wall.people[who]
  assert(person)
  const last = LifeOnWall.lastOf(person)
  const isBack = last !== undefined && last < WALL.length - 1 && on > last
  const isOfSameTime = person.join ? person.join.isOfSameTime : last !== undefined && !isBack
  if (!member(life, who, { from: dayOf(on) })) return false
  person.join = { on, isOfSameTime }
  return true
}

function leave(life: Life, who: number, on: number): boolean {
  const person = life.wall.people[who]
  assert(person)
  const before = person.leave?.before ?? LifeOnWall.lastOf(person)
  if (before === on || !member(life, who, { to: dayOf(on) })) return false
  assert(before !== undefined && on <= before, `a last day of ${who} that was accepted is not put off`)
  person.leave = { before }
  life.wall.leave(person, on)
  return true
}

/** Returns a policy that has ended with its people as they are now, as it returns. */
function caughtUp(life: Life, policy: Policy): Policy {
  if (policy.status !== 'EXPIRED') return policy
  const current = (id: string) => life.lines.find((line) => line.includes(id))?.at(-1) as string
  const memberDays = policy.memberDays?.map((one) => ({ ...one, id: current(one.id) })) ?? null
  return { ...policy, dependantIds: policy.dependantIds.map(current), memberDays }
}

function put(life: Life, status: PolicyStatus, caller: Caller): boolean {
  const { day: today, wall } = life
  const late = afterCalendar(life.policy, today)
  const { status: from } = late.policy
  if (from === status) return false
  const policy = caughtUp(life, late.policy)
  const input = { status, reason: 'a reason', persons_version: policy.personsVersion }
  const context = { who: caller.kind, at: AT, today, conditions: FREE, lastSnapshot: life.snapshots.at(-1) }
  const decided = tried(() => decidePolicyTransition(policy, input, context))
  if (!decided) return false
  const isEarly = decided.policy.startDate > policy.startDate && policy.endDate >= today && life.pending.length > 0
  const { startDate, endDate } = policy
  const issues = isEarly
    ? [
        { ...decided.policy, startDate, endDate },
        { ...decided.policy, issue: decided.policy.issue + 1 },
      ]
    : [decided.policy]
  const last = afterCalendar(issues.at(-1) as Policy, today)
  const isNext = from === 'REQUIRES_CUSTOMER_RENEWAL' || (life.today > wall.termEnd() && status !== 'EXPIRED')
  const begins = status === 'ISSUED' || status === 'REQUIRES_POLICY_REISSUANCE'
  if (begins && isNext && (from === 'REQUIRES_CUSTOMER_RENEWAL' || from === 'EXPIRED' || from === IN_GRACE))
    wall.bought++
  if (from === 'EXPIRED') Object.assign(wall, { endedOn: undefined, endsOn: undefined, isNamedLate: false })
  if (begins && (from === IN_GRACE || from === 'EXPIRED')) wall.missedOn = undefined
  if (status === IN_GRACE) wall.missedOn = life.today
  if (status === 'REJECTED') wall.isRejected = true
  if (status === 'EXPIRED') wall.endedOn = life.today
  if (decided.isIssued) wall.settle(true)
  if (status === 'ISSUED') wall.isIssued = true
  if (decided.isIssued) life.clearPending()
  life.keep(last.policy, { history: [...late.history, ...decided.history, ...last.history] })
  if (decided.isIssued) for (const one of issues) life.print(one)
  return true
}
const IN_GRACE = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'

function setEnd(life: Life, on: number): boolean {
  const { policy, end, day: today, wall } = life
  const found = { policy, end, conditions: FREE, snapshots: life.snapshots.toReversed() }
  const input = { on: dayOf(on), code: 'LEFT' as const, reason: undefined, amountPaise: undefined }
  const decided = tried(() => decideEnd(found, input, { who: 'provider', at: AT, today, backdateDays: 45 }))
  if (!decided) return false
  wall.isNamedLate = wall.isOver(life.today) || on < life.today
  Object.assign(wall, { endsOn: on, endedOn: undefined })
  life.end = decided.end
  life.keep(decided.policy, decided)
  if (life.expiry) life.expiry.isNamed = true
  return true
}

function withdrawEnd(life: Life): boolean {
  const { policy, day: today } = life
  const decided = tried(() => decideWithdrawal({ policy, conditions: FREE }, { who: 'provider', at: AT, today }))
  if (!decided) return false
  life.end = null
  life.wall.endsOn = undefined
  life.keep(decided.policy, decided)
  return true
}

function correct(life: Life, who: number): boolean {
  const { policy, pending, day: today } = life
  const previous = life.idOf(who)
  const id = `dep_${who}_${life.lines[who]?.length}`
  life.lines[who]?.push(id)
  const isFollowed = policy.dependantIds.includes(previous) || policy.memberDays?.some((one) => one.id === previous)
  if (isOver(policy) || !isFollowed) return false
  const rows = pending.map((one) => ({ endorsement_id: one.id, kind: one.kind, on_day: one.on, state: one.state }))
  const version = { previous: { ...policy, id: previous }, id, fields: ['first_name' as const] }
  const now = { author: by(PLATFORM), today, endorsementDays: 7 }
  const decided = decidePropagation({ ...policy, pending: rows }, version, now)
  const { row } = decided
  const followed = { status: row.status, dependantIds: row.dependant_ids, memberDays: row.member_days }
  const counted = { graceUntil: row.grace_until, personsVersion: row.persons_version }
  life.keep({ ...policy, ...followed, ...counted }, { history: decided.history })
  life.decide(decided.settled)
  life.request(decided.requested)
  return true
}

/** The oldest of what waits is decided. */
function decideOldest(life: Life, distance: number, state: 'ACCEPTED' | 'REFUSED'): boolean {
  const [id] = [...life.asked.keys()]
  const one = id === undefined ? undefined : life.asked.get(id)
  if (!one) return false
  const isOther = state === 'ACCEPTED' && distance % 3 === 0 && (one.kind === 'JOIN' || one.kind === 'LEAVE')
  const on = isOther ? dayOf(numberOf(one.on) + (distance % 20)) : undefined
  return decision(life, one.id, { state, reason: 'a reason', ...(on !== undefined && { on }) }, PROVIDER)
}

export const ACTS: Record<string, (life: Life, who: number, distance: number) => boolean> = {
  ask: (life, who) => {
    const [person, isOn] = [life.wall.people[who], life.wall.people[who]?.days !== undefined]
    if (!person || life.policy.issue > 0 || !member(life, who, isOn ? { from: null } : {})) return false
    person.days = isOn ? undefined : life.wall.always()
    return true
  },
  issue: (life) => {
    const steps = ['VERIFICATION', 'APPROVED', 'ISSUED'] as const
    return life.policy.issue === 0 && steps.filter((status) => put(life, status, PROVIDER)).includes('ISSUED')
  },
  reject: (life) => life.policy.issue === 0 && put(life, 'REJECTED', PROVIDER),
  join: (life, who, distance) => life.policy.issue > 0 && join(life, who, life.today + distance),
  leave: (life, who, distance) => life.policy.issue > 0 && leave(life, who, life.today + distance),
  takeBackJoin: (life, who) =>
    life.policy.issue > 0 && life.wall.people[who]?.join !== undefined && member(life, who, { from: null }),
  takeBackLeave: (life, who) =>
    life.policy.issue > 0 && life.wall.people[who]?.leave !== undefined && member(life, who, { to: null }),
  accept: (life, _who, distance) => decideOldest(life, distance, 'ACCEPTED'),
  refuse: (life, _who, distance) => decideOldest(life, distance, 'REFUSED'),
  correct: (life, who) => correct(life, who),
  miss: (life) => put(life, IN_GRACE, PROVIDER),
  renewOrPay: (life) => life.wall.canRenew() && life.policy.issue > 0 && put(life, 'ISSUED', PROVIDER),
  expire: (life) => life.policy.issue > 0 && put(life, 'EXPIRED', PROVIDER),
  return: (life) => life.wall.canRenew() && put(life, 'REQUIRES_POLICY_REISSUANCE', OWNER),
  end: (life, _who, distance) => setEnd(life, life.today + distance),
  takeBackEnd: (life) => life.wall.endsOn !== undefined && withdrawEnd(life),
}
