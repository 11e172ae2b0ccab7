import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestResponse, openTestApp, PLAN } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const rows = () => t.sql('select benefit_id, revision from benefits order by 1')
const idsOf = (response: TestResponse) => response.body.data.map(({ id }: { id: string }) => id)
const inr = (value: unknown, currency = 'INR') => ({ currency, value })

async function inputOf(plans: unknown = [PLAN]) {
  const provider = await t.provider()
  const sponsorId = await t.sponsor(await t.platform())
  return { name: 'Family health cover', benefit_provider_id: provider.id, sponsor_id: sponsorId, plans }
}

const create = (body: unknown, token: string = t.operator, headers: Record<string, string> = {}) =>
  t.call('POST', '/v1/benefits', { token, body, headers })

describe('POST /v1/benefits', () => {
  it('201 creates an ACTIVE benefit and returns its URL; windows default to 30 days', async () => {
    const exact = {
      ...PLAN,
      plan_code: 'EXACT',
      plan_name: 'Family floater',
      term_months: 1,
      renewal_window_days: 0,
      grace_days: 365,
      grace_cover: 'NONE',
      premium_gate: 'deposit',
    }
    const input = await inputOf([PLAN, exact])
    const response = await create({ ...input, colour: 'ignored' })
    assert.equal(response.status, 201)
    const { id, created_at, last_modified_at, ...rest } = response.body
    assert.match(id, /^bnf_[0-9a-z]{26}$/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.equal(last_modified_at, created_at)
    assert.deepEqual(rest, {
      ...input,
      status: 'ACTIVE',
      plans: [
        {
          ...PLAN,
          plan_name: null,
          renewal_window_days: 30,
          grace_days: 30,
          grace_cover: 'FULL',
          premium_gate: 'none',
        },
        exact,
      ],
    })
    assert.equal(response.headers['location'], `/v1/benefits/${id}`)
    const read = await t.call('GET', `/v1/benefits/${id}`, { token: t.viewer })
    assert.equal(read.text, response.text) // fields in the same order, too
  })

  it('422 for a cover in grace that there is none of', async () => {
    const response = await create(
      await inputOf([
        { ...PLAN, grace_cover: 'HALF', premium_gate: 'bank' },
        { ...PLAN, plan_code: 'B', grace_cover: null },
      ]),
    )
    assert.equal(response.status, 422)
    assert.deepEqual(
      response.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`),
      ['/plans/0/grace_cover not_allowed', '/plans/0/premium_gate not_allowed', '/plans/1/grace_cover type'],
    )
  })

  it('201 records its history and emits its event', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const input = { ...(await inputOf()), benefit_provider_id: provider.id, sponsor_id: await t.sponsor(platform) }
    const response = await create(input)
    const { id } = response.body
    const history = await t.sql(
      'select from_status, to_status, actor, request_id from catalogue_status_changes where entity_id = $1',
      [id],
    )
    const request_id = response.headers['x-request-id']
    assert.deepEqual(history, [{ from_status: null, to_status: 'ACTIVE', actor: 'operator:test-operator', request_id }])
    assert.deepEqual(await t.sql('select type, platform_id, data from events where subject = $1', [id]), [
      {
        type: 'benefit.created',
        platform_id: platform.id,
        data: { benefit_id: id, benefit_provider_id: provider.id },
      },
    ])
  })

  it('201 keeps amounts exactly and text byte for byte', async () => {
    const name = '  परिवार cover '
    for (const value of [0, 0.01, 0.1, 6022.5, 1234.56, 90_000_000_000_000]) {
      const premium_amounts = { annual: inr(value), daily: inr(value), sponsor_contribution: inr(value) }
      const plan = { ...PLAN, plan_code: ' योजना ', premium_amounts }
      const { body } = await create({ ...(await inputOf([plan])), name })
      assert.equal(body.name, name)
      assert.equal(body.plans[0].plan_code, plan.plan_code)
      assert.deepEqual(body.plans[0].premium_amounts, premium_amounts)
    }
  })

  it('201 the renewal window is 30 days, a quarter of a short term, or the requested value if shorter', async () => {
    for (const [term_months, asked, kept] of [
      [1, undefined, 7],
      [3, undefined, 21],
      [4, undefined, 28],
      [5, undefined, 30],
      [12, undefined, 30],
      [1, 27, 27],
      [1, 0, 0],
      [12, 335, 335],
    ] as const) {
      const { body } = await create(await inputOf([{ ...PLAN, term_months, renewal_window_days: asked }]))
      assert.equal(body.plans[0].renewal_window_days, kept, `${term_months} months`)
    }
  })

  it('401 and 403 for everyone but operators and owners; nothing is created', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const user = await t.user(platform)
    const body = { ...(await inputOf()), benefit_provider_id: provider.id, sponsor_id: await t.sponsor(platform) }
    const before = await rows()
    assert.equal((await t.call('POST', '/v1/benefits', { body })).status, 401)
    for (const token of [platform.token, provider.token, user.token, t.viewer]) {
      assert.equal((await create(body, token)).body.code, 'forbidden')
    }
    assert.deepEqual(await rows(), before)
  })

  it('422 for an unknown sponsor and benefit provider, both reported at once', async () => {
    const input = await inputOf()
    const before = await rows()
    const errors = async (change: object) => errorsOf(await create({ ...input, ...change }))
    const unknownProvider = '/benefit_provider_id unknown_reference'
    const unknownSponsor = '/sponsor_id unknown_reference'
    assert.deepEqual(await errors({ benefit_provider_id: 'bpr_none', sponsor_id: 'spn_none' }), [
      unknownProvider,
      unknownSponsor,
    ])
    assert.deepEqual(await errors({ benefit_provider_id: input.sponsor_id }), [unknownProvider])
    assert.deepEqual(await errors({ sponsor_id: input.benefit_provider_id }), [unknownSponsor])
    assert.deepEqual(await rows(), before)
  })

  it('422 reports every error at once; nothing is created', async () => {
    const input = await inputOf()
    const before = await rows()
    const errors = async (body?: unknown, headers?: Record<string, string>) =>
      errorsOf(await create(body, t.owner, headers))
    assert.deepEqual(await errors(), [' required'])
    assert.deepEqual(await errors({}), [
      '/benefit_provider_id required',
      '/name required',
      '/plans required',
      '/sponsor_id required',
    ])
    assert.deepEqual(await errors({ name: '', benefit_provider_id: 5, sponsor_id: '', plans: {} }), [
      '/benefit_provider_id type',
      '/name too_short',
      '/plans type',
      '/sponsor_id too_short',
    ])
    assert.deepEqual(await errors({ ...input, plans: [] }), ['/plans too_few'])
    const many = Array.from({ length: 51 }, (_, index) => ({ ...PLAN, plan_code: `P${index}` }))
    assert.deepEqual(await errors({ ...input, plans: many }), ['/plans too_many'])
    const strict = { ...input, status: 'ARCHIVED', plans: [{ ...PLAN, colour: 1 }] }
    assert.deepEqual(await errors(strict, { prefer: 'handling=strict' }), [
      '/plans/0/colour unknown',
      '/status unknown',
    ])
    assert.deepEqual(await rows(), before)
  })

  it('422 points at the plan of each error', async () => {
    const input = await inputOf()
    const errors = async (...plans: unknown[]) => errorsOf(await create({ ...input, plans }))
    assert.deepEqual(await errors(PLAN, { ...PLAN, term_months: 6 }), ['/plans/1 duplicate'])
    assert.deepEqual(await errors(PLAN, {}), [
      '/plans/1/plan_code required',
      '/plans/1/premium_amounts required',
      '/plans/1/term_months required',
    ])
    assert.deepEqual(await errors({ ...PLAN, term_months: 0, renewal_window_days: -1, grace_days: 366 }), [
      '/plans/0/grace_days too_large',
      '/plans/0/renewal_window_days too_small',
      '/plans/0/term_months too_small',
    ])
    assert.deepEqual(await errors({ ...PLAN, term_months: 1.5 }), ['/plans/0/term_months type'])
    assert.deepEqual(await errors({ ...PLAN, term_months: '12' }), ['/plans/0/term_months type'])
    const window = (term_months: unknown, renewal_window_days: unknown) =>
      errors({ ...PLAN, plan_code: 'LONG', term_months: 600 }, { ...PLAN, term_months, renewal_window_days })
    const tooLong = ['/plans/1/renewal_window_days too_large']
    for (const [term, days] of [
      [1, 28],
      [1, 365],
      [1, 366],
      [12, 336],
    ]) {
      assert.deepEqual(await window(term, days), tooLong, `${days} days of ${term} months`)
    }
    assert.deepEqual(await window('1', 28), ['/plans/1/term_months type'])
    const words = (await create({ ...input, plans: [{ ...PLAN, term_months: 2, renewal_window_days: 60 }] })).text
    assert.match(words, /Must be less than 56, the shortest term in days/)
    const amounts = (annual: unknown) => errors({ ...PLAN, premium_amounts: { ...PLAN.premium_amounts, annual } })
    const at = '/plans/0/premium_amounts/annual'
    assert.deepEqual(await amounts(inr(1.001)), [`${at}/value format`])
    assert.deepEqual(await amounts(inr(-0.01)), [`${at}/value too_small`])
    assert.deepEqual(await amounts(inr(90_000_000_000_001)), [`${at}/value too_large`])
    assert.deepEqual(await amounts(inr('12')), [`${at}/value type`])
    assert.deepEqual(await amounts(inr(12, 'USD')), [`${at}/currency not_allowed`])
    assert.deepEqual(await amounts({}), [`${at}/currency required`, `${at}/value required`])
  })
})

describe('GET /v1/benefits', () => {
  it('200 shows each caller what belongs to it: platforms and users, benefit providers, administrators', async () => {
    const [ours, theirs] = [await t.platform(), await t.platform()]
    const [first, second] = [await t.provider(), await t.provider()]
    const user = await t.user(ours)
    const a = await t.benefit(ours, first)
    const b = await t.benefit(ours, second)
    const c = await t.benefit(theirs, first)
    const seen = async (token: string) => idsOf(await t.call('GET', '/v1/benefits', { token }))
    assert.deepEqual(await seen(ours.token), [b, a])
    assert.deepEqual(await seen(user.token), [b, a])
    assert.deepEqual(await seen(theirs.token), [c])
    assert.deepEqual(await seen(first.token), [c, a])
    assert.deepEqual(await seen(second.token), [b])
    for (const token of [t.viewer, t.operator, t.owner]) assert.deepEqual((await seen(token)).slice(0, 3), [c, b, a])
  })

  it('200 lists ACTIVE ones by default, page by page with an exact total', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const made: string[] = []
    for (let count = 0; count < 3; count++) made.unshift(await t.benefit(platform, provider))
    const [newest = '', ...older] = made
    await t.made('DELETE', `/v1/benefits/${newest}`, { token: t.owner })
    const list = (query: string) => t.call('GET', `/v1/benefits?${query}`, { token: platform.token })

    assert.deepEqual(idsOf(await list('')), older)
    assert.deepEqual(idsOf(await list('status=ACTIVE')), older)
    assert.deepEqual(idsOf(await list('status=ARCHIVED')), [newest])
    const page = await list('status=ARCHIVED&status=ACTIVE&limit=2&offset=1')
    assert.deepEqual(idsOf(page), older)
    assert.deepEqual([page.body.limit, page.body.offset, page.body.total], [2, 1, 3])
    const path = '/v1/benefits?status=ARCHIVED&status=ACTIVE&limit=2'
    assert.match(page.headers['link'] ?? '', new RegExp(`<${path.replaceAll('?', '\\?')}&offset=0>; rel="prev"`))
    assert.doesNotMatch(page.headers['link'] ?? '', /rel="next"/)
    assert.deepEqual((await list('offset=50')).body, { data: [], limit: 20, offset: 50, total: 2 })
  })

  it('401 without a token, 422 for wrong parameters', async () => {
    assert.equal((await t.call('GET', '/v1/benefits')).status, 401)
    const response = await t.call('GET', '/v1/benefits?status=GONE&limit=0&colour=red', { token: t.viewer })
    assert.deepEqual(errorsOf(response), ['query:colour unknown', 'query:limit too_small', 'query:status not_allowed'])
    assert.match(response.text, /ACTIVE, ARCHIVED/)
  })
})

describe('GET /v1/benefits/{benefit_id}', () => {
  it('200 with the same ETag for everyone who may see it, archived or not; 304 for a matching If-None-Match', async () => {
    const platform = await t.platform()
    const provider = await t.provider()
    const user = await t.user(platform)
    const url = `/v1/benefits/${await t.benefit(platform, provider)}`
    const readers = [platform.token, user.token, provider.token, t.viewer]
    const read = (token: string, headers: Record<string, string> = {}) => t.call('GET', url, { token, headers })
    const tags = new Set<string | undefined>()
    for (const token of readers) tags.add((await read(token)).headers['etag'])
    assert.equal(tags.size, 1)
    const [etag = ''] = tags
    const again = await read(user.token, { 'if-none-match': etag })
    assert.deepEqual([again.status, again.text], [304, ''])
    await t.made('DELETE', url, { token: t.owner })
    for (const token of readers) {
      const response = await read(token, { 'if-none-match': etag })
      assert.deepEqual([response.status, response.body.status], [200, 'ARCHIVED'])
    }
  })

  it('401, 404 for another platform’s as for a missing one, 422', async () => {
    const platform = await t.platform()
    const stranger = await t.platform()
    const provider = await t.provider()
    const id = await t.benefit(platform, provider)
    const read = (path: string, token: string) => t.call('GET', `/v1/benefits/${path}`, { token })
    assert.equal((await t.call('GET', `/v1/benefits/${id}`)).status, 401)
    const missing = await read('bnf_none', t.owner)
    for (const { token } of [stranger, await t.user(stranger), await t.provider()]) {
      assertSameNotFound(await read(id, token), missing)
      assertSameNotFound(await read(`${id}?colour=red`, token), missing)
    }
    assert.deepEqual(errorsOf(await read('x'.repeat(101), stranger.token)), ['path:benefit_id too_long'])
    assert.deepEqual(errorsOf(await read(`${id}?colour=red`, platform.token)), ['query:colour unknown'])
  })
})
