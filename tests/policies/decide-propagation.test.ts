import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decidePropagation } from '../../src/domains/cover/policy-propagation/decide-propagation.ts'
import type { Policy } from '../../src/domains/cover/policies/records.ts'
import { dueTransition, graceUntil, nextMoveOn, POLICY_STATUSES } from '../../src/domains/cover/policies/states.ts'
import { addDays } from '../../src/kernel/date.ts'
import { PERSON_FIELDS } from '../../src/record/index.ts'
import { day, issuesIn, KEY, policies, USER } from './any-policy.ts'

const AUTHOR = { caller: { kind: 'system', job: 'policy-calendar' }, requestId: 'req_1', at: new Date() } as const

describe('decidePropagation: any open policy that names the dependant', () => {
  const open = POLICY_STATUSES.filter((status) => status !== 'EXPIRED' && status !== 'REJECTED')
  const previous = { id: 'dep_a', userId: USER, platformId: 'plt_1', key: KEY }
  const names = fc.subarray([...PERSON_FIELDS])

  it('replaces the old version by the new one; an ISSUED policy must be issued again, after the calendar’s transitions', () => {
    fc.assert(
      fc.property(policies, fc.constantFrom(...open), day, names, (policy, status, today, fields) => {
        const issue = issuesIn(status, policy.issue)
        const linked = { ...policy, pending: null, status, issue, graceUntil: issue > 0 ? policy.graceUntil : null }
        const { row, requested, history, events } = decidePropagation(
          linked,
          { previous, id: 'dep_new', fields },
          { today, author: AUTHOR, endorsementDays: 7 },
        )
        let [due, late]: [Policy, number] = [linked, 0]
        for (let to = dueTransition(due, today); to; to = dueTransition(due, today), late++) {
          due = { ...due, status: to, graceUntil: graceUntil({ ...due, status: to }, today) }
        }
        const newest = (id: string) => (id === 'dep_a' && due.status !== 'EXPIRED' ? 'dep_new' : id)
        assert.deepEqual(row['dependant_ids'], policy.dependantIds.map(newest))
        assert.equal(row['nominee_dependant_id'], policy.nomineeDependantId && newest(policy.nomineeDependantId))
        const isAsked = due.status === 'ISSUED'
        assert.equal(row['status'], isAsked ? 'REQUIRES_POLICY_REISSUANCE' : due.status)
        const isCounted = due.status !== 'EXPIRED' && fields.length > 0
        const corrected = events.filter(({ type }) => type === 'policy.corrected')
        const persons_version = policy.personsVersion + Number(isCounted)
        assert.equal(row['persons_version'], persons_version)
        const of = { user_id: USER, insurance_policy_id: 'pol_1', benefit_provider_id: 'bpr_1', person_id: 'dep_new' }
        assert.deepEqual(
          corrected.map(({ data }) => data),
          isCounted ? [{ ...of, fields, persons_version }] : [],
        )
        // What was issued once asks the benefit provider to certify the correction, within a week.
        const isEndorsed = isCounted && issue > 0
        assert.deepEqual(
          requested.map(({ kind, person_id, due_on, state }) => [kind, person_id, due_on, state]),
          isEndorsed ? [['CORRECTION', 'dep_new', addDays(today, 7), 'REQUESTED']] : [],
        )
        const others = [history.length, events.length - corrected.length].map((count) => count - Number(isEndorsed))
        assert.deepEqual(others, isAsked ? [1, 1] : [late, late])
        const transitions = history.filter(({ to }) => to !== 'REQUESTED')
        const makers = transitions.map(({ author }) => (author?.kind === 'system' ? author.job : 'the caller'))
        assert.deepEqual(makers, isAsked ? ['the caller'] : Array(late).fill('policy-calendar'))
        const { grace_until, next_move_on } = row
        if (!isAsked) assert.deepEqual([grace_until, next_move_on], [due.graceUntil, nextMoveOn(due)])
        else assert.equal(next_move_on, addDays(String(grace_until), 1))
      }),
    )
  })
})
