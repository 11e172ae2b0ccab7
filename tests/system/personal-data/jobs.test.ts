import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { openSessions, phoneInput } from '../../support/sessions.ts'
import { operatorDouble } from '../../support/wallets.ts'
import { createWorker } from '../../wallets/company.ts'
import { rowsByTable } from '../../personal-data/scenes.ts'

const t = await openTestApp({ own: true })
const { askOtp } = openSessions(t)
const DEADLINE_MS = 30_000

describe('jobs about a user who was erased before they ran', () => {
  it('end without calling anyone, and are not retried', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform) // an account to open
    await t.made('POST', '/wallet/v1/wallet', { token: await t.walletToken(platform, user) })
    assert.equal((await askOtp(phoneInput(platform, user.phone))).status, 202)
    await t.made('DELETE', `/v1/users/${user.id}`, { token: platform.token })

    const called: string[] = []
    const calls = (company: string) => async () => {
      called.push(company)
      throw new Error('nobody is called')
    }
    const { operator } = operatorDouble({ create: calls('operator') })
    const stop = await createWorker(t, {
      operator,
      operatorCallbackUrl: 'http://banyan.test/events',
      accountProvider: { openAccount: calls('account provider') },
      sms: { send: calls('sms') },
    })
    after(stop)
    const jobs = () => t.sql<{ name: string; state: string }>('select name, state from pgboss.job order by name')
    await within(DEADLINE_MS, async () => {
      const all = await jobs()
      return all.length >= 3 && all.every(({ state }) => state === 'completed')
    })
    assert.deepEqual(
      (await jobs()).map(({ name }) => name),
      ['open-account', 'provision-wallet', 'send-otp'],
    )
    assert.deepEqual(called, [])
    await within(DEADLINE_MS, async () => {
      const { accounts, wallets, otp_challenges } = await rowsByTable(t, user.id)
      return accounts === 0 && wallets === 0 && otp_challenges === 0
    })
  })
})
