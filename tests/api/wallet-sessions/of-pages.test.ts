import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertHidden, assertReadable } from '../../access/pages.ts'
import { openTestApp } from '../../support/app.ts'
import { openSessions, phoneInput } from '../../support/sessions.ts'

const t = await openTestApp()
const sessions = openSessions(t)
const [platform, other] = [await t.platform(), await t.platform()]
const user = await t.onboardedUser(platform)

const OWN = 'https://wallet.own.example'
const APP = 'capacitor://localhost'
const OTHERS = 'https://wallet.other.example'
const UNKNOWN = 'https://wallet.unknown.example'

for (const [{ id }, web_origins] of [
  [platform, [OWN, APP]],
  [other, [OTHERS]],
] as const) {
  await t.made('PUT', `/v1/platforms/${id}/web_origins`, { token: t.operator, body: { web_origins } })
}
await t.webOrigins.read()

describe('a page that signs in to the wallet', () => {
  const at = (origin: string) => (url: string, body: object) =>
    t.call('POST', `/wallet/v1/auth/${url}`, { body, headers: { origin } })

  it('202 and 200 and readable from the pages of the platform: request, check, refresh and log-out', async () => {
    for (const origin of [OWN, APP]) {
      const call = at(origin)
      await sessions.resetLimits()
      const asked = await call('otp', phoneInput(platform, user.phone))
      assert.equal(asked.status, 202, asked.text)
      const otp = (await sessions.codeOf(asked.body.challenge_id)) ?? ''
      const pair = await call('otp/verify', { challenge_id: asked.body.challenge_id, otp })
      assert.equal(pair.status, 200, pair.text)
      const next = await call('token/refresh', { refresh_token: pair.body.refresh_token })
      assert.equal(next.status, 200)
      const ended = await call('logout', { refresh_token: next.body.refresh_token })
      assert.equal(ended.status, 200)
      for (const response of [asked, pair, next, ended]) assertReadable(response, origin)
    }
  })

  for (const origin of [OTHERS, UNKNOWN, 'null']) {
    it(`403 from ${origin}: no code is sent, used up or counted, and no session moves on or ends`, async () => {
      const call = at(origin)
      const { id: challenge_id, code: otp } = await sessions.challengeFor(platform, user)
      await sessions.resetLimits()
      const pair = await sessions.signIn(platform, user)
      const codes = () => t.sql('select challenge_id from otp_challenges')
      const before = await codes()
      const refused = [
        await call('otp', phoneInput(platform, user.phone)),
        await call('otp/verify', { challenge_id, otp }),
        await call('otp/verify', { challenge_id, otp: '000000' }),
        await call('token/refresh', { refresh_token: pair.refresh_token }),
        await call('logout', { refresh_token: pair.refresh_token }),
      ]
      for (const response of refused) {
        assert.deepEqual([response.status, response.body.code], [403, 'forbidden'])
        assert.match(response.body.detail, /web_origins/)
        if (origin === OTHERS) assertReadable(response, origin)
        else assertHidden(response)
      }
      assert.deepEqual(await codes(), before)
      assert.equal((await sessions.verifyOtp(challenge_id, otp)).status, 200, 'the code was not used up')
      assert.equal((await sessions.refresh(pair.refresh_token)).status, 200, 'the session goes on')
    })
  }

  it('401 and readable for a code or a token that is not known, to a page of any platform; 403 to others', async () => {
    const wrong: [string, object][] = [
      ['otp/verify', { challenge_id: 'otp_missing', otp: '123456' }],
      ['token/refresh', { refresh_token: 'byn_rt_missing' }],
    ]
    for (const [url, body] of wrong) {
      const response = await at(OTHERS)(url, body)
      assert.equal(response.status, 401)
      assertReadable(response, OTHERS)
      assert.equal((await at(UNKNOWN)(url, body)).status, 403)
    }
    await sessions.resetLimits()
  })
})
