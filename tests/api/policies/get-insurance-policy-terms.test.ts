import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import type { PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import { openTestApp, PLAN } from '../../support/app.ts'
import { textOf } from '../../support/pdf.ts'
import { assertSameNotFound } from '../../support/problems.ts'
import { smallPdf } from '../../support/small-pdf.ts'

const t = await openTestApp()

afterEach(() => {
  t.calendar.at = undefined
})

/** Sets the calendar to noon of a day in India. */
const on = (day: string) => void (t.calendar.at = new Date(`${day}T12:00:00+05:30`))

/** A policy with the child Ravi, from 1 April 2026, whose renewal window opens on 1 March. */
async function scene() {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider, [{ ...PLAN, renewal_window_days: 30 }])
  const user = await t.onboardedUser(platform)
  const [ravi = ''] = await t.dependants({ ...user, token: platform.token }, ['Ravi'])
  on('2026-04-01')
  const id = await t.policy(platform, user, benefit, { dependant_ids: [ravi] })
  return { platform, provider, user, ravi, id, address: `/v1/users/${user.id}/insurance_policies/${id}` }
}
type Scene = Awaited<ReturnType<typeof scene>>

async function set({ address, provider }: Scene, ...path: PolicyStatus[]): Promise<void> {
  for (const status of path)
    await t.made('PUT', `${address}/status`, { token: provider.token, body: { status, reason: 'a reason' } })
}

async function issued(): Promise<Scene> {
  const at = await scene()
  await set(at, 'VERIFICATION', 'APPROVED', 'ISSUED')
  return at
}

const read = ({ address }: Scene, token: string | undefined, path = 'terms') =>
  t.call('GET', `${address}/${path}`, token === undefined ? {} : { token })

type Term = { start_date: string; end_date: string; issues: { issue: number }[] } & Record<string, unknown>
const termsOf = async (at: Scene): Promise<Term[]> => (await read(at, at.platform.token)).body.data

const daysOf = (terms: Term[]) =>
  terms.map(({ start_date, end_date, issues }) => [start_date, end_date, issues.map(({ issue }) => issue)])

const textOfDocument = async ({ address, user }: Scene, document: string): Promise<string> => {
  const response = await t.call('GET', `${address}/documents/${document}`, { token: user.token })
  assert.equal(response.status, 200, response.text)
  return await textOf(response.bytes)
}

describe('GET /v1/users/{user_id}/insurance_policies/{id}/terms', () => {
  it('200 the term with its issue, price and members, to everyone who may read the policy', async () => {
    const at = await issued()
    for (const token of [at.platform.token, at.user.token, at.provider.token, t.viewer]) {
      const { status, body } = await read(at, token)
      assert.equal(status, 200)
      const [{ issues, ...term }, ...others] = body.data
      assert.deepEqual(others, [])
      assert.deepEqual(term, {
        start_date: '2026-04-01',
        cover_from: '2026-04-01',
        end_date: '2027-03-31',
        ended_on: null,
        cancelled: false,
        members: [
          { person: 'member', id: 'self' },
          { person: 'dependant', id: at.ravi },
        ],
        premium_amounts: PLAN.premium_amounts,
      })
      assert.equal(issues.length, 1)
      assert.match(issues[0].issued_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    }
  })

  it('200 nothing before the first issue', async () => {
    const at = await scene()
    assert.deepEqual(await termsOf(at), [])
  })

  it('200 the term of today and the next one after an early renewal; a certificate that is awaited has no issue', async () => {
    const at = await issued()
    on('2027-03-06')
    await runCalendar(t.deps)
    await set(at, 'REQUIRES_POLICY_REISSUANCE')
    const running = ['2026-04-01', '2027-03-31', [1]]
    assert.deepEqual(daysOf(await termsOf(at)), [running, ['2027-04-01', '2028-03-31', []]])
    await set(at, 'ISSUED')
    assert.deepEqual(daysOf(await termsOf(at)), [running, ['2027-04-01', '2028-03-31', [2]]])
  })

  it('200 a certificate that is awaited at today’s terms of the plan has its price, the running term keeps its own', async () => {
    const at = await issued()
    const { benefit_id } = await t.made('GET', at.address, { token: at.platform.token })
    const dearer = { ...PLAN.premium_amounts, annual: { currency: 'INR', value: 13_500 } }
    const plans = [{ ...PLAN, renewal_window_days: 30, premium_amounts: dearer }]
    await t.made('PATCH', `/v1/benefits/${benefit_id}`, { token: t.owner, body: { plans } })
    on('2027-03-06')
    await runCalendar(t.deps)
    const body = { status: 'REQUIRES_POLICY_REISSUANCE', plan_terms: 'CURRENT', reason: 'a reason' }
    await t.made('PUT', `${at.address}/status`, { token: at.provider.token, body })
    const terms = await termsOf(at)
    assert.deepEqual(
      terms.map(({ premium_amounts }) => premium_amounts),
      [PLAN.premium_amounts, dearer],
    )
  })

  it('200 what a reissue repeats stays in its term; who was added is in the next one only', async () => {
    const at = await issued()
    await t.made('PATCH', `/v1/users/${at.user.id}/dependants/${at.ravi}`, {
      token: at.platform.token,
      body: { first_name: 'Ravindra' },
    })
    const body = { status: 'ISSUED', persons_version: 1 }
    await t.made('PUT', `${at.address}/status`, { token: at.provider.token, body })
    const terms = await termsOf(at)
    assert.deepEqual(daysOf(terms), [['2026-04-01', '2027-03-31', [1, 2]]])
    const members = terms[0]?.members as { id: string }[]
    assert.notEqual(members[1]?.id, at.ravi, 'the version that was printed last')
  })

  it('200 a term that a person ended has a last covered day, one that had not begun is cancelled', async () => {
    const at = await issued()
    t.clock.at = new Date('2026-08-12T06:00:00Z')
    const { token } = t.deps.tokens.issueToAdministrator({ role: 'owner', subject: 'test-terms' })
    const { token: viewer } = t.deps.tokens.issueToAdministrator({ role: 'viewer', subject: 'test-terms' })
    await t.made('PUT', `${at.address}/status`, { token, body: { status: 'EXPIRED', reason: 'left' } })
    const [term] = (await read(at, viewer)).body.data
    t.clock.at = undefined
    assert.deepEqual([term.ended_on, term.cancelled], ['2026-08-11', false])

    const early = await issued()
    on('2026-03-20')
    t.clock.at = new Date('2026-03-20T06:00:00Z')
    const owner = t.deps.tokens.issueToAdministrator({ role: 'owner', subject: 'test-terms' }).token
    await t.made('PUT', `${early.address}/status`, { token: owner, body: { status: 'EXPIRED', reason: 'left' } })
    const [cancelled] = (await read(early, owner)).body.data
    t.clock.at = undefined
    assert.deepEqual([cancelled.ended_on, cancelled.cancelled], [null, true])
  })

  it('200 an end on a day is its last covered day, also ahead; a term after it is cancelled', async () => {
    const at = await issued()
    const end = (day: string) =>
      t.made('PUT', `${at.address}/end`, { token: at.provider.token, body: { on: day, code: 'LEFT' } })
    await end('2026-08-12')
    const [term] = await termsOf(at)
    assert.deepEqual([term?.end_date, term?.ended_on, term?.cancelled], ['2027-03-31', '2026-08-12', false])

    await t.made('DELETE', `${at.address}/end`, { token: at.provider.token })
    on('2027-03-06')
    await runCalendar(t.deps)
    await set(at, 'ISSUED')
    await end('2027-03-20')
    assert.deepEqual(
      (await termsOf(at)).map(({ ended_on, cancelled }) => [ended_on, cancelled]),
      [
        ['2027-03-20', false],
        [null, true],
      ],
    )
  })

  it('200 one that the calendar ended has its whole term', async () => {
    const at = await issued()
    on('2028-03-31')
    await runCalendar(t.deps)
    const [term] = await termsOf(at)
    assert.deepEqual([term?.ended_on, term?.cancelled], [null, false])
  })

  it('404 outside the caller’s scope, 401 without a token', async () => {
    const at = await issued()
    const others = [await t.platform(), await t.provider(), await t.onboardedUser(at.platform)]
    const missing = await read({ ...at, address: at.address.replace(at.id, 'pol_missing') }, at.platform.token)
    for (const { token } of others) assertSameNotFound(await read(at, token), missing)
    assert.equal((await read(at, undefined)).status, 401)
  })
})

describe('documents after an early renewal', () => {
  async function renewed(): Promise<Scene> {
    const at = await issued()
    on('2027-03-06')
    await runCalendar(t.deps)
    await set(at, 'ISSUED')
    return at
  }

  it('200 are those of the running term to its last day, then of the next', async () => {
    const at = await renewed()
    for (const document of ['policy_certificate', 'health_card/self', `health_card/${at.ravi}`]) {
      on('2027-03-31')
      const running = await textOfDocument(at, document)
      assert.match(running, /1 April 2026/, document)
      assert.doesNotMatch(running, /2028/, document)
      on('2027-04-01')
      assert.match(await textOfDocument(at, document), /1 April 2027/, document)
    }
  })

  it('200 of an issue by its number, also while another one holds; 404 for one that does not exist', async () => {
    const at = await renewed()
    assert.match(await textOfDocument(at, 'policy_certificate?issue=2'), /1 April 2027/)
    on('2027-04-01')
    assert.match(await textOfDocument(at, 'policy_certificate?issue=1'), /1 April 2026/)
    for (const path of ['policy_certificate?issue=3', 'health_card/self?issue=3', 'enrollment_form?issue=1']) {
      const { status, body } = await read(at, at.user.token, `documents/${path}`)
      assert.deepEqual([status, body.code], [404, 'not_found'], path)
    }
    for (const issue of ['0', 'x', '1.5'])
      assert.equal((await read(at, at.user.token, `documents/policy_certificate?issue=${issue}`)).status, 422, issue)
  })

  it('200 an upload is for the newest issue, or for the one that is named', async () => {
    const at = await renewed()
    const download = async (query = '') => {
      const { bytes } = await t.call('GET', `${at.address}/documents/policy_certificate${query}`, at.user)
      return bytes
    }
    const upload = (text: string, query = '') =>
      t.call('PUT', `${at.address}/documents/policy_certificate${query}`, {
        token: at.provider.token,
        body: smallPdf(text),
        headers: { 'content-type': 'application/pdf' },
      })
    assert.equal((await upload('Next')).status, 200)
    assert.match(await textOfDocument(at, 'policy_certificate'), /1 April 2026/, 'the running term keeps its own')
    assert.equal((await upload('Running', '?issue=1')).status, 200)
    assert.deepEqual(await download(), smallPdf('Running'))
    assert.deepEqual(await download('?issue=2'), smallPdf('Next'))
    assert.equal((await upload('None', '?issue=3')).status, 404)
    const token = at.provider.token
    await t.made('DELETE', `${at.address}/documents/policy_certificate?issue=1`, { token })
    assert.match(await textOfDocument(at, 'policy_certificate'), /1 April 2026/)
  })

  it('404 an upload for a member that the issue does not cover', async () => {
    const at = await renewed()
    const { status } = await t.call('PUT', `${at.address}/documents/health_card/dep_unknown?issue=1`, {
      token: at.provider.token,
      body: smallPdf('A card'),
      headers: { 'content-type': 'application/pdf' },
    })
    assert.equal(status, 404)
  })
})
