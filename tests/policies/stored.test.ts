import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  graceUntil,
  nextMoveOn,
  OVER,
  POLICY_STATUSES,
  type PolicyStatus,
  WAITING_STATUSES,
} from '../../src/domains/cover/policies/states.ts'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()

const TERM = { endDate: '2027-03-31', renewalWindowDays: 30, graceDays: 15, issue: 1, endsOn: null }
const TODAY = '2027-02-10'

/** For each status that begins on the day: the last day of grace and the day of the next move, as they are stored. */
const STORED: Record<PolicyStatus, [graceUntil: string | null, nextMoveOn: string | null]> = {
  PENDING: ['2027-04-15', '2027-04-16'],
  VERIFICATION: ['2027-04-15', '2027-04-16'],
  APPROVED: ['2027-04-15', '2027-04-16'],
  ISSUED: [null, '2027-03-01'],
  REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: ['2027-02-25', '2027-02-26'],
  REQUIRES_POLICY_REISSUANCE: ['2027-04-15', '2027-04-16'],
  REQUIRES_CUSTOMER_RENEWAL: [null, '2027-04-01'],
  EXPIRED: [null, null],
  REJECTED: [null, null],
}

const HOW = `a new rule changes what is stored: the worker counts the dates of every open policy again when it starts, so state
in the changelog which policies move, then change this table`

describe('the database stores of a policy', () => {
  for (const status of POLICY_STATUSES) {
    it(`the dates that follow from ${status}: a new rule is counted again, and stated in the changelog`, () => {
      const until = graceUntil({ ...TERM, status }, TODAY)
      assert.deepEqual([until, nextMoveOn({ ...TERM, status, graceUntil: until })], STORED[status], HOW)
    })
  }

  it('each status of the program, and no other', async () => {
    const [check] = await t.sql<{ text: string }>(
      `select pg_get_constraintdef(oid) as text from pg_constraint
        where conrelid = 'insurance_policies'::regclass and contype = 'c' and pg_get_constraintdef(oid) like '%''PENDING''%'`,
    )
    const words = [...(check?.text ?? '').matchAll(/'(\w+)'/g)].map(([, word]) => word)
    assert.deepEqual(
      new Set(words),
      new Set<string | undefined>(POLICY_STATUSES),
      'the check constraint is changed by a migration',
    )
  })

  it('each status that is over, in every index without such policies', async () => {
    const indexes = await t.sql<{ name: string; words: string }>(
      `select c.relname as name, pg_get_expr(x.indpred, x.indrelid) as words from pg_index x join pg_class c on c.oid = x.indexrelid
        where x.indrelid = 'insurance_policies'::regclass and pg_get_expr(x.indpred, x.indrelid) like '%status <> ALL%'`,
    )
    assert.equal(indexes.length, 7)
    const idle = POLICY_STATUSES.filter((status) => !WAITING_STATUSES.includes(status)).map((status) => `'${status}'`)
    const listed = (text: string) =>
      [...text.replace(/.*<> ALL/s, '').matchAll(/'(\w+)'/g)].map(([word]) => word).join(', ')
    for (const { name, words } of indexes)
      assert.equal(listed(words), /_waiting|_next_actions/.test(name) ? idle.join(', ') : OVER, name)
  })
})
