import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  decideAction,
  SUBJECT_KINDS,
  type Subject,
} from '../../src/domains/administration/next-actions/decide-action.ts'
import {
  ACTION_CODES,
  ACTIONS,
  ACTIONS_IN,
  ACTIONS_OF_PEOPLE,
} from '../../src/domains/administration/next-actions/states.ts'
import { MACHINES, type StateMachine } from '../../src/domains/administration/state-machines/states.ts'

const TODAY = '2026-06-15'
const RULES = {
  deadlines: {
    decision: [
      { from: null, days: 7 },
      { from: '2027-01-01', days: 5 },
    ],
    issue: [{ from: null, days: 15 }],
    freeLook: [{ from: null, days: 30 }],
  },
  correctionDays: 7,
  today: TODAY,
}

const NOTHING: Omit<Subject, 'kind' | 'state'> = {
  operatorState: null,
  requestedOn: null,
  sinceOn: null,
  lastOn: null,
  endsOn: null,
  issue: null,
  issuedOn: null,
  isSentBack: null,
  beginsCover: null,
  awaitsProvider: null,
}
const POLICY = { requestedOn: '2026-06-01', sinceOn: '2026-06-05', issue: 0, isSentBack: false, beginsCover: false }

const policy = (state: string, more: Partial<Subject> = {}): Subject => ({
  ...NOTHING,
  ...POLICY,
  kind: 'insurance_policy',
  state,
  ...more,
})

/** The next action as `code due_on rule`. */
function next(subject: Subject, rules: Parameters<typeof decideAction>[1] = RULES): string | null {
  const decided = decideAction(subject, rules)
  return decided && `${decided.code} ${decided.dueOn} ${decided.rule}`
}

/** Every record that can be in a state, by the name of its machine. */
function subjectsIn(name: string, state: string): Subject[] {
  if (name === 'insurance_policy')
    return [0, 1].flatMap((issue) =>
      [false, true].map((isSentBack) =>
        policy(state, { issue, isSentBack, lastOn: '2026-07-01', issuedOn: '2026-06-01' }),
      ),
    )
  if (name === 'wallet_at_operator') return [{ ...NOTHING, kind: 'wallet', state: 'COMPLETED', operatorState: state }]
  const kind = SUBJECT_KINDS.find((one) => one === name)
  return kind ? [{ ...NOTHING, kind, state, lastOn: '2026-07-01', awaitsProvider: true }] : []
}

/** States that people may leave although nobody waits for it: what is there holds until somebody wants otherwise. */
const AT_REST = [
  'account ACTIVE',
  'account INACTIVE',
  'insurance_policy EXPIRED',
  'sponsor ACTIVE',
  'sponsor INACTIVE',
  'platform ACTIVE',
  'platform INACTIVE',
  'account_provider active',
  'account_provider inactive',
  'administrator ACTIVE',
  'administrator DISABLED',
  'wallet_at_operator ACTIVE',
  'wallet_at_operator UNKNOWN',
]

/** Those of records without a table of states. */
const OF_NO_MACHINE = [...Object.values(ACTIONS_OF_PEOPLE).flat(), 'settle_deposit']

describe('the next action of every state of every machine', () => {
  const machines = Object.entries<StateMachine>(MACHINES)
  const all = machines.flatMap(([name, { states }]) => states.map((state) => ({ name, state })))
  const tableOf = (name: string) => ACTIONS_IN[name as keyof typeof ACTIONS_IN] as Record<string, readonly string[]>

  it('is in the table, and no other', () => {
    assert(all.length > 35, `${all.length} states`)
    for (const [name, { states }] of machines)
      assert.deepEqual(Object.keys(tableOf(name)).toSorted(), [...states].toSorted(), name)
    assert.deepEqual(Object.keys(ACTIONS_IN).toSorted(), Object.keys(MACHINES).toSorted())
  })

  it('is what the table says of it, and there is one wherever the table has one', () => {
    for (const { name, state } of all) {
      const found = subjectsIn(name, state).flatMap((subject) => decideAction(subject, RULES)?.code ?? [])
      assert.deepEqual([...new Set(found)].toSorted(), tableOf(name)[state]?.toSorted(), `${name} ${state}`)
    }
  })

  it('exists in each state that somebody has to leave', () => {
    const left = machines.flatMap(([name, { table }]) => table.map(({ from }) => `${name} ${from}`))
    const idle = all.filter(({ name, state }) => tableOf(name)[state]?.length === 0)
    const open = idle.map(({ name, state }) => `${name} ${state}`).filter((one) => left.includes(one))
    assert.deepEqual(open.toSorted(), AT_REST.toSorted())
  })

  it('is used, each of them', () => {
    const used = Object.values(ACTIONS_IN).flatMap((table) => Object.values<readonly string[]>(table).flat())
    assert.deepEqual([...new Set([...used, ...OF_NO_MACHINE])].toSorted(), ACTION_CODES.toSorted())
    for (const { title, detail } of Object.values(ACTIONS)) assert(title.length < 50 && detail.endsWith('.'), title)
  })
})

describe('the due day', () => {
  it('of an application counts from it, by the number of days of that day', () => {
    assert.equal(next(policy('PENDING')), 'take_up_application 2026-06-08 decision')
    assert.equal(next(policy('VERIFICATION')), 'decide_application 2026-06-08 decision')
    assert.equal(next(policy('VERIFICATION', { requestedOn: '2026-12-31' })), 'decide_application 2027-01-07 decision')
    assert.equal(next(policy('VERIFICATION', { requestedOn: '2027-01-01' })), 'decide_application 2027-01-06 decision')
  })

  it('of one that was sent back is nobody’s, as long as nothing was issued', () => {
    assert.equal(next(policy('PENDING', { isSentBack: true })), 'correct_application null null')
    const issued = { isSentBack: true, issue: 1, lastOn: '2026-06-20' }
    assert.equal(next(policy('PENDING', issued)), 'correct_application 2026-06-20 grace_end')
    // The mark of one that was taken up since then says nothing.
    assert.equal(next(policy('VERIFICATION', { isSentBack: true })), 'decide_application 2026-06-08 decision')
  })

  it('of certificate and cards counts from the approval or the renewal', () => {
    assert.equal(next(policy('APPROVED')), 'issue_policy 2026-06-20 issue')
    const renewed = { issue: 1, beginsCover: true, lastOn: '2027-07-01' }
    assert.equal(next(policy('REQUIRES_POLICY_REISSUANCE', renewed)), 'reissue_policy 2026-06-20 issue')
  })

  it('of a correction is seven days from it, and never after the last day of grace or of an end', () => {
    const changed = { issue: 1, lastOn: '2027-07-01' }
    assert.equal(next(policy('REQUIRES_POLICY_REISSUANCE', changed)), 'reissue_policy 2026-06-12 correction')
    assert.equal(
      next(policy('REQUIRES_POLICY_REISSUANCE', { ...changed, lastOn: '2026-06-10' })),
      'reissue_policy 2026-06-10 grace_end',
    )
    assert.equal(
      next(policy('REQUIRES_POLICY_REISSUANCE', { ...changed, endsOn: '2026-06-09' })),
      'reissue_policy 2026-06-09 policy_end',
    )
    assert.equal(next(policy('APPROVED', { ...changed, lastOn: null })), 'issue_policy 2026-06-12 correction')
  })

  it('of a renewal is the last day of the term, in grace that of grace; an end that is set takes the renewal away', () => {
    const issued = { issue: 1, lastOn: '2026-06-30' }
    assert.equal(next(policy('REQUIRES_CUSTOMER_RENEWAL', issued)), 'renew_policy 2026-06-30 term_end')
    assert.equal(next(policy('REQUIRES_CUSTOMER_RENEWAL', { ...issued, endsOn: '2026-06-20' })), null)
    assert.equal(next(policy('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', issued)), 'pay_in_grace 2026-06-30 grace_end')
    assert.equal(
      next(policy('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', { ...issued, endsOn: '2026-06-20' })),
      'pay_in_grace 2026-06-20 policy_end',
    )
  })

  it('of the free look is thirty days from the first issue, and gone after it, or with an end', () => {
    const issued = { issue: 2, issuedOn: '2026-05-16' }
    assert.equal(next(policy('ISSUED', issued)), `return_policy ${TODAY} free_look`)
    assert.equal(next(policy('ISSUED', { ...issued, issuedOn: '2026-05-15' })), null)
    assert.equal(next(policy('ISSUED', { ...issued, endsOn: '2026-06-30' })), null)
    assert.equal(next(policy('ISSUED', { issue: 1 })), null)
  })

  it('of an endorsement and of an erasure is stored, and others have none', () => {
    const of = (kind: Subject['kind'], state: string, more: Partial<Subject> = {}) =>
      next({ ...NOTHING, kind, state, ...more })
    assert.equal(of('endorsement', 'REQUESTED', { lastOn: '2026-06-08' }), 'decide_endorsement 2026-06-08 endorsement')
    assert.equal(of('endorsement', 'ACCEPTED', { lastOn: '2026-06-08' }), null)
    assert.equal(
      of('rights_request', 'RECEIVED', { lastOn: '2026-08-30' }),
      'answer_rights_request 2026-08-30 rights_request',
    )
    assert.equal(of('rights_request', 'ANSWERED', { lastOn: '2026-08-30' }), null)
    assert.equal(of('user', 'SCHEDULED', { lastOn: '2026-06-18' }), 'cancel_erasure 2026-06-18 erasure_notice')
    assert.equal(of('account', 'PENDING'), 'open_account null null')
    assert.equal(of('wallet', 'FAILED', { operatorState: 'UNKNOWN' }), 'retry_wallet null null')
    assert.equal(of('wallet', 'COMPLETED', { operatorState: 'ACTIVE' }), null)
    assert.equal(of('consultation', 'OPEN', { awaitsProvider: true }), 'answer_consultation null null')
    assert.equal(of('consultation', 'OPEN', { awaitsProvider: false }), null)
    assert.equal(of('consultation', 'CLOSED', { awaitsProvider: true }), null)
  })
})
