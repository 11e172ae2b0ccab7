import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { POLICY_TRANSITIONS, type PolicyState, undoOf } from '../../../dashboard/src/api/policy-transitions.ts'
import type { UserId } from '../../../src/access/user-id.ts'
import { cardOfMember } from '../../../src/domains/cover/documents/card-of-member.ts'
import { openTestApp } from '../../support/app.ts'
import { enrolFamily, type PolicyScene } from '../../support/issued-policies.ts'

const t = await openTestApp()

/** Within the first term of every enrolment here, whenever this runs. */
beforeEach(() => void (t.calendar.at = new Date('2026-07-01T06:00:00Z')))
afterEach(() => void (t.calendar.at = undefined))

const ISSUE = ['VERIFICATION', 'APPROVED', 'ISSUED'] as const
const AGAIN = [...ISSUE, 'REQUIRES_POLICY_REISSUANCE', 'VERIFICATION'] as const

/** The ways from an enrolment to each state: before its first issue, and after it. */
const WAYS: Readonly<Record<PolicyState, readonly (readonly PolicyState[])[]>> = {
  PENDING: [[], [...AGAIN, 'PENDING']],
  VERIFICATION: [['VERIFICATION'], AGAIN],
  APPROVED: [
    ['VERIFICATION', 'APPROVED'],
    [...AGAIN, 'APPROVED'],
  ],
  ISSUED: [ISSUE],
  REQUIRES_POLICY_REISSUANCE: [[...ISSUE, 'REQUIRES_POLICY_REISSUANCE']],
  REQUIRES_CUSTOMER_RENEWAL: [[...ISSUE, 'REQUIRES_CUSTOMER_RENEWAL']],
  REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: [[...ISSUE, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE']],
  EXPIRED: [[...ISSUE, 'EXPIRED']],
  REJECTED: [],
}

const set = (at: PolicyScene, ...states: readonly PolicyState[]) =>
  states.reduce(
    (before, status) =>
      before.then(() =>
        t.made('PUT', `${at.address}/status`, { token: t.owner, body: { status, reason: 'a reason' } }),
      ),
    Promise.resolve(),
  )

async function policyAfter(way: readonly PolicyState[]): Promise<PolicyScene> {
  const questionnaire = { questions: [{ question: 'Do you smoke?', answer: false }] }
  const at = await enrolFamily(t, { input: { questionnaire } })
  await set(at, ...way)
  return at
}

const read = async (at: PolicyScene, what = '') => (await t.call('GET', at.address + what, { token: t.owner })).body

async function rowOf({ id }: PolicyScene): Promise<object> {
  const [row] = await t.sql('select * from insurance_policies where policy_id = $1', [id])
  // The version counts on, and what is encrypted is encrypted again.
  const {
    revision: _revision,
    last_modified_at: _at,
    status_since: _since,
    sealed: _sealed,
    ...rest
  } = row as Record<string, unknown>
  return rest
}

async function documentAt(url: string): Promise<object> {
  const { status, headers, bytes } = await t.call('GET', url, { token: t.owner })
  return { url, status, etag: headers['etag'], content: hash('sha256', bytes) }
}

async function cardCheckOf(at: PolicyScene, memberId: string): Promise<object> {
  const card = cardOfMember(t.deps.vault, { userId: at.user.id as UserId, policyId: at.id, memberId })
  const url = `/C/${t.deps.cards.issue(card.id)}`
  const { checked_at: _at, ...check } = (await t.app.inject({ url, headers: { accept: 'application/json' } })).json()
  return check
}

/** Everything that anybody can see of a policy, and its row: but for the time of the last change and its history. */
async function everythingOf(at: PolicyScene) {
  const { last_modified_at: _at, ...record } = await read(at)
  const { since: _since, ...status } = await read(at, '/status')
  const { health_cards: cards, ...plain } = record.documents
  const urls = [...Object.values<string | null>(plain), ...Object.values<string>(cards)].filter((url) => url !== null)
  return {
    record,
    status,
    row: await rowOf(at),
    documents: await Promise.all(urls.map(documentAt)),
    cards: await Promise.all(['self', ...at.dependants].map((member) => cardCheckOf(at, member))),
  }
}

describe('“Undo” after a step that was made with many policies', () => {
  it('leaves each policy as it was: record, status, documents and card check; nothing else is offered', async () => {
    const offered: string[] = []
    for (const transition of POLICY_TRANSITIONS)
      for (const way of WAYS[transition.from]) {
        const at = await policyAfter(way)
        const status = await read(at, '/status')
        if (!status.allowed_transitions.includes(transition.to)) continue
        const undo = undoOf(transition, 'owner', status)
        if (!undo) continue
        const before = await everythingOf(at)
        await set(at, transition.to)
        await t.made('PUT', `${at.address}/status`, { token: t.owner, body: { status: undo.to } }) // as the dashboard does
        const name = `${[...way, transition.to].join(', ')}; ${undo.to}`
        assert.deepEqual(await everythingOf(at), before, name)
        offered.push(name)
      }
    assert.deepEqual(offered, ['VERIFICATION; PENDING', 'VERIFICATION, PENDING; VERIFICATION'])
  })

  it('is not offered for what the opposite arrow of the table would not take back', async () => {
    for (const [step, opposite, role] of [
      [{ from: 'ISSUED', to: 'REQUIRES_CUSTOMER_RENEWAL' }, 'ISSUED', 'owner'], // starts the next term
      [{ from: 'ISSUED', to: 'REQUIRES_POLICY_REISSUANCE' }, 'ISSUED', 'benefit_provider'], // makes another issue
      [{ from: 'REQUIRES_POLICY_REISSUANCE', to: 'ISSUED' }, 'REQUIRES_POLICY_REISSUANCE', 'benefit_provider'],
    ] as const) {
      const transition = POLICY_TRANSITIONS.find(({ from, to }) => from === step.from && to === step.to)
      assert(transition)
      const [way = []] = WAYS[step.from]
      const at = await policyAfter(way)
      const before = await everythingOf(at)
      assert.equal(undoOf(transition, role, await read(at, '/status')), undefined, `${step.from} → ${step.to}`)
      await set(at, step.to, opposite)
      assert.notDeepEqual(await everythingOf(at), before, `${step.from} → ${step.to} → ${opposite} is no inverse`)
    }
  })
})
