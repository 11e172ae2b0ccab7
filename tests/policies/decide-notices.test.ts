import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decideNotices, type NoticedPolicy, noticesOfTerm } from '../../src/domains/cover/policies/decide-notices.ts'
import { POLICY_STATUSES, type PolicyStatus } from '../../src/domains/cover/policies/states.ts'
import { daysFrom, tomorrowOf, yesterdayOf } from '../support/days.ts'

const NOTICE_DAYS = [30, 7, 1]

/** From 1 April 2026 on; this is its first term, which ends on 31 March 2027. */
const FIRST_TERM: NoticedPolicy = {
  id: 'pol_1',
  userId: '012345678901',
  platformId: 'plt_1',
  benefitProviderId: 'bpr_1',
  status: 'REQUIRES_CUSTOMER_RENEWAL',
  coveredFrom: '2026-04-01',
  startDate: '2026-04-01',
  endDate: '2027-03-31',
  renewalWindowDays: 30,
  graceDays: 30,
  graceUntil: null,
  issue: 1,
  endsOn: null,
  beginsCover: false,
  noticesFrom: null,
}
/** The second term, which was issued in the window of the first. */
const NEXT_TERM: NoticedPolicy = {
  ...FIRST_TERM,
  status: 'ISSUED',
  startDate: '2027-04-01',
  endDate: '2028-03-31',
  issue: 2,
  noticesFrom: '2027-04-01',
}

const decideOn = (today: string, policy: NoticedPolicy, noticeDays: readonly number[] = NOTICE_DAYS) =>
  decideNotices(policy, { noticeDays, today })

/** What is sent on a day: the days that are left, or the first day of the term. */
const sentOn = (today: string, policy: NoticedPolicy, noticeDays?: readonly number[]) =>
  (decideOn(today, policy, noticeDays)?.events ?? []).map(({ data }) => data['days_left'] ?? data['start_date'])

/** What is sent by a worker that runs on each of these days. */
function sentIn(policy: NoticedPolicy, days: readonly string[]): [day: string, what: unknown][] {
  let { noticesFrom } = policy
  return days.flatMap((day) => {
    const decided = decideOn(day, { ...policy, noticesFrom })
    noticesFrom = decided?.noticesFrom ?? noticesFrom
    return (decided?.events ?? []).map(({ data }): [string, unknown] => [day, data['days_left'] ?? data['start_date']])
  })
}

describe('policy.renewal_due', () => {
  it('is sent 30, 7 and 1 days before the end, each once, and not on the days before and after', () => {
    assert.deepEqual(sentIn(FIRST_TERM, daysFrom('2027-02-20', '2027-03-31')), [
      ['2027-03-01', 30],
      ['2027-03-24', 7],
      ['2027-03-30', 1],
    ])
    const from = '2027-03-02' // the first one was sent
    for (const [day, left] of [
      ['2027-03-24', 7],
      ['2027-03-30', 1],
    ] as const) {
      assert.deepEqual(sentOn(day, { ...FIRST_TERM, noticesFrom: day }), [left])
      assert.equal(decideOn(yesterdayOf(day), { ...FIRST_TERM, noticesFrom: day }), undefined)
      assert.equal(decideOn(day, { ...FIRST_TERM, noticesFrom: tomorrowOf(day) }), undefined, 'it was sent')
    }
    assert.deepEqual(sentOn('2027-03-23', { ...FIRST_TERM, noticesFrom: from }), [])
  })

  it('has ids, the last day and the days that are left, and no more', () => {
    const [event, ...others] = decideOn('2027-03-24', FIRST_TERM)?.events ?? []
    assert.deepEqual(others, [])
    assert.deepEqual(event, {
      type: 'policy.renewal_due',
      platformId: 'plt_1',
      subject: 'pol_1',
      data: {
        user_id: '012345678901',
        insurance_policy_id: 'pol_1',
        benefit_provider_id: 'bpr_1',
        end_date: '2027-03-31',
        days_left: 7,
      },
    })
  })

  it('that was missed is sent late, with the days that are left then; of several the last one alone', () => {
    assert.deepEqual(sentIn(FIRST_TERM, ['2027-03-20', '2027-03-21']), [['2027-03-20', 11]])
    assert.deepEqual(sentIn(FIRST_TERM, ['2027-03-26', '2027-03-29', '2027-03-31']), [
      ['2027-03-26', 5],
      ['2027-03-31', 0],
    ])
    assert.deepEqual(sentIn(FIRST_TERM, ['2027-03-31']), [['2027-03-31', 0]])
    assert.deepEqual(sentIn(FIRST_TERM, ['2027-04-01', '2028-04-01']), [], 'the term is over')
  })

  it('is sent on the days of the setting that are in the window', () => {
    assert.deepEqual(sentIn({ ...FIRST_TERM, renewalWindowDays: 29 }, daysFrom('2027-02-01', '2027-03-31')), [
      ['2027-03-24', 7],
      ['2027-03-30', 1],
    ])
    assert.deepEqual(sentIn({ ...FIRST_TERM, renewalWindowDays: 0 }, daysFrom('2027-02-01', '2027-03-31')), [])
    assert.deepEqual(sentOn('2027-03-31', { ...FIRST_TERM, renewalWindowDays: 0 }, [0]), [0])
    assert.deepEqual(sentOn('2027-03-21', FIRST_TERM, [1, 10, 45]), [10], 'in any order')
    assert.deepEqual(sentOn('2027-02-14', FIRST_TERM, [45]), [], 'an owner has opened the window early')
  })

  it('is not sent before the term, whose window can be longer than it', () => {
    const short = { ...FIRST_TERM, coveredFrom: '2027-03-20', startDate: '2027-03-20' }
    assert.deepEqual(sentIn(short, daysFrom('2027-02-20', '2027-03-31')), [
      ['2027-03-24', 7],
      ['2027-03-30', 1],
    ])
  })

  it('is sent in no other state, not while the policy ends, and not before what the calendar has to do', () => {
    const days = daysFrom('2027-02-20', '2027-03-31')
    for (const status of POLICY_STATUSES.filter((one) => one !== 'REQUIRES_CUSTOMER_RENEWAL')) {
      assert.deepEqual(sentIn({ ...FIRST_TERM, status }, days), [], status)
    }
    for (const endsOn of ['2027-03-26', '2027-03-31']) assert.deepEqual(sentIn({ ...FIRST_TERM, endsOn }, days), [])
    assert.equal(decideOn('2027-04-01', FIRST_TERM), undefined, 'grace begins')
  })

  it('is sent once, late, when an end is taken back; what was sent before the end is not sent again', () => {
    const sent = decideOn('2027-03-01', FIRST_TERM)
    assert.ok(sent)
    const ending = { ...FIRST_TERM, noticesFrom: sent.noticesFrom, endsOn: '2027-03-31' }
    assert.equal(decideOn('2027-03-24', ending), undefined)
    assert.deepEqual(sentOn('2027-03-22', { ...ending, endsOn: null }), [])
    assert.deepEqual(sentIn({ ...ending, endsOn: null }, ['2027-03-26', '2027-03-27', '2027-03-30']), [
      ['2027-03-26', 5],
      ['2027-03-30', 1],
    ])
  })
})

describe('policy.term_started', () => {
  it('is sent on the first day of a term that was issued early, once', () => {
    assert.deepEqual(sentIn(NEXT_TERM, daysFrom('2027-03-10', '2027-12-31')), [['2027-04-01', '2027-04-01']])
    const [event] = decideOn('2027-04-01', NEXT_TERM)?.events ?? []
    assert.equal(event?.type, 'policy.term_started')
    assert.deepEqual(event.data, {
      user_id: '012345678901',
      insurance_policy_id: 'pol_1',
      benefit_provider_id: 'bpr_1',
      start_date: '2027-04-01',
      end_date: '2028-03-31',
    })
  })

  it('is sent late while the term runs, and not once it is over', () => {
    assert.deepEqual(sentIn(NEXT_TERM, ['2027-06-01', '2027-06-02']), [['2027-06-01', '2027-04-01']])
    const over = { ...NEXT_TERM, status: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', graceUntil: '2028-04-30' } as const
    assert.deepEqual(sentIn(over, daysFrom('2028-04-01', '2028-04-03')), [])
    assert.ok((decideOn('2028-04-01', over)?.noticesFrom ?? '') > over.startDate, 'it is not looked at again')
  })

  it('is sent in every state of a policy that goes on', () => {
    const over: readonly PolicyStatus[] = ['EXPIRED', 'REJECTED']
    for (const status of POLICY_STATUSES) {
      const sent = sentOn('2027-04-01', { ...NEXT_TERM, status })
      assert.deepEqual(sent, over.includes(status) ? [] : ['2027-04-01'], status)
    }
  })

  it('is not sent of the first term, of one that waits to be issued, nor of one that never begins', () => {
    const days = daysFrom('2027-03-20', '2027-04-20')
    for (const change of [
      { coveredFrom: NEXT_TERM.startDate },
      { coveredFrom: null },
      { noticesFrom: null },
      { status: 'REQUIRES_POLICY_REISSUANCE', beginsCover: true },
      { endsOn: '2027-03-31' },
    ] as const)
      assert.deepEqual(sentIn({ ...NEXT_TERM, ...change }, days), [], JSON.stringify(change))
    assert.deepEqual(sentOn('2027-04-01', { ...NEXT_TERM, endsOn: '2027-04-01' }), ['2027-04-01'])
  })

  it('is sent along with the notice of the renewal where both are late', () => {
    const late = { ...NEXT_TERM, status: 'REQUIRES_CUSTOMER_RENEWAL' } as const
    assert.deepEqual(sentIn(late, ['2028-03-10', '2028-03-11']), [
      ['2028-03-10', '2027-04-01'],
      ['2028-03-10', 21],
    ])
  })

  it('is due when a term is issued before its first day', () => {
    const term = { startDate: '2027-04-01', coveredFrom: '2026-04-01' }
    assert.equal(noticesOfTerm(term, '2027-03-31'), '2027-04-01')
    assert.equal(noticesOfTerm(term, '2027-04-01'), '2027-04-02')
    assert.equal(noticesOfTerm(term, '2027-04-20'), '2027-04-02')
    assert.equal(noticesOfTerm({ ...term, coveredFrom: term.startDate }, '2027-03-31'), null, 'the first term')
  })
})
