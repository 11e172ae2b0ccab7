import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { pathsBelow, readText } from '../support/sources.ts'
import type { Principal } from './role-table.ts'
import { addressOf, prepareWorld } from './world.ts'

/** A record of the world, a value of each filter that finds it, and one that leaves it out. */
type Filtered = { by: Principal; record: string; filters: Record<string, [finds: string, leavesOut: string]> }

const t = await openTestApp()
const ours = await prepareWorld(t)
const theirs = await prepareWorld(t)
const { ids } = ours
const CHANGED_AFTER: [string, string] = ['2026-01-01T00:00:00', '2099-01-01T00:00:00']
const idOf = (name: string): string => ids[name] ?? assert.fail(name)

const BOOKED = 'booked-for-the-filters'
await t.made('POST', addressOf('/v1/users/{user_id}/wallet/credits', ids), {
  token: ours.tokens.platform,
  body: { amount: 100, reference: BOOKED },
  headers: { 'idempotency-key': BOOKED },
})

const LISTS: Record<string, Filtered> = {
  '/v1/administrators': { by: 'owner', record: idOf('administrator_id'), filters: { status: ['ACTIVE', 'DISABLED'] } },
  '/v1/platforms': { by: 'viewer', record: idOf('platform_id'), filters: { status: ['ACTIVE', 'INACTIVE'] } },
  '/v1/sponsors': { by: 'platform', record: idOf('sponsor_id'), filters: { status: ['ACTIVE', 'INACTIVE'] } },
  '/v1/sponsor_names': {
    by: 'platform',
    record: idOf('sponsor_id'),
    filters: { status: ['ACTIVE', 'INACTIVE'], sponsor_id: [idOf('sponsor_id'), 'spn_missing'] },
  },
  '/v1/benefits': { by: 'platform', record: idOf('benefit_id'), filters: { status: ['ACTIVE', 'ARCHIVED'] } },
  '/v1/users/{user_id}/insurance_policies': {
    by: 'platform',
    record: idOf('insurance_policy_id'),
    filters: { status: ['ISSUED', 'REJECTED'] },
  },
  '/v1/insurance_policies': {
    by: 'platform',
    record: idOf('insurance_policy_id'),
    filters: {
      changed_after: CHANGED_AFTER,
      status: ['ISSUED', 'REJECTED'],
      benefit_id: [idOf('benefit_id'), 'bnf_missing'],
      benefit_provider_id: [idOf('benefit_provider_id'), 'bpr_missing'],
      due_before: ['2999-12-31', '1900-01-01'],
    },
  },
  '/v1/endorsements': {
    by: 'platform',
    record: idOf('endorsement_id'),
    filters: {
      changed_after: CHANGED_AFTER,
      state: ['ACCEPTED', 'REFUSED'],
      insurance_policy_id: [idOf('insurance_policy_id'), 'pol_missing'],
    },
  },
  '/v1/users/{user_id}/accounts': {
    by: 'platform',
    record: idOf('account_id'),
    filters: { status: ['PENDING', 'INACTIVE'], account_type: ['SAVINGS', 'HSA'] },
  },
  '/v1/accounts': {
    by: 'platform',
    record: idOf('account_id'),
    filters: { changed_after: CHANGED_AFTER, status: ['PENDING', 'INACTIVE'], account_type: ['SAVINGS', 'HSA'] },
  },
  '/v1/users/{user_id}/consultations': {
    by: 'platform',
    record: idOf('consultation_id'),
    filters: { status: ['OPEN', 'CLOSED'] },
  },
  '/v1/consultations': {
    by: 'platform',
    record: idOf('consultation_id'),
    filters: { changed_after: CHANGED_AFTER, status: ['OPEN', 'CLOSED'] },
  },
  '/v1/wallets': {
    by: 'platform',
    record: idOf('wallet_id'),
    filters: {
      changed_after: CHANGED_AFTER,
      wallet_status: ['COMPLETED', 'FAILED'],
      wallet_status_partner: ['ACTIVE', 'BLOCKED'],
    },
  },
  '/v1/users/{user_id}/wallet/transactions': {
    by: 'platform',
    record: BOOKED,
    filters: { from: ['2026-01-01', '2999-01-01'], to: ['2999-01-01', '2026-01-01'] },
  },
  '/wallet/v1/wallet/transactions': {
    by: 'wallet_user',
    record: BOOKED,
    filters: { from: ['2026-01-01', '2999-01-01'], to: ['2999-01-01', '2026-01-01'] },
  },
  '/v1/events': {
    by: 'platform',
    record: idOf('insurance_policy_id'),
    filters: {
      type: ['policy.status_changed', 'user.onboarded'],
      subject: [idOf('insurance_policy_id'), idOf('wallet_id')],
    },
  },
  '/v1/audit_log': {
    by: 'owner',
    record: idOf('user_id'),
    filters: {
      actor: [`platform:${idOf('platform_id')}`, 'platform:missing'],
      subject: [idOf('user_id'), 'missing'],
      action: ['change', 'revoke'],
      from: ['2026-01-01', '2999-01-01'],
      to: ['2999-01-01', '2026-01-01'],
    },
  },
  '/v1/sponsors/{sponsor_id}/deposits/{benefit_provider_id}/entries': {
    by: 'provider',
    record: idOf('insurance_policy_id'),
    filters: { from: ['2026-01-01', '2999-01-01'], to: ['2999-01-01', '2026-01-01'] },
  },
  '/v1/comparisons/{comparison_id}/differences': {
    by: 'provider',
    record: idOf('dependant_id'),
    filters: { difference: ['birth', 'doubled'] },
  },
  '/v1/imports/{import_id}/rows': {
    by: 'platform',
    record: idOf('dependant_id'),
    filters: { outcome: ['DONE', 'LOST'] },
  },
  '/v1/webhook_endpoints': {
    by: 'owner',
    record: idOf('webhook_endpoint_id'),
    filters: { owner: [idOf('platform_id'), idOf('benefit_provider_id')] },
  },
  '/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries': {
    by: 'platform',
    record: idOf('delivery_id'),
    filters: { status: ['PENDING', 'DELIVERED'] },
  },
}

/** Parameters that turn pages, or that a test of their own follows. */
const PAGING = ['limit', 'offset', 'after', 'order', 'format']
const ELSEWHERE: Record<string, string> = {
  '/v1/consultations?unanswered_by': 'get-all-consultations',
  '/v1/endorsements?due_before': 'endorsements',
  '/v1/next_actions?benefit_provider_id': 'get-next-actions',
  '/v1/next_actions?platform_id': 'get-next-actions',
  '/v1/next_actions?due_before': 'list-next-actions',
  '/v1/next_actions?who': 'list-next-actions',
  '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/{document_type}?issue':
    'get-insurance-policy-terms',
  '/v1/users/{user_id}/insurance_policies/{insurance_policy_id}/documents/health_card/{member_id}?issue':
    'get-insurance-policy-terms',
  '/v1/users/{user_id}/coverage?on': 'get-coverage',
  '/v1/users/{user_id}/coverage?dependant_id': 'get-coverage',
  '/v1/insurance_policies?assignee': 'put-insurance-policy-assignee',
  '/v1/insurance_policies/assignees?benefit_provider_id': 'get-insurance-policy-assignees',
  '/v1/insurance_policies?sent_back': 'get-waiting-insurance-policies',
  '/v1/webhook_endpoints?failing': 'webhook-endpoints',
  '/v1/statistics?platform_id': 'get-statistics',
  '/v1/exposure?credential_id': 'get-exposure',
  '/v1/exposure?from': 'get-exposure',
  '/v1/exposure?to': 'get-exposure',
  '/v1/sponsor_names?platform_id': 'get-lists-of-a-platform',
  '/v1/benefits?platform_id': 'get-lists-of-a-platform',
  '/v1/auth/oidc/login?return_to': 'get-auth-oidc-login',
}
const OF_THE_PROVIDER = ['/v1/auth/oidc/callback']

type Parameter = { in: string; name: string; schema?: { type?: string } }
const { paths } = JSON.parse(readText('openapi.json')) as {
  paths: Record<string, { get?: { parameters?: Parameter[] } }>
}
const parameters = Object.entries(paths)
  .filter(([path]) => !OF_THE_PROVIDER.includes(path))
  .flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter((one) => one.in === 'query' && !PAGING.includes(one.name))
      .map(({ name, schema }) => ({ filter: `${path}?${name}`, isRepeated: schema?.type === 'array' })),
  )
const declared = parameters.map(({ filter }) => filter)
const repeated = parameters.filter(({ isRepeated }) => isRepeated).map(({ filter }) => filter)

/** Returns whether a page of the caller's list has the record. The audit log goes on after entries that do not match. */
async function has(path: string, record: string, { token, query }: { token: string; query: string }): Promise<boolean> {
  const page = await t.made('GET', `${addressOf(path, ids)}?limit=100&${query}`, { token })
  const { data, total } = page as { data: unknown[]; total?: number }
  if (total !== undefined && data.length < 100) assert.equal(total, data.length, `the total of ?${query} is of all`)
  if (JSON.stringify(data).includes(record)) return true
  if (path !== '/v1/audit_log' || !page['has_more']) return false
  const after = new URLSearchParams(query)
  after.set('after', String(page['next']))
  return has(path, record, { token, query: String(after) })
}

describe('each filter of a list', () => {
  it('is one of these', () => {
    const walked = Object.entries(LISTS).flatMap(([path, { filters }]) =>
      Object.keys(filters).map((name) => `${path}?${name}`),
    )
    assert(declared.length > 20 && repeated.length > 5, 'they are found at all')
    assert.deepEqual([...walked, ...Object.keys(ELSEWHERE)].toSorted(), declared.toSorted())
    const tests = pathsBelow('tests')
    for (const [filter, test] of Object.entries(ELSEWHERE)) {
      const path = tests.find((one) => one.endsWith(`/${test}.test.ts`)) ?? assert.fail(test)
      assert.match(readText(path), new RegExp(filter.split('?')[1] ?? ''), `${test} asks with ${filter}`)
    }
  })

  for (const [path, { by, record, filters }] of Object.entries(LISTS)) {
    for (const [name, [finds, leavesOut]] of Object.entries(filters)) {
      it(`200 ${path}?${name} has the records of the value, no others, and none of another platform`, async () => {
        const ask = (values: string | string[], token: string | undefined = ours.tokens[by]) => {
          const query = [values].flat().map((value) => `${name}=${encodeURIComponent(value)}`)
          return has(path, record, { token, query: query.join('&') })
        }
        // The log of events shows an event when no older transaction is open, those of other tests included.
        await within(DEADLINE_MS, () => ask(finds))
        assert.equal(await ask(leavesOut), false, `${name}=${leavesOut} finds it, too`)
        const both = [leavesOut, finds]
        for (const values of repeated.includes(`${path}?${name}`) ? [both, both.toReversed()] : [])
          assert(await ask(values), 'each value counts, whatever its place')
        if (by === 'platform' && !path.includes('{')) assert.equal(await ask(finds, theirs.tokens.platform), false)
      })
    }
  }
})
