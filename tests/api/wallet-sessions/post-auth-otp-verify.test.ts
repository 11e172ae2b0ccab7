import assert from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import { afterEach, describe, it } from 'node:test'
import { type TestResponse, openTestApp, ORIGIN } from '../../support/app.ts'
import { assertSameProblem, errorsOf } from '../../support/problems.ts'
import { claimsOf, openSessions, phoneInput, wrongFor } from '../../support/sessions.ts'
import { everythingStored, hasWord } from '../../support/stored.ts'

const t = await openTestApp()
const { askOtp, verifyOtp, challengeFor, codeOf, resetLimits } = openSessions(t)

const CODE_SECONDS = 300
const ACCESS_SECONDS = 15 * 60
const REFRESH_SECONDS = 30 * 86_400

afterEach(() => void (t.clock.at = undefined))

async function scene() {
  const platform = await t.platform()
  const user = await t.user(platform)
  return { platform, user, challenge: await challengeFor(platform, user) }
}

const sessionsOf = (user: { id: string }) => t.sql('select 1 from refresh_families where user_id = $1', [user.id])

const stateOf = async (challenge: { id: string }) =>
  (
    await t.sql('select wrong_codes, used_at is not null as is_used from otp_challenges where challenge_id = $1', [
      challenge.id,
    ])
  )[0]

function assertRefused(response: TestResponse): void {
  assert.equal(response.status, 401, response.text)
  assert.equal(response.body.code, 'otp_invalid')
  assert.equal(response.headers['www-authenticate'], 'OTP')
}

describe('POST /wallet/v1/auth/otp/verify', () => {
  it('200 returns a token pair with its expiry times, valid for the wallet', async () => {
    const { platform, user, challenge } = await scene()
    t.clock.at = new Date()
    const now = Math.floor(t.clock.at.getTime() / 1000)
    const response = await verifyOtp(challenge.id, challenge.code)
    assert.equal(response.status, 200, response.text)
    const { access_token, refresh_token, ...rest } = response.body
    assert.deepEqual(rest, {
      access_token_expires_at: now + ACCESS_SECONDS,
      refresh_token_expires_at: now + REFRESH_SECONDS,
      success: true,
    })
    assert.match(refresh_token, /^byn_rt_[A-Za-z0-9_-]{43}_[0-9a-z]{7}$/)
    assert.equal(response.headers['cache-control'], 'no-store')

    const header = JSON.parse(Buffer.from(access_token.split('.')[0], 'base64url').toString())
    assert.deepEqual(header, { alg: 'EdDSA', typ: 'at+jwt', kid: 'test-1' })
    const { jti, client_id, ...claims } = claimsOf(access_token)
    assert.match(jti, /^[A-Za-z0-9_-]{22}$/)
    assert.match(client_id, /^ses_[0-9a-z]{26}$/)
    assert.deepEqual(claims, {
      iss: ORIGIN,
      aud: `${ORIGIN}/wallet/v1`,
      iat: now,
      exp: now + ACCESS_SECONDS,
      role: 'wallet_user',
      sub: user.id,
      platform_id: platform.id,
      epoch: 1,
      user_id: user.id,
    })
    const wallet = await t.call('POST', '/wallet/v1/wallet', { token: access_token })
    assert.deepEqual([wallet.status, wallet.body.user_id], [201, user.id])
  })

  it('401 for a code sent to a phone that the user no longer has, however it changed; no session begins', async () => {
    const changes = {
      profile: (token: string, { id }: { id: string }) =>
        t.call('PATCH', `/v1/users/${id}`, { token, body: { phone_country_code: '+91', phone_number: '9811000001' } }),
      'id proof': (token: string) =>
        t.call('POST', '/v1/auth/token', {
          token,
          body: { id_proof: { number: 'PROOF1' }, phone_country_code: '+91', phone_number: '9811000002' },
        }),
    }
    for (const [name, change] of Object.entries(changes)) {
      const { platform, user } = await scene()
      const body = { id_proof: { number: 'PROOF1' }, phone_country_code: '+91', phone_number: user.phone }
      await t.made('POST', '/v1/auth/token', { token: platform.token, body })
      const sent = await challengeFor(platform, user)
      assert.equal((await change(platform.token, user)).status, 200, name)
      assertRefused(await verifyOtp(sent.id, sent.code))
      assert.deepEqual(await sessionsOf(user), [], name)
    }
  })

  it('401 for a code sent before the user was erased; no session begins', async () => {
    const { platform, user, challenge } = await scene()
    await t.made('DELETE', `/v1/users/${user.id}`, { token: platform.token })
    assertRefused(await verifyOtp(challenge.id, challenge.code))
    assert.deepEqual(await sessionsOf(user), [])
  })

  it('200 for the right code once: it is then used up', async () => {
    const { user, challenge } = await scene()
    assert.equal((await verifyOtp(challenge.id, challenge.code)).status, 200)
    assertRefused(await verifyOtp(challenge.id, challenge.code))
    assert.equal((await sessionsOf(user)).length, 1)
    assert.deepEqual(await stateOf(challenge), { wrong_codes: 0, is_used: true })
  })

  it('200 for exactly one of 20 concurrent attempts with the right code', async () => {
    const { user, challenge } = await scene()
    const responses = await Promise.all(Array.from({ length: 20 }, () => verifyOtp(challenge.id, challenge.code)))
    const refused = responses.filter((response) => response.status !== 200)
    assert.equal(refused.length, 19)
    refused.forEach(assertRefused)
    assert.equal((await sessionsOf(user)).length, 1)
  })

  it('200 after four wrong codes', async () => {
    const { challenge } = await scene()
    for (let n = 1; n <= 4; n++) assertRefused(await verifyOtp(challenge.id, wrongFor(challenge.code, n)))
    assert.equal((await verifyOtp(challenge.id, challenge.code)).status, 200)
  })

  it('401 for the right code after five wrong ones', async () => {
    const { user, challenge } = await scene()
    for (let n = 1; n <= 5; n++) assertRefused(await verifyOtp(challenge.id, wrongFor(challenge.code, n)))
    assertRefused(await verifyOtp(challenge.id, challenge.code))
    assert.deepEqual(await sessionsOf(user), [])
    assert.deepEqual(await stateOf(challenge), { wrong_codes: 5, is_used: false })
  })

  it('401 for the right code after 20 concurrent wrong ones, five of which were checked', async () => {
    const { user, challenge } = await scene()
    const tries = Array.from({ length: 20 }, (_, n) => verifyOtp(challenge.id, wrongFor(challenge.code, n + 1)))
    for (const response of await Promise.all(tries)) assertRefused(response)
    assert.deepEqual(await stateOf(challenge), { wrong_codes: 5, is_used: false })
    assertRefused(await verifyOtp(challenge.id, challenge.code))
    assert.deepEqual(await sessionsOf(user), [])
  })

  it('200 until five minutes after it was requested, 401 from then on', async () => {
    const platform = await t.platform()
    const [early, late] = [await t.user(platform), await t.user(platform)]
    const askedAt = Date.now()
    t.clock.at = new Date(askedAt)
    const [one, other] = [await challengeFor(platform, early), await challengeFor(platform, late)]
    t.clock.at = new Date(askedAt + CODE_SECONDS * 1000)
    assertRefused(await verifyOtp(other.id, other.code))
    assert.deepEqual(await stateOf(other), { wrong_codes: 0, is_used: false })
    assert.deepEqual(await sessionsOf(late), [])
    t.clock.at = new Date(askedAt + CODE_SECONDS * 1000 - 1)
    assert.equal((await verifyOtp(one.id, one.code)).status, 200)
  })

  it('401 for another challenge: a code belongs to its own', async () => {
    const platform = await t.platform()
    const [user, other] = [await t.user(platform), await t.user(platform)]
    const own = await challengeFor(platform, user)
    let foreign = await challengeFor(platform, other)
    while (foreign.code === own.code) foreign = await challengeFor(platform, other)
    assertRefused(await verifyOtp(foreign.id, own.code))
    assertRefused(await verifyOtp(own.id, foreign.code))
    assert.deepEqual([await sessionsOf(user), await sessionsOf(other)], [[], []])
    const pair = await verifyOtp(own.id, own.code)
    assert.equal(claimsOf(pair.body.access_token).sub, user.id)
  })

  it('401 when the platform was disabled after the code was sent', async () => {
    const { platform, user, challenge } = await scene()
    const status = `/v1/platforms/${platform.id}/status`
    await t.made('PUT', status, { token: t.owner, body: { status: 'INACTIVE' } })
    assertRefused(await verifyOtp(challenge.id, challenge.code))
    assert.deepEqual(await sessionsOf(user), [])
  })

  it('401, identical whatever the reason', async () => {
    const { platform, challenge: wrong } = await scene()
    const words = await verifyOtp(wrong.id, wrongFor(wrong.code))
    assertRefused(words)
    const { challenge: used } = await scene()
    await verifyOtp(used.id, used.code)
    const { challenge: late } = await scene()
    await t.sql('update otp_challenges set expires_at = now() where challenge_id = $1', [late.id])
    const nobody = await challengeOfNobody(platform)
    const tries = [used, late, nobody, { id: 'otp_none', code: '123456' }]
    for (const { id, code } of tries) assertSameProblem(await verifyOtp(id, code), words)
  })

  /** With the code that would be right if one had been sent. */
  async function challengeOfNobody(platform: { id: string }) {
    await resetLimits()
    const { body } = await askOtp(phoneInput(platform, String(randomInt(1e9, 1e10))))
    const id: string = body.challenge_id
    const set = (userId: string | null) =>
      t.sql('update otp_challenges set user_id = $2 where challenge_id = $1', [id, userId])
    await set('000000000000')
    const code = await codeOf(id)
    await set(null)
    assert(code)
    return { id, code }
  }

  it('422 reports every error at once, and counts no attempt', async () => {
    const { challenge } = await scene()
    const verify = async (body: object) => errorsOf(await t.call('POST', '/wallet/v1/auth/otp/verify', { body }))
    assert.deepEqual(await verify({}), ['/challenge_id required', '/otp required'])
    const number = Number(challenge.code)
    assert.deepEqual(await verify({ challenge_id: challenge.id, otp: number }), ['/otp type'])
    assert.deepEqual(await verify({ challenge_id: '', otp: '1' }), ['/challenge_id too_short', '/otp format'])
    for (const otp of [
      `${challenge.code.slice(0, 3)} ${challenge.code.slice(3)}`,
      `${challenge.code}0`,
      ` ${challenge.code}`,
    ])
      assert.deepEqual(await verify({ challenge_id: challenge.id, otp }), ['/otp format'])
    assert.deepEqual(await verify({ challenge_id: challenge.id, otp: '1\u0000' }), [
      '/otp format',
      '/otp unstorable_text',
    ])
    assert.deepEqual(await stateOf(challenge), { wrong_codes: 0, is_used: false })
  })
})

describe('POST /wallet/v1/auth/otp/verify: limit per IP address', () => {
  const from = (remoteAddress: string, { id, code }: { id: string; code: string }) =>
    t.app.inject({
      method: 'POST',
      url: '/wallet/v1/auth/otp/verify',
      remoteAddress,
      payload: { challenge_id: id, otp: code },
    })

  /** Tries this many wrong codes, at most five per challenge. */
  async function guess(times: number): Promise<void> {
    for (let n = 0; n < times; n++) assertRefused(await verifyOtp(`otp_guess_${Math.floor(n / 5)}`, '123456'))
  }

  it('429 after 30 wrong codes within an hour, even for the right code, which stays valid', async () => {
    const { user, challenge } = await scene()
    const start = Date.now()
    t.clock.at = new Date(start)
    await guess(30)
    t.clock.at = new Date(start + 60_000)
    const refused = await verifyOtp(challenge.id, challenge.code)
    assert.deepEqual([refused.status, refused.body.code, refused.headers['retry-after']], [429, 'rate_limited', '3540'])
    assert.equal((await verifyOtp(challenge.id, wrongFor(challenge.code))).status, 429)
    assert.deepEqual(await stateOf(challenge), { wrong_codes: 0, is_used: false }, 'no code was looked at')
    assert.deepEqual(await sessionsOf(user), [])
    assert.equal((await from('203.0.113.9', challenge)).statusCode, 200, 'from elsewhere it works')
    t.clock.at = new Date(start + 3_600_000)
    await guess(1)
  })

  it('200, 401 and 429 state how many wrong codes remain', async () => {
    await resetLimits()
    const { challenge } = await scene()
    t.clock.at = new Date()
    const rates = async (code: string) => {
      const { status, headers } = await verifyOtp(challenge.id, code)
      assert.equal(headers['ratelimit-policy'], '"wrong_otps";q=30;w=3600')
      return `${status} ${headers['ratelimit']}`
    }
    assert.equal(await rates(wrongFor(challenge.code)), '401 "wrong_otps";r=29;t=3600')
    assert.equal(await rates(challenge.code), '200 "wrong_otps";r=29;t=3600')
    await guess(29)
    assert.equal(await rates(challenge.code), '429 "wrong_otps";r=0;t=3600')
    await resetLimits()
  })

  it('200 for right codes does not count', async () => {
    const platform = await t.platform()
    const users = await Promise.all(Array.from({ length: 3 }, () => t.user(platform)))
    const challenges = []
    for (const user of users) challenges.push(await challengeFor(platform, user))
    await guess(29)
    for (const { id, code } of challenges) assert.equal((await verifyOtp(id, code)).status, 200)
    await guess(1)
    assert.equal((await verifyOtp('otp_guess', '123456')).status, 429)
  })

  it('401 for exactly 10 of 20 concurrent wrong codes when 10 remain, 429 for the others', async () => {
    await resetLimits()
    await guess(20)
    const tries = Array.from({ length: 20 }, (_, n) => verifyOtp(`otp_guess_${n}`, '123456'))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    const count = (status: number) => statuses.filter((one) => one === status).length
    assert.deepEqual([count(401), count(429)], [10, 10])
  })

  it('401 for exactly 30 of 50 concurrent wrong codes on two nodes, the first from this address', async () => {
    const { challenge } = await scene()
    await resetLimits()
    const nodes = [t, await t.openNode()]
    const tries = Array.from({ length: 50 }, (_, n) => verifyOtp(`otp_guess_${n}`, '123456', nodes[n % 2]))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    const count = (status: number) => statuses.filter((one) => one === status).length
    assert.deepEqual([count(401), count(429)], [30, 20])
    assert.equal((await verifyOtp(challenge.id, challenge.code)).status, 429)
  })
})

describe('the stored code', () => {
  it('is a keyed hash bound to its challenge: the code itself is nowhere, not even in the queue', async () => {
    const challenges = await Promise.all([1, 2, 3].map(() => scene()))
    const stored = await everythingStored(t)
    for (const { challenge, user } of challenges) {
      const { id, code } = challenge
      const inputs = [code, Buffer.from(code).toString('hex'), Buffer.from(code).toString('base64')]
      const hashes = [code, `${id}${code}`, `${id}\0${code}`, `${id}:${code}`].map((text) =>
        createHash('sha256').update(text).digest('hex'),
      )
      assert(stored.includes(id), 'the right tables are looked at')
      for (const input of [...inputs, ...hashes]) assert(!hasWord(stored, input))
      assert(!stored.includes(user.phone), 'the phone is not stored in clear either')
    }
  })
})
