import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { POLICY_STATUSES, type PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { openTestApp } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

type Who = 'provider' | 'operator' | 'owner'
const EVERYONE: Who[] = ['provider', 'operator', 'owner']
const OFFICE: Who[] = ['operator', 'owner'] // made by the calendar, by people only to correct something
const OWNER: Who[] = ['owner']

/** The transitions of the contract, written a second time. */
const ARROWS: Record<PolicyStatus, Partial<Record<PolicyStatus, Who[]>>> = {
  PENDING: { VERIFICATION: EVERYONE, REJECTED: EVERYONE },
  VERIFICATION: { PENDING: EVERYONE, APPROVED: EVERYONE, REJECTED: EVERYONE },
  APPROVED: { ISSUED: EVERYONE, REJECTED: EVERYONE },
  ISSUED: {
    REQUIRES_POLICY_REISSUANCE: EVERYONE,
    REQUIRES_CUSTOMER_RENEWAL: OWNER, // before the window opens
    REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: EVERYONE,
    EXPIRED: EVERYONE,
  },
  REQUIRES_POLICY_REISSUANCE: { ISSUED: EVERYONE, VERIFICATION: EVERYONE, EXPIRED: EVERYONE },
  REQUIRES_CUSTOMER_RENEWAL: {
    REQUIRES_POLICY_REISSUANCE: EVERYONE,
    ISSUED: EVERYONE,
    REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: OFFICE,
    EXPIRED: EVERYONE,
  },
  REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: { ISSUED: EVERYONE, REQUIRES_POLICY_REISSUANCE: EVERYONE, EXPIRED: EVERYONE },
  EXPIRED: { REQUIRES_POLICY_REISSUANCE: OWNER },
  REJECTED: {},
}

/** Those of a policy that was issued before: it expires and is never rejected. */
const ARROWS_AGAIN: typeof ARROWS = {
  ...ARROWS,
  PENDING: { VERIFICATION: EVERYONE, EXPIRED: EVERYONE },
  VERIFICATION: { PENDING: EVERYONE, APPROVED: EVERYONE, EXPIRED: EVERYONE },
  APPROVED: { ISSUED: EVERYONE, EXPIRED: EVERYONE },
}
const FIRST: PolicyStatus[] = ['PENDING', 'VERIFICATION', 'APPROVED', 'REJECTED']

async function scene() {
  const { platform, provider, benefit } = await t.offer()
  const user = await t.onboardedUser(platform)
  const id = await t.policy(platform, user, benefit)
  const tokens: Record<Who, string> = { provider: provider.token, operator: t.operator, owner: t.owner }
  return { platform, provider, benefit, user, id, tokens, address: `/v1/users/${user.id}/insurance_policies/${id}` }
}
type Scene = Awaited<ReturnType<typeof scene>>

const put = ({ address }: { address: string }, token: string | undefined, body: unknown, headers = {}) =>
  t.call('PUT', `${address}/status`, { ...(token && { token }), body, headers })

/** As before its first issue, or after the last. */
async function storeStatus({ user, id }: Scene, status: PolicyStatus, wasIssued = false): Promise<void> {
  const issue = wasIssued ? 'greatest(issue, 1)' : '0'
  const text = `update insurance_policies set status = $3, issue = ${issue} where user_id = $1 and policy_id = $2`
  await t.sql(text, [user.id, id, status])
  if (!wasIssued) await t.sql('delete from policy_snapshots where policy_id = $1 and issue > 0', [id])
}

const policyRow = async ({ user, id }: Scene) =>
  (await t.sql('select * from insurance_policies where user_id = $1 and policy_id = $2', [user.id, id]))[0]

/** Everything that a transition writes, in order. */
async function traces({ id }: Scene) {
  const history = await t.sql<{ from_status: string; to_status: string }>(
    'select from_status, to_status from user_status_changes where entity_id = $1 order by at, change_id',
    [id],
  )
  const events = await t.sql<{ data: object }>(
    `select data from events where subject = $1 and type = 'policy.status_changed' order by occurred_at, event_id`,
    [id],
  )
  return { history: history.map((row) => [row.from_status, row.to_status]), events: events.map(({ data }) => data) }
}

/** Tries one transition and checks it against the table: response, state, history and event. */
async function tryTransition(
  at: Scene,
  { from, to, who, wasIssued }: { from: PolicyStatus; to: PolicyStatus; who: Who; wasIssued: boolean },
) {
  await storeStatus(at, from, wasIssued)
  const arrows = wasIssued ? ARROWS_AGAIN : ARROWS
  const [before, tracesBefore] = [await policyRow(at), await traces(at)]
  const response = await put(at, at.tokens[who], { status: to, reason: 'a reason' })
  const step = `${who}: ${from} → ${to} returned ${response.text}`

  if (from === to) {
    assert.deepEqual([response.status, response.body.id, response.body.status], [200, at.id, to], step)
  } else if (arrows[from][to]?.includes(who)) {
    assert.equal(response.status, 200, step)
    assert.deepEqual([response.body.id, response.body.status], [at.id, to], step)
    const after = wasIssued || to === 'ISSUED' ? ARROWS_AGAIN : ARROWS
    const next = POLICY_STATUSES.filter((state) => after[to][state]?.includes(who))
    assert.deepEqual(new Set(response.body.allowed_transitions), new Set(next), step)
    assert.equal((await policyRow(at))?.['status'], to, step)
    const event = { user_id: at.user.id, insurance_policy_id: at.id, benefit_provider_id: at.provider.id, from, to }
    const { history, events } = tracesBefore
    assert.deepEqual(await traces(at), { history: [...history, [from, to]], events: [...events, event] }, step)
    return
  } else if (arrows[from][to]) assert.deepEqual([response.status, response.body.code], [403, 'forbidden'], step)
  else {
    const { status, code, current_state, allowed_transitions } = response.body
    assert.deepEqual([status, code, current_state], [409, 'invalid_state', from], step)
    const allowed = POLICY_STATUSES.filter((state) => arrows[from][state]?.includes(who))
    assert.deepEqual(new Set(allowed_transitions), new Set(allowed), step)
    assert.equal(allowed_transitions.length, allowed.length, step)
  }
  assert.deepEqual(await policyRow(at), before, step)
  assert.deepEqual(await traces(at), tracesBefore, step)
}

describe('PUT /v1/users/{user_id}/insurance_policies/{id}/status: the state table', () => {
  it('has the nine states of the contract', () => {
    assert.deepEqual(new Set<string>(POLICY_STATUSES), new Set(Object.keys(ARROWS)))
    assert.equal(POLICY_STATUSES.length, 9)
  })

  for (const from of POLICY_STATUSES) {
    for (const wasIssued of [false, true]) {
      if (wasIssued ? from === 'REJECTED' : !FIRST.includes(from)) continue
      const targets = Object.keys((wasIssued ? ARROWS_AGAIN : ARROWS)[from]).join(', ') || 'nothing'
      const when = wasIssued ? 'after an issue' : 'before the first issue'
      it(`200 from ${from} ${when} to ${targets}; any other is a 409 and changes nothing`, async () => {
        const at = await scene()
        for (const to of POLICY_STATUSES) {
          for (const who of EVERYONE) await tryTransition(at, { from, to, who, wasIssued })
        }
      })
    }
  }
})

describe('PUT /v1/users/{user_id}/insurance_policies/{id}/status: allowed callers', () => {
  it('401 without a token, 403 for the platform, the user and viewers', async () => {
    const at = await scene()
    assert.equal((await put(at, undefined, { status: 'VERIFICATION' })).status, 401)
    for (const token of [at.platform.token, at.user.token, t.viewer]) {
      assert.equal((await put(at, token, { status: 'VERIFICATION' })).status, 403)
    }
    assert.equal((await policyRow(at))?.['status'], 'PENDING')
    assert.equal((await traces(at)).history.length, 1)
  })

  it('404 for another benefit provider’s policy as for a missing one, even with a user of both', async () => {
    const at = await scene()
    const [stranger, second] = [await t.provider(), await t.provider()]
    await t.policy(at.platform, at.user, await t.benefit(at.platform, second))
    const missing = { address: `/v1/users/${at.user.id}/insurance_policies/pol_nothing` }
    for (const { token } of [stranger, second]) {
      for (const body of [{ status: 'VERIFICATION' }, {}]) {
        assertSameNotFound(await put(at, token, body), await put(missing, token, body))
      }
    }
    const elsewhere = { address: `/v1/users/${(await t.user(at.platform)).id}/insurance_policies/${at.id}` }
    assert.equal((await put(elsewhere, t.owner, { status: 'VERIFICATION' })).status, 404, 'another user’s address')
    assert.equal((await policyRow(at))?.['status'], 'PENDING')
  })

  it('422 when an owner reactivates an expired policy without a reason', async () => {
    const at = await scene()
    await storeStatus(at, 'EXPIRED')
    const before = await traces(at)
    for (const reason of [undefined, null, ' \n'])
      assert.deepEqual(errorsOf(await put(at, t.owner, { status: 'REQUIRES_POLICY_REISSUANCE', reason })), [
        '/reason required',
      ])
    assert.deepEqual(await traces(at), before)
    assert.equal((await policyRow(at))?.['status'], 'EXPIRED')
    const back = await put(at, t.owner, { status: 'REQUIRES_POLICY_REISSUANCE', reason: 'Expired by mistake' })
    assert.equal(back.status, 200)
  })

  it('422 reports every error at once', async () => {
    const at = await scene()
    const body = { status: 'LAPSED', reason: '', external_policy_id: 5, master_policy_number: 'x'.repeat(201) }
    assert.deepEqual(errorsOf(await put(at, t.owner, { ...body, provider_metadata: [] })), [
      '/external_policy_id type',
      '/master_policy_number too_long',
      '/provider_metadata type',
      '/reason too_short',
      '/status not_allowed',
    ])
    assert.deepEqual(errorsOf(await put(at, t.owner, {})), ['/status required'])
    assert.deepEqual(errorsOf(await put(at, t.owner, { status: 'REJECTED', reason: 'x'.repeat(501) })), [
      '/reason too_long',
    ])
    assert.deepEqual(
      errorsOf(await put({ address: '/v1/users/1/insurance_policies/a' }, t.owner, { status: 'PENDING' })),
      ['path:user_id format'],
    )
    assert.equal((await policyRow(at))?.['status'], 'PENDING')
  })
})
