import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import { openTestApp } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'
import { smallPdf } from '../../support/small-pdf.ts'
import { everythingStored } from '../../support/stored.ts'

const t = await openTestApp()

afterEach(() => {
  t.clock.at = undefined
})

async function scene(input: object = {}) {
  const { platform, provider, benefit } = await t.offer()
  const user = await t.onboardedUser(platform)
  const [ravi = '', mira = ''] = await t.dependants({ ...user, token: platform.token }, ['Ravi', 'Mira'])
  const id = await t.policy(platform, user, benefit, { dependant_ids: [ravi], ...input })
  return { platform, provider, benefit, user, ravi, mira, id, address: addressOf(user, id) }
}
type Scene = Awaited<ReturnType<typeof scene>>

const addressOf = (user: { id: string }, id: string) => `/v1/users/${user.id}/insurance_policies/${id}`

const transition = ({ address, provider }: Scene, status: string, reason?: string, token = provider.token) =>
  t.made('PUT', `${address}/status`, { token, body: { status, ...(reason !== undefined && { reason }) } })

const correct = (
  { user, platform }: Scene,
  id: string,
  first_name: string,
  token = platform.token,
): Promise<{ id: string }> => t.made('PATCH', `/v1/users/${user.id}/dependants/${id}`, { token, body: { first_name } })

const upload = ({ address, provider }: Scene, type: string, text: string) =>
  t.made('PUT', `${address}/documents/${type}`, {
    token: provider.token,
    body: smallPdf(text),
    headers: { 'content-type': 'application/pdf' },
  })

const list = ({ address }: { address: string }, token: string | undefined, query = '') =>
  t.call('GET', `${address}/timeline${query}`, token === undefined ? {} : { token })

type Entry = Record<string, string | number | string[] | null>

const NOTHING = {
  actor_kind: null,
  from: null,
  to: null,
  reason: null,
  issue: null,
  start_date: null,
  end_date: null,
  document_type: null,
  dependant_id: null,
  previous_version_id: null,
  on: null,
  code: null,
  fields: null,
}

/** The entries, oldest first; every other field must be null. */
async function reported(at: Scene, token = at.platform.token): Promise<Entry[]> {
  const { body } = await list(at, token, '?limit=100')
  const withoutTime = ({ at: time, ...entry }: Entry) => {
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    return entry
  }
  return body.data.map(withoutTime).toReversed()
}

const changed = (from: string | null, to: string, actor_kind: string, reason: string | null = null) => ({
  ...NOTHING,
  kind: 'STATUS_CHANGED',
  actor_kind,
  from,
  to,
  reason,
})

const issued = (issue: number, actor_kind: string, year = 2026) => ({
  ...NOTHING,
  kind: 'ISSUED',
  actor_kind,
  issue,
  start_date: `${year}-04-01`,
  end_date: `${year + 1}-03-31`,
})

describe('GET /v1/users/{user_id}/insurance_policies/{id}/timeline', () => {
  it('200 a whole life: enrolment, transitions with actor and reason, issues, documents, corrections', async () => {
    const at = await scene()
    await transition(at, 'VERIFICATION')
    await transition(at, 'APPROVED', 'सब ठीक है', t.operator)
    await transition(at, 'ISSUED')
    await upload(at, 'policy_certificate', 'First')
    await upload(at, 'policy_certificate', 'Second')
    await t.made('DELETE', `${at.address}/documents/policy_certificate`, { token: t.owner })
    const { id: second } = await correct(at, at.ravi, 'Ravindra')
    const again = { status: 'ISSUED', persons_version: 1 }
    await t.made('PUT', `${at.address}/status`, { token: t.owner, body: again })
    await t.made('PATCH', `/v1/users/${at.user.id}`, { token: t.operator, body: { last_name: 'Corrected' } })

    const document = { ...NOTHING, issue: 1, document_type: 'policy_certificate' }
    const expected = [
      changed(null, 'PENDING', 'platform'),
      changed('PENDING', 'VERIFICATION', 'provider'),
      changed('VERIFICATION', 'APPROVED', 'operator', 'सब ठीक है'),
      changed('APPROVED', 'ISSUED', 'provider'),
      issued(1, 'provider'),
      { ...document, kind: 'DOCUMENT_UPLOADED', actor_kind: 'provider' },
      { ...document, kind: 'DOCUMENT_UPLOADED', actor_kind: 'provider' },
      { ...document, kind: 'DOCUMENT_REMOVED', actor_kind: 'owner' },
      {
        ...NOTHING,
        kind: 'DEPENDANT_CORRECTED',
        actor_kind: 'platform',
        dependant_id: second,
        previous_version_id: at.ravi,
        fields: ['first_name'],
      },
      changed('ISSUED', 'REQUIRES_POLICY_REISSUANCE', 'platform'),
      changed('REQUIRES_POLICY_REISSUANCE', 'ISSUED', 'owner'),
      issued(2, 'owner'),
      { ...NOTHING, kind: 'MEMBER_CORRECTED', actor_kind: 'operator', fields: ['last_name'] },
      changed('ISSUED', 'REQUIRES_POLICY_REISSUANCE', 'operator'),
    ]
    for (const token of [at.platform.token, at.user.token, at.provider.token, t.viewer, t.operator, t.owner]) {
      assert.deepEqual(await reported(at, token), expected)
    }
    assert.ok(!(await everythingStored(t)).includes('सब ठीक है'), 'reasons stay sealed where they are kept')
  })

  it('200 transitions of a late calendar are in their order, although made together', async () => {
    t.clock.at = new Date('2026-04-01T12:00:00Z')
    const at = await scene()
    for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) await transition(at, status)
    t.clock.at = new Date('2027-04-10T12:00:00Z')
    const { token } = t.deps.tokens.issueToAdministrator({ role: 'owner', subject: 'test-timeline' })
    await transition(at, 'ISSUED', undefined, token)
    t.clock.at = new Date('2028-06-01T12:00:00Z')
    await runCalendar(t.deps)
    const later = t.deps.tokens.issueToAdministrator({ role: 'viewer', subject: 'test-timeline' }).token
    assert.deepEqual((await reported(at, later)).slice(5), [
      changed('ISSUED', 'REQUIRES_CUSTOMER_RENEWAL', 'system'),
      changed('REQUIRES_CUSTOMER_RENEWAL', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'system'),
      changed('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'ISSUED', 'owner'),
      issued(2, 'owner', 2027),
      changed('ISSUED', 'REQUIRES_CUSTOMER_RENEWAL', 'system'),
      changed('REQUIRES_CUSTOMER_RENEWAL', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'system'),
      changed('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'EXPIRED', 'system'),
    ])
  })

  it('200 has corrections of everyone it names, the nominee included, since it named them, and of nobody else', async () => {
    const before = await scene()
    const { id: second } = await correct(before, before.ravi, 'Ravindra')
    const nominee_details = { nominee_type: 'DEPENDANT', dependant_id: before.mira }
    const input = { start_date: '2027-04-01', dependant_ids: [second], nominee_details }
    const id = await t.policy(before.platform, before.user, before.benefit, input)
    const at = { ...before, id, address: addressOf(before.user, id) }
    const { id: third } = await correct(at, second, 'Ravi again', at.user.token)
    const { id: nominee } = await correct(at, at.mira, 'Meera', t.operator)
    const corrected = (actor_kind: string, dependant_id: string, previous_version_id: string) => ({
      ...NOTHING,
      kind: 'DEPENDANT_CORRECTED',
      actor_kind,
      dependant_id,
      previous_version_id,
      fields: ['first_name'],
    })
    const enrolled = changed(null, 'PENDING', 'platform')
    const ofUser = corrected('user', third, second)
    assert.deepEqual(await reported(at), [enrolled, ofUser, corrected('operator', nominee, at.mira)])
    assert.deepEqual(await reported(before), [enrolled, corrected('platform', second, before.ravi), ofUser])
    await t.sql('update dependants set actor = null, corrected_fields = null where dependant_id = $1', [third])
    const early = (await reported(before)).at(-1)
    assert.deepEqual([early?.['actor_kind'], early?.['fields']], [null, null], 'one from before they were kept')
    await transition(at, 'REJECTED', 'No')
    await correct(at, third, 'After the end')
    assert.equal((await reported(at)).length, 4)
  })

  it('200 newest first in pages: every entry is on exactly one, and the total is exact', async () => {
    const at = await scene()
    for (const status of ['VERIFICATION', 'PENDING', 'VERIFICATION', 'APPROVED', 'ISSUED']) await transition(at, status)
    const all = (await list(at, at.user.token)).body
    assert.deepEqual([all.total, all.limit, all.data.length], [7, 20, 7])
    assert.deepEqual([all.data[0].kind, all.data.at(-1).to], ['ISSUED', 'PENDING'])
    const pages = await Promise.all([0, 3, 6].map((offset) => list(at, at.user.token, `?limit=3&offset=${offset}`)))
    assert.deepEqual(
      pages.flatMap(({ body }) => body.data),
      all.data,
    )
    assert.match(String(pages[0]?.headers['link']), /timeline\?limit=3&offset=3>; rel="next"/)
    assert.deepEqual((await list(at, at.user.token, '?offset=7')).body, { data: [], limit: 20, offset: 7, total: 7 })
  })

  it('401 without a token; 404 for somebody else’s as for a missing one, whatever the query; 422', async () => {
    const at = await scene()
    assert.equal((await list(at, undefined)).status, 401)
    const [stranger, second] = [await t.provider(), await t.provider()]
    await t.policy(at.platform, at.user, await t.benefit(at.platform, second)) // it can see the user, not this policy
    for (const query of ['', '?limit=0']) {
      const missing = await list({ address: addressOf(at.user, 'pol_nothing') }, at.platform.token, query)
      for (const { token } of [await t.platform(), await t.user(at.platform), stranger, second]) {
        assertSameNotFound(await list(at, token, query), missing)
      }
    }
    const refused = await list(at, at.platform.token, '?limit=101&status=ISSUED')
    assert.deepEqual(errorsOf(refused), ['query:limit too_large', 'query:status unknown'])
    const malformed = await list({ address: addressOf({ id: 'me' }, 'x'.repeat(101)) }, at.platform.token)
    assert.deepEqual(errorsOf(malformed), ['path:insurance_policy_id too_long', 'path:user_id format'])
  })
})
