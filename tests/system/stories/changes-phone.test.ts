import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openInstallation } from './installation.ts'

it('somebody changes her phone: the old number lets nobody in, and who gets it next sees nothing of her', async () => {
  const installation = await openInstallation()
  const { send, owner, anybody, platform, person, onboard, signIn, createWallet, until, assertUnsaid } = installation
  const [partner, stranger] = [await platform('Acme Benefits'), await platform('Another')]
  const idProof = `PHONE${Date.now()}`
  const asha = await person(partner, { id_proof: { number: idProof } })
  await onboard(partner, asha)
  const wallet = `${asha.path}/wallet`
  const old = await signIn(partner, asha.phone)
  await createWallet(old)
  await partner.call('POST', `${wallet}/credits`, { amount: 50_000, reference: 'allowance' })
  const elsewhere = await person(stranger, { phone_number: asha.phone })
  assert.notEqual(elsewhere.id, asha.id, 'two platforms know nothing of each other')

  // She has a new number: what began with the old one has ended, the app stays signed in.
  const newPhone = `6${String(Date.now()).slice(-9)}`
  await asha.refused(422, 'PATCH', asha.path, { phone_country_code: '+91', phone_number: newPhone })
  await partner.call('PATCH', asha.path, { phone_country_code: '+91', phone_number: newPhone })
  const refresh = { refresh_token: old.refreshToken }
  await until(partner, asha.path, ({ phone_number }) => phone_number === newPhone)
  await anybody.refused(401, 'POST', '/wallet/v1/auth/token/refresh', refresh)
  await installation.untilRefused(401, old, '/wallet/v1/wallet')
  assert.equal((await asha.call('GET', asha.path))['phone_number'], newPhone)
  const now = await signIn(partner, newPhone)
  assert.equal((await now.call('GET', '/wallet/v1/wallet'))['balance'], 50_000)

  // Somebody else gets the old number: a new person, with nothing of hers.
  const ravi = await person(partner, { phone_number: asha.phone })
  assert.notEqual(ravi.id, asha.id)
  const his = await ravi.call('GET', ravi.path)
  assert.doesNotMatch(JSON.stringify(his), /Asha|asha@example|Lake View/)
  for (const path of [asha.path, `${asha.path}/accounts`, `${asha.path}/consents`]) await ravi.refused(404, 'GET', path)
  const hisPhone = await signIn(partner, asha.phone)
  await hisPhone.refused(404, 'GET', '/wallet/v1/wallet')
  assert.deepEqual((await send('GET', '/wallet/v1/wallet', { token: now.token })).body.balance, 50_000)

  // Her new phone is stolen: a code that is under way is void, and so is every session; the number is free again.
  const input = { platform_id: partner.id, phone_country_code: '+91', phone_number: newPhone }
  const { challenge_id } = await installation.askForCode(input)
  const otp = await installation.newestCode(newPhone)
  await partner.call('PATCH', asha.path, { phone_country_code: null, phone_number: null })
  await anybody.refused(401, 'POST', '/wallet/v1/auth/otp/verify', { challenge_id, otp })
  await send('DELETE', `${asha.path}/sessions`, { token: partner.token })
  await installation.untilRefused(401, asha, asha.path)
  await installation.untilRefused(401, now, '/wallet/v1/wallet')
  assert.equal((await ravi.call('GET', ravi.path))['user_id'], ravi.id, 'his sessions are his own')
  assert.equal((await partner.call('GET', asha.path))['phone_number'], '')

  // For the investigation: which codes there were and what became of them, never the codes.
  const codes = await partner.call('GET', `${asha.path}/one_time_codes`)
  assert.deepEqual(
    codes['data'].map(({ state }: { state: string }) => state),
    ['VOID', 'USED', 'USED'],
  )
  assert(!JSON.stringify(codes).includes(otp))
  await stranger.refused(404, 'GET', `${asha.path}/one_time_codes`)
  const hisCodes = (await partner.call('GET', `${ravi.path}/one_time_codes`))['data']
  const made = hisCodes.filter(({ state }: { state: string }) => state !== 'REFUSED_BY_LIMIT')
  assert.equal(made.length, 1, 'codes of the number before it was his are not his')

  // She is back with her id proof and a third number, and has all that was hers.
  const third = `7${String(Date.now()).slice(-9)}`
  const back = await person(partner, { id_proof: { number: idProof }, phone_number: third })
  assert.equal(back.id, asha.id)
  const last = await signIn(partner, third)
  assert.equal((await last.call('GET', '/wallet/v1/wallet'))['balance'], 50_000)
  assert.equal((await elsewhere.call('GET', elsewhere.path))['phone_number'], asha.phone)
  await assertUnsaid([partner, stranger, owner], [asha.phone, newPhone, third, idProof, 'asha@example.com', otp])
})
