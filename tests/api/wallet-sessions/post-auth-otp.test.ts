import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { afterEach, describe, it } from 'node:test'
import { LIMITS, openTestApp, type TestResponse } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'
import { openSessions, phoneInput } from '../../support/sessions.ts'

const t = await openTestApp()
const nodes = [t, await t.openNode()]
const { askOtp, resetLimits, codeOf } = openSessions(t)

/** Asks again while the limit of the address is too contended, as a caller does with a `Retry-After`. */
async function askUntilServed(input: object, node: Parameters<typeof askOtp>[1]): Promise<TestResponse> {
  for (;;) {
    const response = await askOtp(input, node)
    if (response.status !== 503) return response
    assert.match(response.headers['retry-after'] ?? '', /^[1-9]/)
  }
}

const somePhone = () => String(randomInt(1e9, 1e10))

afterEach(async () => {
  t.clock.at = undefined
  await resetLimits()
})

/** The row count of each table, including the queue's. */
async function rowCounts(): Promise<Record<string, number>> {
  const tables = await t.sql<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relkind = 'r' and relnamespace in ('banyan'::regnamespace, 'pgboss'::regnamespace)`,
  )
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from ${name}`)
  const rows = await t.sql<{ name: string; count: number }>(counts.join(' union all '))
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

/** Returns the tables to which the work adds rows, and how many. */
async function rowsAddedBy(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await rowCounts()
  await work()
  const after = await rowCounts()
  const added = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
  return Object.fromEntries(added.filter(([, count]) => count !== 0))
}

/** Phones that must be indistinguishable to callers; a code is sent only to the first. */
async function indistinguishable() {
  const [platform, disabled] = [await t.platform(), await t.platform()]
  const [user, ofDisabled] = [await t.user(platform), await t.user(disabled)]
  const token = t.owner
  await t.made('PUT', `/v1/platforms/${disabled.id}/status`, { token, body: { status: 'INACTIVE' } })
  return {
    known: phoneInput(platform, user.phone),
    'unknown phone': phoneInput(platform, somePhone()),
    'another platform’s phone': phoneInput(platform, (await t.user(await t.platform())).phone),
    'disabled platform': phoneInput(disabled, ofDisabled.phone),
  }
}

describe('POST /wallet/v1/auth/otp', () => {
  it('202 for what cannot be a platform, of which nothing is stored', async () => {
    const { status, body } = await askOtp(phoneInput({ id: 'anything at all' }, somePhone()))
    assert.equal(status, 202)
    const { challenge_id } = body
    const stored = await t.sql('select platform_id, user_id from otp_challenges where challenge_id = $1', [
      challenge_id,
    ])
    assert.deepEqual(stored, [{ platform_id: '', user_id: null }])
  })

  it('202 with the challenge, its expiry and the time of the next possible request', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    t.clock.at = new Date('2026-04-01T11:00:00.400Z')
    const asked = await askOtp(phoneInput(platform, user.phone))
    assert.equal(asked.status, 202, asked.text)
    const { challenge_id, ...times } = asked.body
    assert.match(challenge_id, /^otp_[0-9a-z]{26}$/)
    assert.deepEqual(times, { expires_at: '2026-04-01T11:05:00', resend_at: '2026-04-01T11:00:30' })
    assert.equal(asked.headers['cache-control'], 'no-store')
    assert.match(String(await codeOf(challenge_id)), /^[0-9]{6}$/)
    const jobs = (await t.startedJobs('send-otp')).filter((job) => job['challenge_id'] === challenge_id)
    assert.deepEqual(jobs, [{ challenge_id }])
  })

  it('202 in the same shape, with the same rows, whether the phone is known or not', async () => {
    const expected = { otp_challenges: 1, otp_limits: 2, events: 1, audit_entries: 1 }
    for (const [kind, input] of Object.entries(await indistinguishable())) {
      await resetLimits()
      const added = await rowsAddedBy(async () => {
        const { status, body, text, headers } = await askOtp(input)
        assert.equal(status, 202, `${kind}: ${text}`)
        assert.deepEqual(Object.keys(body), ['challenge_id', 'expires_at', 'resend_at'])
        assert.match(body.challenge_id, /^otp_[0-9a-z]{26}$/)
        assert.equal(headers['set-cookie'], undefined)
        assert.equal((await codeOf(body.challenge_id)) !== undefined, kind === 'known', kind)
      })
      assert.deepEqual(added, expected, kind)
    }
  })

  it('202 by the same statements in the same order, whether the phone is known or not', async () => {
    const seen: string[][] = []
    for (const input of Object.values(await indistinguishable())) {
      await resetLimits()
      t.sent.length = 0
      assert.equal((await askOtp(input)).status, 202)
      seen.push(t.sent.filter((name) => name.startsWith('otp_')))
    }
    assert.equal(seen[0]?.length, 2)
    for (const names of seen) assert.deepEqual(names, seen[0])
  })

  it('202 in the same shape for an unknown platform, which counts for the address only: nobody uses up a phone’s codes', async () => {
    const platform = await t.platform()
    const { phone } = await t.user(platform)
    const added = await rowsAddedBy(async () => {
      for (const id of ['plt_nobody', 'anything at all']) {
        const { status, body, headers, text } = await askOtp(phoneInput({ id }, phone))
        assert.equal(status, 202, text)
        assert.deepEqual(Object.keys(body), ['challenge_id', 'expires_at', 'resend_at'])
        assert.equal(headers['ratelimit-policy'], '"otps_of_address";q=300;w=3600')
        assert.equal(await codeOf(body.challenge_id), undefined)
      }
    })
    assert.deepEqual(added, { otp_challenges: 2, otp_limits: 1, events: 2, audit_entries: 2 })
    assert.equal((await askOtp(phoneInput(platform, phone))).status, 202)
  })

  it('404 outside production for an unknown platform, which is a mistake of the integration', async () => {
    const node = await t.openNode({ production: false })
    const platform = await t.platform()
    const added = await rowsAddedBy(async () => {
      const missing = await askOtp(phoneInput({ id: 'plt_nobody' }, somePhone()), node)
      assert.deepEqual([missing.status, missing.body.code], [404, 'not_found'], missing.text)
      assert.match(missing.body.detail, /platform_id/)
    })
    assert.deepEqual(added, {})
    assert.equal((await askOtp(phoneInput(platform, somePhone()), node)).status, 202)
  })

  it('202 trims dial code and number', async () => {
    const platform = await t.platform()
    const { phone } = await t.user(platform)
    const asked = await askOtp({ ...phoneInput(platform, `  ${phone} `), phone_country_code: ' +91 ' })
    assert.equal(asked.status, 202, asked.text)
    assert(await codeOf(asked.body.challenge_id))
    const again = await askOtp(phoneInput(platform, phone))
    assert.equal(again.status, 429, 'it is the same phone')
  })

  it('422 reports every error at once; nothing is recorded or counted', async () => {
    const good = phoneInput(await t.platform(), somePhone())
    const added = await rowsAddedBy(async () => {
      assert.deepEqual(errorsOf(await askOtp({})), [
        '/phone_country_code required',
        '/phone_number required',
        '/platform_id required',
      ])
      const bad = { platform_id: 7, phone_country_code: '91', phone_number: '12a' }
      assert.deepEqual(errorsOf(await askOtp(bad)), [
        '/phone_country_code format',
        '/phone_number format',
        '/platform_id type',
      ])
      assert.deepEqual(errorsOf(await askOtp({ ...good, platform_id: '' })), ['/platform_id too_short'])
      assert.deepEqual(errorsOf(await askOtp({ ...good, platform_id: 'p\u0000' })), ['/platform_id unstorable_text'])
      const long = { ...good, phone_country_code: '+1212', phone_number: '12345678901234' }
      assert.deepEqual(errorsOf(await askOtp(long)), ['/phone_number too_long'])
      const strict = await t.call('POST', '/wallet/v1/auth/otp', {
        body: { ...good, colour: 1 },
        headers: { prefer: 'handling=strict' },
      })
      assert.deepEqual(errorsOf(strict), ['/colour unknown'])
    })
    assert.deepEqual(added, {})
  })
})

/** Sets the clock to this many seconds after the start of the test's day. */
function at(seconds: number): void {
  t.clock.at = new Date(Date.UTC(2026, 3, 1) + seconds * 1000)
}

async function statusAt(seconds: number, input: object): Promise<string> {
  at(seconds)
  const { status, headers, body } = await askOtp(input)
  if (status === 429) assert.equal(body.code, 'rate_limited')
  return [status, headers['retry-after']].filter(Boolean).join(' ')
}

describe('POST /wallet/v1/auth/otp: limits per phone', () => {
  it('429 for a second code within 30 seconds, whatever the platform', async () => {
    const [one, other] = [await t.platform(), await t.platform()]
    const { phone } = await t.user(one)
    const added = await rowsAddedBy(async () => {
      assert.equal(await statusAt(0, phoneInput(one, phone)), '202')
      assert.equal(await statusAt(0, phoneInput(one, phone)), '429 30')
      assert.equal(await statusAt(10.5, phoneInput(other, phone)), '429 20')
      assert.equal(await statusAt(29.999, phoneInput(other, phone)), '429 1')
      assert.equal(await statusAt(30, phoneInput(one, phone)), '202')
      assert.equal(await statusAt(31, phoneInput(other, somePhone())), '202')
    })
    assert.deepEqual(added, { otp_challenges: 3, otp_limits: 3, events: 3, audit_entries: 3 })
  })

  it('202 and 429 state what remains: the time to the next code, the phone’s and the network’s limit', async () => {
    await resetLimits()
    const input = phoneInput(await t.platform(), somePhone())
    const policies = '"otp_pause";q=1;w=30, "otps_of_phone";q=5;w=3600, "otps_of_address";q=300;w=3600'
    const rates = async (seconds: number) => {
      at(seconds)
      const { status, headers } = await askOtp(input)
      assert.equal(headers['ratelimit-policy'], policies)
      return `${status} ${headers['ratelimit']}`
    }
    const left = (pause: string, phone: string, address: string) =>
      `"otp_pause";${pause}, "otps_of_phone";${phone}, "otps_of_address";${address}`
    assert.equal(await rates(0), `202 ${left('r=0;t=30', 'r=4;t=3600', 'r=299;t=3600')}`)
    assert.equal(await rates(10), `429 ${left('r=0;t=20', 'r=4;t=3590', 'r=299;t=3590')}`)
    assert.equal(await rates(30), `202 ${left('r=0;t=30', 'r=3;t=3600', 'r=298;t=3600')}`)
  })

  it('429 for a sixth code within an hour; rejected requests do not count', async () => {
    const [one, other] = [await t.platform(), await t.platform()]
    const { phone } = await t.user(one)
    for (const [index, of] of [one, other, one, other, one].entries()) {
      assert.equal(await statusAt(index * 60, phoneInput(of, phone)), '202')
      assert.equal(await statusAt(index * 60 + 20, phoneInput(of, phone)), '429 10')
    }
    assert.equal(await statusAt(300, phoneInput(other, phone)), '429 3300')
    assert.equal(await statusAt(3599.5, phoneInput(one, phone)), '429 1')
    assert.equal(await statusAt(3600, phoneInput(one, phone)), '202')
    assert.equal(await statusAt(3630, phoneInput(one, phone)), '429 30', 'the second one is not an hour ago yet')
    assert.equal(await statusAt(3660, phoneInput(one, phone)), '202')
  })

  it('202 for exactly one of 20 concurrent requests on two nodes: one challenge, one event', async () => {
    const platform = await t.platform()
    const input = phoneInput(platform, (await t.user(platform)).phone)
    t.clock.at = new Date()
    const added = await rowsAddedBy(async () => {
      const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => askOtp(input, nodes[n % 2])))
      const refused = responses.filter((response) => response.status !== 202)
      assert.equal(refused.length, 19)
      for (const { status, headers } of refused) assert.deepEqual([status, headers['retry-after']], [429, '30'])
    })
    assert.deepEqual(added, { otp_challenges: 1, otp_limits: 2, events: 1, audit_entries: 1 })
  })
})

describe('POST /wallet/v1/auth/otp: limit per IP address', () => {
  const from = (remoteAddress: string, input: object, headers: Record<string, string> = {}) =>
    t.app.inject({ method: 'POST', url: '/wallet/v1/auth/otp', remoteAddress, payload: input, headers })

  /** Records requests of this many phones, one per second from the start of the test's day. */
  async function use(times: number): Promise<void> {
    const sentAt = Array.from({ length: times }, (_, n) => Date.UTC(2026, 3, 1) + n * 1000)
    const key = t.deps.vault.blindIndex('otp_address', '127.0.0.1')
    await t.sql('insert into otp_limits (limit_key, sent_at_ms, seen_at) values ($1, $2, now())', [key, sentAt])
  }

  it('202 for 60 phones one after another: a carrier puts thousands of them behind one address', async () => {
    const platform = await t.platform()
    for (let n = 0; n < 60; n++) assert.equal(await statusAt(n, phoneInput(platform, somePhone())), '202')
  })

  it('429 for the 301st phone within an hour from one address, and no header circumvents it', async () => {
    const platform = await t.platform()
    await use(299)
    assert.equal(await statusAt(299, phoneInput(platform, somePhone())), '202')
    const phone = somePhone()
    assert.equal(await statusAt(600, phoneInput(platform, phone)), '429 3000')
    const claimed = await from('127.0.0.1', phoneInput(platform, phone), { 'x-forwarded-for': '203.0.113.9' })
    assert.equal(claimed.statusCode, 429)
    const elsewhere = await from('203.0.113.9', phoneInput(platform, phone))
    assert.equal(elsewhere.statusCode, 202, 'the errors above did not count against the phone')
    assert.equal(await statusAt(3599, phoneInput(platform, somePhone())), '429 1')
    assert.equal(await statusAt(3600, phoneInput(platform, somePhone())), '202')
    assert.equal(await statusAt(3600, phoneInput(platform, somePhone())), '429 1', 'the second one is not an hour ago')
  })

  it('202 for exactly 20 of 30 concurrent phones on two nodes from one address with 20 left', async () => {
    const platform = await t.platform()
    await use(280)
    at(280)
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => askUntilServed(phoneInput(platform, somePhone()), nodes[n % 2])),
    )
    const taken = responses.filter((response) => response.status === 202)
    const refused = responses.filter((response) => response.status === 429)
    const statuses = responses.map(({ status }) => status).join(' ')
    assert.deepEqual([taken.length, refused.length], [20, 10], statuses)
    for (const { headers } of refused) assert.equal(headers['retry-after'], '3320')
    const [counted] = await t.sql(
      'select max(cardinality(sent_at_ms)) as times, count(*)::int as limits from otp_limits',
    )
    assert.deepEqual(counted, { times: 300, limits: 21 }, 'what was refused counts for neither phone nor address')
  })
})

describe('POST /wallet/v1/auth/otp: limits of an installation', () => {
  it('429 by the configured limits', async () => {
    const limits = { ...LIMITS, otpPauseSeconds: 5, otpsOfPhone: 2, otpsOfAddress: 3, wrongOtps: 2 }
    const node = await t.openNode({ limits })
    const input = phoneInput(await t.platform(), somePhone())
    const statusThere = async (seconds: number, asked = input) => {
      at(seconds)
      const { status, headers, body } = await askOtp(asked, node)
      return [status, body.resend_at ?? headers['retry-after']].join(' ')
    }
    assert.equal(await statusThere(0), '202 2026-04-01T00:00:05')
    assert.equal(await statusThere(4), '429 1')
    assert.equal(await statusThere(5), '202 2026-04-01T00:00:10')
    assert.equal(await statusThere(60), '429 3540', 'two an hour')
    assert.equal(await statusThere(60, { ...input, phone_number: somePhone() }), '202 2026-04-01T00:01:05')
    assert.equal(await statusThere(60, { ...input, phone_number: somePhone() }), '429 3540', 'three an hour an address')
    const guess = () =>
      node.call('POST', '/wallet/v1/auth/otp/verify', { body: { challenge_id: 'otp_none', otp: '000000' } })
    assert.deepEqual([(await guess()).status, (await guess()).status, (await guess()).status], [401, 401, 429])
  })
})

describe('POST /wallet/v1/auth/otp: clocks that differ', () => {
  it('202 for a phone and an address counted by a clock that was a day ahead; limits still apply', async () => {
    const platform = await t.platform()
    const input = phoneInput(platform, somePhone())
    assert.equal(await statusAt(25 * 3600, input), '202')
    assert.equal(await statusAt(0, input), '202')
    assert.equal(await statusAt(1, input), '429 29')
  })

  it('429 for what a node with a clock slightly ahead has just counted', async () => {
    const platform = await t.platform()
    const input = phoneInput(platform, somePhone())
    assert.equal(await statusAt(10, input), '202')
    assert.equal(await statusAt(0, input), '429 30')
    assert.equal(await statusAt(39, input), '429 1')
    assert.equal(await statusAt(40, input), '202')
  })
})
