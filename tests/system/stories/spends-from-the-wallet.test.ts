import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { openInstallation } from './installation.ts'

it('somebody spends from the wallet: within the limits, back what was bought, and not at all when the operator refuses', async () => {
  const { send, owner, platform, person, signIn, createWallet, until, heard, assertUnsaid, atOperator, run } =
    await openInstallation()
  const [partner, stranger] = [await platform('Acme Benefits'), await platform('Another')]
  const asha = await person(partner)
  const holder = await signIn(partner, asha.phone)
  const walletId = await createWallet(holder)
  const wallet = `${asha.path}/wallet`
  const [credits, debits] = [`${wallet}/credits`, `${wallet}/debits`]
  const balance = async () => (await partner.call('GET', wallet))['balance']

  // Before anything is limited, what is there can be spent, and not a paisa more.
  assert.equal(
    (await partner.refused(409, 'POST', debits, { amount: 1, reference: 'too-early' }))['reason'],
    'insufficient_balance',
  )
  await partner.call('POST', credits, { amount: 50_000, reference: 'allowance', description: 'April for Asha' })

  const limits = [{ from_day: '2026-01-01', balance: 60_000, debits_a_month: 30_000 }]
  await partner.refused(403, 'PUT', `/v1/platforms/${partner.id}/wallet_limits`, { wallet_limits: limits })
  await owner.call('PUT', `/v1/platforms/${partner.id}/wallet_limits`, { wallet_limits: limits })
  await until(partner, wallet, ({ limits: known }) => known?.length === 2)
  const above = await partner.refused(409, 'POST', credits, { amount: 10_001, reference: 'above' })
  assert.deepEqual([above['reason'], above['limit'], above['left_paise']], ['limit_reached', 'balance', 10_000])

  const glasses = await partner.call('POST', debits, { amount: 25_000, reference: 'spectacles' })
  const spent = await partner.refused(409, 'POST', debits, { amount: 5_001, reference: 'lenses' })
  assert.deepEqual([spent['reason'], spent['limit'], spent['left_paise']], ['limit_reached', 'debits_a_month', 5_000])
  assert.match(spent['free_on'], /^\d{4}-\d\d-01$/)
  const again = await partner.refused(409, 'POST', debits, { amount: 25_000, reference: 'spectacles' })
  assert.equal(again['reason'], 'reference_used', 'nothing is bought twice')

  // One lens comes back, then too much of it. A refund is no spending, so it is held against no limit.
  const back = { refund_of: glasses['id'] }
  await partner.call('POST', credits, { amount: 10_000, reference: 'back-1', ...back })
  const tooMuch = await partner.refused(409, 'POST', credits, { amount: 15_001, reference: 'back-2', ...back })
  assert.deepEqual([tooMuch['reason'], tooMuch['left_paise']], ['refund_exceeds', 15_000])
  await partner.call('POST', credits, { amount: 15_000, reference: 'back-3', ...back })
  assert.equal(
    (await partner.refused(409, 'POST', credits, { amount: 1, reference: 'back-4', ...back }))['left_paise'],
    0,
  )
  assert.equal(await balance(), 50_000)

  // The operator's block wins over what our limits allow; what is due to her still arrives.
  await atOperator(walletId, 'BLOCKED')
  await until(partner, wallet, ({ wallet_status_partner }) => wallet_status_partner === 'BLOCKED')
  const blocked = await partner.refused(409, 'POST', debits, { amount: 1_000, reference: 'pharmacy' })
  assert.deepEqual([blocked['code'], blocked['current_state']], ['invalid_state', 'BLOCKED'])
  await partner.call('POST', credits, { amount: 2_000, reference: 'late' })
  await atOperator(walletId, 'ACTIVE')
  await until(partner, wallet, ({ wallet_status_partner }) => wallet_status_partner === 'ACTIVE')
  const key = { 'idempotency-key': randomUUID() }
  const sent = { token: partner.token, headers: key, body: { amount: 1_000, reference: 'pharmacy' } }
  const [first, repeated] = [await send('POST', debits, sent), await send('POST', debits, sent)]
  assert.deepEqual([first.status, repeated.status, repeated.body], [201, 201, first.body])

  // The statement adds up to the balance, to the paisa, and what was refused is not in it.
  const { text } = await send('GET', `${wallet}/transactions?format=csv&from=2026-01-01`, { token: partner.token })
  const [head = '', ...lines] = text.trim().split('\r\n')
  const column = (name: string) => {
    const at = head.split(',').indexOf(name)
    assert(at >= 0, `${name} is no column of ${head}`)
    return lines.map((line) => line.split(',')[at] ?? '')
  }
  const paise = column('amount_rupees').map((rupees) => Math.round(Number(rupees) * 100))
  const total = column('transaction_type').reduce(
    (sum, type, n) => sum + (type === 'CREDIT' ? 1 : -1) * (paise[n] ?? 0),
    0,
  )
  assert.deepEqual([total, await balance()], [51_000, 51_000])
  assert.deepEqual(column('reference').toSorted(), ['allowance', 'back-1', 'back-3', 'late', 'pharmacy', 'spectacles'])
  assert.equal((await holder.call('GET', '/wallet/v1/wallet'))['balance'], 51_000)

  // Nobody else sees a thing of it, or moves it.
  for (const path of [wallet, `${wallet}/transactions`]) await stranger.refused(404, 'GET', path)
  await stranger.refused(404, 'POST', credits, { amount: 1, reference: 'foreign' })
  await asha.refused(403, 'POST', debits, { amount: 1, reference: 'own' })
  const changes = await heard(partner, 'wallet.balance_changed', { of: asha.id, count: 6 })
  assert.equal(changes.length, 6)
  assert.deepEqual(Object.keys(changes[0] ?? {}).toSorted(), [
    'transaction_id',
    'transaction_type',
    'user_id',
    'wallet_id',
  ])
  assert.deepEqual((await stranger.call('GET', '/v1/events?type=wallet.balance_changed'))['data'], [])
  await assertUnsaid([partner, owner], ['April for Asha', asha.phone])
  const verified = await run('ledger', 'verify')
  assert.equal(verified.code, 0, verified.stderr)
})
