import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { PolicySnapshot } from '../../src/domains/cover/documents/policy-snapshot.ts'
import { templateData } from '../../src/domains/cover/documents/template-data.ts'
import { graceUntil, nextMoveOn } from '../../src/domains/cover/policies/states.ts'
import { addDays, longDay } from '../../src/kernel/date.ts'

const SNAPSHOT: PolicySnapshot = {
  issue: 1,
  made_on: '2026-04-03',
  external_policy_id: null,
  master_policy_number: null,
  benefit_name: 'Family health cover',
  plan_code: 'FAMILY_5L',
  provider_name: 'Suraksha General',
  sponsor_name: 'Banyan Textiles',
  start_date: '2026-04-01',
  end_date: '2027-03-31',
  term_months: 12,
  renewal_window_days: 30,
  grace_days: 30,
  premium: { currency: 'INR', annual: 1_204_500, daily: 3_300, sponsor: 602_250 },
  member: { first_name: 'Asha', last_name: 'Example', title: 'MS', gender: 'FEMALE', dob: '1990-05-17' },
  dependants: [],
  nominee: null,
}

const printedOf = (differing: object) =>
  templateData(
    { ...SNAPSHOT, ...differing },
    { policy: { id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2' }, origin: 'http://banyan.test' },
  )

describe('template data of a policy', () => {
  it('has the insurer’s number, or a reference that people can read out until there is one', () => {
    assert.equal(printedOf({ external_policy_id: 'SG-1' }).policy.number, 'SG-1')
    assert.equal(printedOf({}).policy.number, 'K7Q9-T3V6-W0Y2')
    assert.equal(printedOf({ external_policy_id: 'SG-1' }).policy.reference, printedOf({}).policy.number)
  })

  it('numbers the people of the policy: the member is 1, dependants follow in their order', () => {
    const dependant = { first_name: 'Ravi', last_name: 'Example', date_of_birth: '2015-08-02' }
    const { member, dependants } = printedOf({ dependants: ['dep_1', 'dep_2'].map((id) => ({ ...dependant, id })) })
    assert.deepEqual(
      [member, ...dependants].map(({ number }) => number),
      ['1', '2', '3'],
    )
  })

  it('has the name of the plan, or its code in a snapshot from before plans had names', () => {
    assert.equal(printedOf({ plan_name: 'Family floater' }).policy.plan, 'Family floater')
    assert.equal(printedOf({}).policy.plan, 'FAMILY_5L')
  })

  it('has the insurer’s address and colour as of the issue; a snapshot from before has none', () => {
    const { policy } = printedOf({
      provider_address: {
        line1: '12 MG Road',
        city: 'Pune',
        state: 'Maharashtra',
        country: 'India',
        pincode: '411001',
      },
      provider_colour: '#8a1538',
    })
    assert.equal(policy.insurer_address, '12 MG Road, Pune 411001, Maharashtra, India')
    assert.equal(policy.colour, '#8a1538')
    assert.deepEqual([printedOf({}).policy.insurer_address, printedOf({}).policy.colour], [null, null])
  })

  it('has amounts in the policy’s currency; those of an unknown currency are not printed as rupees', () => {
    assert.deepEqual(printedOf({}).premium, {
      annual: '₹12,045.00',
      daily: '₹33.00',
      sponsor: '₹6,022.50',
      member: '₹6,022.50',
    })
    for (const currency of ['USD', 'inr', ''])
      assert.throws(() => printedOf({ premium: { ...SNAPSHOT.premium, currency } }), /currency/)
  })

  it('has the exact day on which the calendar opens the window', () => {
    const day = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('2020-01-01', days))
    fc.assert(
      fc.property(day, fc.nat(365), (end_date, renewal_window_days) => {
        const term = {
          endDate: end_date,
          renewalWindowDays: renewal_window_days,
          graceDays: 30,
          graceUntil: null,
          endsOn: null,
          issue: 1,
        }
        const opens = nextMoveOn({ ...term, status: 'ISSUED' })
        assert(opens)
        assert.equal(printedOf({ end_date, renewal_window_days }).policy.renewal_opens, longDay(opens))
      }),
    )
  })

  it('says of days of grace that are not covered', () => {
    assert.equal(printedOf({}).policy.is_covered_in_grace, true, 'as all snapshots of before')
    assert.equal(printedOf({ grace_cover: 'NONE' }).policy.is_covered_in_grace, false)
  })

  it('has the exact last day of grace of the calendar', () => {
    const day = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('2020-01-01', days))
    fc.assert(
      fc.property(day, fc.integer({ min: 1, max: 400 }), (end_date, grace_days) => {
        const renewal = {
          status: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
          endDate: end_date,
          graceDays: grace_days,
          issue: 1,
        } as const
        const last = graceUntil(renewal, addDays(end_date, 1))
        assert(last)
        assert.equal(printedOf({ end_date, grace_days }).policy.grace_ends, longDay(last))
      }),
    )
    assert.equal(printedOf({ grace_days: 0 }).policy.grace_ends, null)
  })
})
