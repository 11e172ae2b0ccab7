import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OperatorResponse } from '../../../src/domains/money/wallets/operator.ts'
import { IndefiniteResponse } from '../../../src/kernel/outbound/measured-call.ts'
import { openTestApp } from '../../support/app.ts'
import { operatorDouble, provision } from '../../support/wallets.ts'

const t = await openTestApp({ own: true })
const TRIES = 12
const { platform } = await t.offer()

/** A wallet as created; the test itself runs the job of the worker. */
async function scene() {
  const user = await t.user(platform)
  const token = await t.walletToken(platform, user)
  await t.made('POST', '/wallet/v1/wallet', { token })
  return { userId: user.id, token }
}

const statusesOf = async ({ token }: Awaited<ReturnType<typeof scene>>) => {
  const { wallet_status, wallet_status_partner } = await t.made('GET', '/wallet/v1/wallet', { token })
  return `${wallet_status} ${wallet_status_partner}`
}

const silence = () => Promise.reject(new Error('no response came'))

describe('provisioning a wallet at an operator whose responses are none', () => {
  it('does not count attempts to which the operator gave no definite response, and looks the wallet up', async () => {
    const wallet = await scene()
    const page = () => Promise.reject(new IndefiniteResponse('a page of a gateway'))
    const ill = operatorDouble({ create: page })
    for (let run = 0; run < TRIES * 2; run++) await assert.rejects(provision(t, ill.operator, wallet.userId))
    assert.equal(await statusesOf(wallet), 'RETRYING UNKNOWN')
    const [row] = await t.sql('select tries from wallets where user_id = $1', [wallet.userId])
    assert.equal(row?.['tries'], 0)
    const well = operatorDouble({ find: async () => ({ status: 'ACTIVE', sequence: 1 }) })
    await provision(t, well.operator, wallet.userId)
    assert.deepEqual([well.calls, await statusesOf(wallet)], [['find'], 'COMPLETED ACTIVE'])
  })

  it('takes a 409 after a lost response as a reason to look again, not as a rejection', async () => {
    const TAKEN: OperatorResponse = { outcome: 'refused', reason: 'The operator responded 409.', mayBeHeld: true }
    const wallet = await scene()
    await assert.rejects(provision(t, operatorDouble({ create: silence }).operator, wallet.userId))
    let finds = 0
    const late = operatorDouble({
      create: async () => TAKEN,
      find: async () => (++finds < 4 ? undefined : { status: 'ACTIVE', sequence: 1 }),
    })
    await assert.rejects(provision(t, late.operator, wallet.userId), IndefiniteResponse)
    assert.equal(await statusesOf(wallet), 'RETRYING UNKNOWN')
    await provision(t, late.operator, wallet.userId)
    assert.deepEqual(late.calls, ['find', 'create', 'find', 'find', 'create', 'find'])
    assert.equal(await statusesOf(wallet), 'COMPLETED ACTIVE')

    const rejected = await scene()
    await provision(t, operatorDouble({ create: async () => TAKEN }).operator, rejected.userId)
    assert.equal(await statusesOf(rejected), 'FAILED UNKNOWN')
  })
})
