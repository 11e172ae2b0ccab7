import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import type { PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { type CallFunction, openTestApp, type TestResponse } from '../../support/app.ts'
import { meetAt } from '../../support/meeting.ts'
import { conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

afterEach(() => {
  t.calendar.at = undefined
})

const on = (day: string) => void (t.calendar.at = new Date(`${day}T12:00:00+05:30`))

const PERSON = { first_name: 'Asha', last_name: 'Example', dob: '1990-05-17' }

/** A policy from 2026-04-01 to 2027-03-31, grace to 2027-04-30, after these transitions; today is 2026-06-15. */
async function scene(path: PolicyStatus[], person: object = PERSON) {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const user = await t.user(platform, person)
  const benefit = await t.benefit(platform, provider)
  const { sponsor_id: sponsor } = await t.made('GET', `/v1/benefits/${benefit}`, { token: t.owner })
  const id = await t.policy(platform, user, benefit)
  const at = {
    platform,
    provider,
    user,
    benefit,
    sponsor,
    id,
    address: `/v1/users/${user.id}/insurance_policies/${id}`,
  }
  for (const status of path) assert.equal((await put(at, status)).status, 200, status)
  return at
}
type Scene = Awaited<ReturnType<typeof scene>>

const put = (
  { address }: { address: string },
  status: PolicyStatus,
  token = t.owner,
  reason: string | null = 'why',
  more: object = {},
) => t.call('PUT', `${address}/status`, { token, body: { status, ...(reason !== null && { reason }), ...more } })

const setSponsor = ({ sponsor }: Scene, status: string) =>
  t.made('PUT', `/v1/sponsors/${sponsor}/status`, { token: t.owner, body: { status } })

const archive = ({ benefit }: Scene) => t.call('DELETE', `/v1/benefits/${benefit}`, { token: t.owner })

const offered = async ({ address }: Scene): Promise<PolicyStatus[]> =>
  (await t.made('GET', `${address}/status`, { token: t.owner })).allowed_transitions

const stored = async ({ id }: Scene) =>
  t.sql(
    `select p.*, (select count(*)::int from user_status_changes where entity_id = $1) as changes,
            (select count(*)::int from events where subject = $1) as events
       from insurance_policies p where p.policy_id = $1`,
    [id],
  )

/** Returns what the 409 of a transition that is not in the table lists. */
async function listed(at: Scene): Promise<PolicyStatus[]> {
  const { status, body } = await put(at, 'PENDING')
  assert.deepEqual([status, body.code], [409, 'invalid_state'])
  return body.allowed_transitions
}

/** Asserts a 409 with the reason that changes nothing, for a transition that no response offers either. */
async function assertRefused(at: Scene, to: PolicyStatus, reason: string): Promise<void> {
  const before = await stored(at)
  assert.equal(conflictOf(await put(at, to)), reason)
  assert.deepEqual(await listed(at), await offered(at), 'a 409 offers what the status does')
  assert.deepEqual(await stored(at), before)
  const isOffered = (await offered(at)).includes(to)
  assert.equal(isOffered, false, `${to} is not offered`)
}

async function assertMade(at: Scene, to: PolicyStatus, more: object = {}): Promise<void> {
  assert.ok((await offered(at)).includes(to), `${to} is offered`)
  const response = await put(at, to, t.owner, 'why', more)
  assert.deepEqual([response.status, response.body.status], [200, to], response.text)
}

const APPROVED: PolicyStatus[] = ['VERIFICATION', 'APPROVED']
const ISSUED: PolicyStatus[] = [...APPROVED, 'ISSUED']
const BACK = 'REQUIRES_POLICY_REISSUANCE'

describe('PUT …/insurance_policies/{id}/status: what an issue needs', () => {
  for (const missing of ['first_name', 'last_name', 'dob']) {
    it(`409 incomplete for a first issue to a person without ${missing}, 200 once it is there`, async () => {
      const at = await scene(APPROVED, { ...PERSON, [missing]: undefined })
      await assertRefused(at, 'ISSUED', 'incomplete')
      await t.made('PATCH', `/v1/users/${at.user.id}`, { token: at.platform.token, body: PERSON })
      await assertMade(at, 'ISSUED', { persons_version: 1 })
    })
  }

  it('409 incomplete for a certificate that would name nobody', async () => {
    const at = await scene(ISSUED)
    await t.made('PATCH', `/v1/users/${at.user.id}`, { token: at.platform.token, body: { last_name: null } })
    await assertRefused(at, 'ISSUED', 'incomplete')
  })

  it('409 inactive for a first issue unless the sponsor is ACTIVE, 200 once it is', async () => {
    const at = await scene(APPROVED)
    await setSponsor(at, 'INACTIVE')
    await assertRefused(at, 'ISSUED', 'inactive')
    await setSponsor(at, 'ACTIVE')
    await t.made('PATCH', `/v1/sponsors/${at.sponsor}`, { token: t.owner, body: { pan: 'AAACB1234D' } }) // PENDING
    await assertRefused(at, 'ISSUED', 'inactive')
    await setSponsor(at, 'ACTIVE')
    await assertMade(at, 'ISSUED')
  })

  it('200 a correction is issued again whatever the sponsor’s status', async () => {
    const at = await scene([...ISSUED, BACK])
    await setSponsor(at, 'INACTIVE')
    await assertMade(at, 'ISSUED')
  })

  it('409 inactive for a renewal, in the window and in grace, and for its certificate', async () => {
    for (const day of ['2027-03-15', '2027-04-15']) {
      const at = await scene(ISSUED)
      await setSponsor(at, 'INACTIVE')
      on(day)
      for (const to of ['ISSUED', BACK] as const) await assertRefused(at, to, 'inactive')
      await setSponsor(at, 'ACTIVE')
      await assertMade(at, BACK)
      await setSponsor(at, 'INACTIVE')
      await assertRefused(at, 'ISSUED', 'inactive')
      await setSponsor(at, 'ACTIVE')
      await assertMade(at, 'ISSUED')
      t.calendar.at = undefined
    }
  })

  it('200 a missed instalment is paid whatever the sponsor’s status: nothing begins', async () => {
    const at = await scene([...ISSUED, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'])
    await setSponsor(at, 'INACTIVE')
    await assertMade(at, 'ISSUED')
  })

  it('409 archived on the way back from EXPIRED: an archived benefit gets no policy in force', async () => {
    const at = await scene([...ISSUED, 'EXPIRED'])
    assert.equal((await archive(at)).status, 200)
    await assertRefused(at, BACK, 'archived')
    assert.deepEqual(await offered(at), [])
  })

  it('409 incomplete or inactive on the way back from EXPIRED, at each of its steps', async () => {
    const at = await scene([...ISSUED, 'EXPIRED'])
    await setSponsor(at, 'INACTIVE')
    await assertRefused(at, BACK, 'inactive')
    await setSponsor(at, 'ACTIVE')
    await assertMade(at, BACK)
    await setSponsor(at, 'INACTIVE')
    await assertRefused(at, 'ISSUED', 'inactive')
    for (const to of ['VERIFICATION', 'APPROVED'] as const) await assertMade(at, to)
    await assertRefused(at, 'ISSUED', 'inactive')
    await setSponsor(at, 'ACTIVE')
    await assertMade(at, 'ISSUED')
  })

  it('one succeeds when a benefit is archived while its policy returns from EXPIRED, on two nodes', async () => {
    const [one, other] = (await t.openNodes(2)) as [CallFunction, CallFunction]
    const at = await scene([...ISSUED, 'EXPIRED'])
    const body = { status: BACK, reason: 'Paid after all' }
    const responses = await meetAt(t, { table: 'benefits', key: 'benefit_id', id: at.benefit }, [
      () => one('PUT', `${at.address}/status`, { token: t.owner, body }),
      () => other('DELETE', `/v1/benefits/${at.benefit}`, { token: t.owner }),
    ])
    const [returned, archived] = responses as [TestResponse, TestResponse]
    const [{ status: benefit }, { status }] = [
      await t.made('GET', `/v1/benefits/${at.benefit}`, { token: t.owner }),
      await t.made('GET', `${at.address}/status`, { token: t.owner }),
    ]
    if (returned.status === 200) {
      assert.deepEqual([conflictOf(archived), benefit, status], ['in_use', 'ACTIVE', BACK])
    } else {
      assert.deepEqual([conflictOf(returned), benefit, status], ['archived', 'ARCHIVED', 'EXPIRED'])
    }
  })

  it('does not offer a renewal into a term that is enrolled already', async () => {
    const at = await scene(ISSUED)
    await t.policy(at.platform, at.user, at.benefit, { start_date: '2027-04-01' })
    on('2027-03-15')
    assert.deepEqual(await offered(at), ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'EXPIRED'])
    const { body } = await put(at, 'PENDING')
    assert.deepEqual(body.allowed_transitions, ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'EXPIRED'])
    assert.match(body.detail, /to REQUIRES_CUSTOMER_RENEWAL_IN_GRACE or EXPIRED\.$/)
  })
})

describe('PUT …/insurance_policies/{id}/status: the renewal window by hand', () => {
  it('403 for an operator before it opens; 200 for an owner with a reason, 422 without', async () => {
    const at = await scene(ISSUED)
    assert.equal((await put(at, 'REQUIRES_CUSTOMER_RENEWAL', t.operator)).status, 403)
    assert.deepEqual(errorsOf(await put(at, 'REQUIRES_CUSTOMER_RENEWAL', t.owner, null)), ['/reason required'])
    assert.equal((await put(at, 'REQUIRES_CUSTOMER_RENEWAL')).status, 200)
  })

  it('200 for an operator once it is open, although no worker has opened it', async () => {
    const at = await scene(ISSUED)
    on('2027-03-01')
    const opened = await put(at, 'REQUIRES_CUSTOMER_RENEWAL', t.operator, null)
    assert.deepEqual([opened.status, opened.body.status], [200, 'REQUIRES_CUSTOMER_RENEWAL'])
    assert.equal((await stored(at))[0]?.['status'], 'REQUIRES_CUSTOMER_RENEWAL')
  })
})

describe('PUT …/insurance_policies/{id}/status: a policy that was issued once', () => {
  const AGAIN: PolicyStatus[][] = [['VERIFICATION'], ['VERIFICATION', 'PENDING'], ['VERIFICATION', 'APPROVED']]

  for (const path of AGAIN) {
    it(`is never rejected in ${path.at(-1)}: people expire it, with a reason`, async () => {
      const at = await scene([...ISSUED, BACK, ...path])
      const status = await t.made('GET', `${at.address}/status`, { token: at.provider.token })
      assert.deepEqual([status.grace_until, status.next_move_on], ['2027-04-30', '2027-05-01'])
      const rejected = await put(at, 'REJECTED')
      assert.deepEqual([rejected.status, rejected.body.code], [409, 'invalid_state'])
      assert.deepEqual(errorsOf(await put(at, 'EXPIRED', at.provider.token, null)), ['/reason required'])
      assert.equal((await put(at, 'EXPIRED', at.provider.token)).status, 200)
    })
  }

  it('opens its renewal window when it is issued again within it', async () => {
    const at = await scene([...ISSUED, BACK])
    on('2027-03-15')
    const { body } = await put(at, 'ISSUED')
    assert.deepEqual([body.status, body.next_move_on], ['REQUIRES_CUSTOMER_RENEWAL', '2027-04-01'])
  })
})
