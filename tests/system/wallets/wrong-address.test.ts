import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { examine } from '../../../src/boot/doctor/doctor.ts'
import type { Report } from '../../../src/boot/doctor/finding.ts'
import { inspectConfig } from '../../../src/settings/config.ts'
import { findReasonToRetry } from '../../../src/domains/money/wallets/index.ts'
import { WrongAddressError } from '../../../src/domains/money/wallets/operator.ts'
import { openTestApp } from '../../support/app.ts'
import { operatorDouble, provision } from '../../support/wallets.ts'

const t = await openTestApp({ own: true })
const TRIES = 12

/** A wallet as created; the test itself runs the job of the worker. */
async function scene() {
  const { platform } = await t.offer()
  const user = await t.user(platform)
  const token = await t.walletToken(platform, user)
  await t.made('POST', '/wallet/v1/wallet', { token })
  return { userId: user.id, token }
}

type Wallet = Awaited<ReturnType<typeof scene>>

const statusOf = async ({ token }: Wallet) => (await t.made('GET', '/wallet/v1/wallet', { token })).wallet_status

const silence = () => Promise.reject(new Error('no response came'))

/** What `banyan doctor` says about wallets. */
async function walletFindings(): Promise<Report[]> {
  const reports: Report[] = []
  for await (const report of examine(inspectConfig({ DATABASE_URL: t.appUrl }))) reports.push(report)
  return reports.filter(({ check }) => check === 'wallets')
}

describe('an operator that responds 404 where wallets are created', () => {
  const wrongAddress = () => Promise.reject(new WrongAddressError('the operator has no POST /wallets'))
  const reasonsOf = async ({ userId }: Wallet) =>
    (
      await t.sql<{ to_status: string; reason: string | null }>(
        `select to_status, reason from user_status_changes where user_id = $1 and reason is not null order by change_id`,
        [userId],
      )
    ).map(({ to_status, reason }) => `${to_status}: ${reason}`)

  it('is named as the reason in the history, and by `doctor` while a wallet is RETRYING; silence is not', async () => {
    const silent = await scene()
    await assert.rejects(provision(t, operatorDouble({ create: silence }).operator, silent.userId))
    assert.equal(await findReasonToRetry(t.deps.db), null)
    assert.deepEqual(await reasonsOf(silent), [])

    const wallet = await scene()
    const { operator } = operatorDouble({ create: wrongAddress })
    await assert.rejects(provision(t, operator, wallet.userId), WrongAddressError)
    assert.equal(await statusOf(wallet), 'RETRYING')
    const reason = 'The operator responded 404 where wallets are created: its address in the settings is wrong.'
    assert.equal(await findReasonToRetry(t.deps.db), reason)
    const [finding] = await walletFindings()
    assert.deepEqual([finding?.state, finding?.says], ['warning', `A wallet is RETRYING: ${reason}`])
    assert.match(finding?.remedy ?? '', /^Correct OPERATOR_URL/)

    for (let run = 2; run < TRIES; run++) await assert.rejects(provision(t, operator, wallet.userId))
    await provision(t, operator, wallet.userId)
    assert.equal(await statusOf(wallet), 'FAILED')
    assert.deepEqual((await reasonsOf(wallet)).slice(-2), [`RETRYING: ${reason}`, `FAILED: ${reason}`])
    await provision(t, operatorDouble().operator, silent.userId)
    assert.equal(await findReasonToRetry(t.deps.db), undefined, 'none waits')
  })
})
