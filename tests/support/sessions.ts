import assert from 'node:assert/strict'
import { codeToSend } from '../../src/access/otp.ts'
import type { TestResponse, TestApp } from './app.ts'

export type Pair = {
  access_token: string
  refresh_token: string
  access_token_expires_at: number
  refresh_token_expires_at: number
  success: boolean
}

export const phoneInput = (platform: { id: string }, phone: string) => ({
  platform_id: platform.id,
  phone_country_code: '+91',
  phone_number: phone,
})

/** Another code of six digits. */
export const wrongFor = (code: string, by = 1) => String((Number(code) + by) % 1e6).padStart(6, '0')

/** The claims of an access token. */
export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())

/** A process of the installation. */
type Node = Pick<TestApp, 'call'>

/** Signing in to the wallet, for tests of its steps and of what follows. */
export function openSessions(t: TestApp) {
  const askOtp = (input: object, { call }: Node = t) => call('POST', '/wallet/v1/auth/otp', { body: input })

  const verifyOtp = (challenge_id: string, otp: string, { call }: Node = t) =>
    call('POST', '/wallet/v1/auth/otp/verify', { body: { challenge_id, otp } })

  const refresh = (refresh_token: string) =>
    t.call('POST', '/wallet/v1/auth/token/refresh', { body: { refresh_token } })

  const logOut = (refresh_token: string) => t.call('POST', '/wallet/v1/auth/logout', { body: { refresh_token } })

  /** Every test calls from one IP address, so requests of other tests must not count. */
  const resetLimits = () => t.sql('delete from otp_limits')

  /** The code of a challenge from the SMS; undefined when none is sent. */
  async function codeOf(challengeId: string): Promise<string | undefined> {
    return (await codeToSend(t.deps.db, t.deps.vault, challengeId))?.code
  }

  async function challengeFor(
    platform: { id: string },
    user: { phone: string },
  ): Promise<{ id: string; code: string }> {
    await resetLimits()
    const asked = await askOtp(phoneInput(platform, user.phone))
    assert.equal(asked.status, 202, asked.text)
    const id: string = asked.body.challenge_id
    const code = await codeOf(id)
    assert(code, 'a code is sent to a known phone')
    return { id, code }
  }

  async function signIn(platform: { id: string }, user: { phone: string }): Promise<Pair> {
    const { id, code } = await challengeFor(platform, user)
    return pairFrom(await verifyOtp(id, code))
  }

  const refreshed = async (token: string): Promise<Pair> => pairFrom(await refresh(token))

  return { askOtp, verifyOtp, refresh, refreshed, logOut, resetLimits, codeOf, challengeFor, signIn }
}

function pairFrom(response: TestResponse): Pair {
  assert.equal(response.status, 200, response.text)
  return response.body
}
