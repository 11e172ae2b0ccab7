import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp, type TestPlatform, type TestProvider, type TestResponse } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

/** A process set up as on a cluster, for which the lists are read in another form. */
const unshared = await t.openNode({ batching: false })

async function list(token: string, query: string): Promise<TestResponse> {
  const call = ['GET', `/v1/insurance_policies${query}`, { token }] as const
  const [response, other] = [await t.call(...call), await unshared.call(...call)]
  assert.deepEqual([other.status, other.body.data], [response.status, response.body.data])
  return response
}
const idsOf = ({ body, text }: TestResponse): string[] => {
  assert(body.data, text)
  return body.data.map(({ id }: Body) => id)
}

/** Follows `next` to the end. */
async function allOf(token: string, query: string): Promise<string[]> {
  const page = await list(token, query)
  const { next } = page.body
  const [, more] = /(?:^|[?&])after=([^&]+)/.exec(query) ?? []
  assert(next === null || next !== more)
  const base = query.replace(/&after=.*$/, '')
  return next === null ? idsOf(page) : [...idsOf(page), ...(await allOf(token, `${base}&after=${next}`))]
}

type Scene = {
  platform: TestPlatform
  provider: TestProvider
  policies: { id: string; url: string; userUrl: string }[]
}

async function scene(count: number): Promise<Scene> {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider)
  const policies: Scene['policies'] = []
  for (let index = 0; index < count; index++) {
    const user = await t.onboardedUser(platform)
    const id = await t.policy(platform, user, benefit)
    const userUrl = `/v1/users/${user.id}`
    policies.push({ id, userUrl, url: `${userUrl}/insurance_policies/${id}/status` })
  }
  return { platform, provider, policies }
}

const storeSince = (id: string, at: string | null) =>
  t.sql('update insurance_policies set status_since = $2 where policy_id = $1', [id, at])

const minute = (value: number) => `2026-04-01 10:${String(value).padStart(2, '0')}:00.123456Z`

describe('GET /v1/insurance_policies?order=oldest', () => {
  it('200 those that wait longest first, in pages that meet every policy once, also among equal times', async () => {
    const { platform, provider, policies } = await scene(6)
    const [a, b, c, d, e, f] = policies.map(({ id }) => id) as [string, string, string, string, string, string]
    for (const [id, at] of [
      [a, 5],
      [b, 2],
      [c, 2],
      [d, 9],
      [e, 1],
    ] as const)
      await storeSince(id, minute(at))
    await t.sql('update insurance_policies set status = $2 where policy_id = $1', [d, 'APPROVED'])
    await t.sql('update insurance_policies set status = $2 where policy_id = $1', [e, 'ISSUED'])
    await t.sql('update insurance_policies set created_at = $2, status_since = null where policy_id = $1', [
      f,
      minute(7),
    ])
    const expected = [...[b, c].toSorted(), a, f, d]
    for (const [token, filter] of [
      [platform.token, ''],
      [provider.token, ''],
      [t.owner, `&benefit_provider_id=${provider.id}`],
    ] as const) {
      assert.deepEqual(await allOf(token, `?order=oldest&limit=2${filter}`), expected)
      assert.deepEqual(await allOf(token, `?order=oldest&limit=1&status=PENDING${filter}`), expected.slice(0, 4))
    }
    const { data } = (await list(provider.token, '?order=oldest')).body
    assert.deepEqual(
      data.map(({ status_since }: Body) => status_since),
      ['2026-04-01T10:02:00', '2026-04-01T10:02:00', '2026-04-01T10:05:00', null, '2026-04-01T10:09:00'],
    )
  })

  it('200 by the last transition, not by the last change', async () => {
    const { platform, provider, policies } = await scene(2)
    const [first, second] = policies
    assert(first && second)
    const before = (await list(provider.token, '?order=oldest')).body.data
    await t.made('PATCH', first.userUrl, { token: platform.token, body: { first_name: 'Asha Maria' } })
    const after = (await list(provider.token, '?order=oldest')).body.data
    assert.deepEqual(idsOf(await list(provider.token, '')), [first.id, second.id], 'it has changed last')
    assert.deepEqual(
      after.map(({ id, status_since }: Body) => [id, status_since]),
      before.map(({ id, status_since }: Body) => [id, status_since]),
    )
    await storeSince(first.id, minute(1))
    await t.made('PUT', first.url, { token: provider.token, body: { status: 'VERIFICATION' } })
    const status = (await t.call('GET', first.url, { token: provider.token })).body
    const { data } = (await list(provider.token, '?order=oldest')).body
    assert.deepEqual([data[1].id, data[1].status_since], [first.id, status.since])
  })

  it('422 a state in which nobody waits, another order, and the order of days', async () => {
    const { token } = await t.provider()
    const wrong = {
      'order=oldest&status=ISSUED&status=PENDING': 'query:status not_allowed',
      'order=newest': 'query:order not_allowed',
      'order=oldest&due_before=2026-04-01': 'query:due_before not_allowed',
      'sent_back=true&due_before=2026-04-01': 'query:due_before not_allowed',
      'sent_back=false': 'query:sent_back not_allowed',
    }
    for (const [query, error] of Object.entries(wrong))
      assert.deepEqual(errorsOf(await list(token, `?${query}`)), [error], query)
    const { provider } = await scene(2)
    const { next } = (await list(provider.token, '?limit=1&order=oldest')).body
    const other = await list(provider.token, `?limit=1&after=${next}`)
    assert.deepEqual(errorsOf(other), ['query:after unknown_reference'])
  })
})

describe('GET /v1/insurance_policies?sent_back=true', () => {
  const sentBack = async (made: Scene, index: number) => {
    const { url, id } = made.policies[index] ?? assert.fail()
    await t.made('PUT', url, { token: made.provider.token, body: { status: 'VERIFICATION' } })
    await t.made('PUT', url, { token: made.provider.token, body: { status: 'PENDING', reason: 'A birth is missing' } })
    return id
  }

  it('200 what the insurer sent back, that which waits longest first, to both sides and administrators', async () => {
    const made = await scene(3)
    const [second, first] = [await sentBack(made, 1), await sentBack(made, 0)]
    await storeSince(second, minute(2))
    await storeSince(first, minute(1))
    const filter = `&benefit_provider_id=${made.provider.id}`
    for (const token of [made.platform.token, made.provider.token, t.owner])
      assert.deepEqual(await allOf(token, `?sent_back=true&limit=1${filter}`), [first, second])
    const { data } = (await list(made.provider.token, '')).body
    assert.deepEqual(
      data.map(({ is_sent_back }: Body) => is_sent_back),
      [true, true, false],
    )
    assert.deepEqual(idsOf(await list((await t.platform()).token, '?sent_back=true')), [])
    for (const { id, url } of made.policies)
      assert.equal(
        (await t.call('GET', url, { token: made.platform.token })).body.is_sent_back,
        id !== made.policies[2]?.id,
      )
  })

  it('200 without what was put back without a reason, as by who had taken it up by mistake', async () => {
    const made = await scene(1)
    const { url } = made.policies[0] ?? assert.fail()
    for (const status of ['VERIFICATION', 'PENDING'])
      await t.made('PUT', url, { token: made.provider.token, body: { status } })
    assert.deepEqual(idsOf(await list(made.provider.token, '?sent_back=true')), [])
  })

  it('200 no more once the partner corrects a person, or the application moves on', async () => {
    const made = await scene(3)
    const [corrected, , rejected] = [await sentBack(made, 0), await sentBack(made, 1), await sentBack(made, 2)]
    await t.made('PATCH', made.policies[1]?.userUrl ?? '', {
      token: made.platform.token,
      body: { email: 'a@example.com' },
    })
    assert.equal((await list(made.provider.token, '?sent_back=true')).body.data.length, 3, 'an e-mail is no correction')
    await t.made('PATCH', made.policies[0]?.userUrl ?? '', {
      token: made.platform.token,
      body: { first_name: 'Asha Maria' },
    })
    await t.made('PUT', made.policies[1]?.url ?? '', { token: made.provider.token, body: { status: 'VERIFICATION' } })
    assert.deepEqual(idsOf(await list(made.provider.token, '?sent_back=true')), [rejected])
    await t.made('PUT', made.policies[2]?.url ?? '', {
      token: made.provider.token,
      body: { status: 'REJECTED', reason: 'No reply' },
    })
    assert.deepEqual(idsOf(await list(made.provider.token, '?sent_back=true')), [])
    const { data } = (await list(made.provider.token, '?status=PENDING')).body
    assert.deepEqual(
      data.map(({ id, is_sent_back }: Body) => [id, is_sent_back]),
      [[corrected, false]],
    )
  })

  it('200 none that a node of the version before has taken up, which does not know the mark', async () => {
    const made = await scene(1)
    const id = await sentBack(made, 0)
    await t.sql('update insurance_policies set status = $2 where policy_id = $1', [id, 'VERIFICATION'])
    assert.deepEqual(idsOf(await list(made.provider.token, '?sent_back=true')), [])
    assert.equal((await list(made.provider.token, '')).body.data[0].is_sent_back, false)
  })
})
