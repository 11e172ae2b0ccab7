import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Body } from '../../support/app.ts'
import { beginStory } from './company.ts'

it('a birth is corrected: the insurer hears of it, has seven days, and the certificate of this term is made again', async () => {
  const { partner, insurer, on, person, insured, heard, certificate } = await beginStory()
  await on('2026-04-01')
  const asha = await person('Ravi')
  const [ravi = ''] = asha.children
  const policy = await insured(asha.path, [ravi], { start_date: '2026-04-01' })
  const due = async (day: string) => (await insurer('GET', `/v1/endorsements?due_before=${day}`))['data']

  await on('2027-03-10') // the renewal window is open
  await asha.call('PATCH', `${asha.path}/dependants/${ravi}`, { date_of_birth: '2016-08-02' })
  const [corrected] = await heard(insurer, 'policy.corrected')
  assert.deepEqual(corrected?.['fields'], ['date_of_birth'])
  assert.deepEqual(await due('2027-03-17'), [])
  const [late, ...others] = await due('2027-03-18')
  assert.deepEqual([late?.['kind'], late?.['due_on'], others], ['CORRECTION', '2027-03-17', []])
  assert.match(await certificate(asha.token, policy), /2 August 2015/)

  await on('2027-03-17')
  await insurer('PUT', `/v1/endorsements/${late['id']}/state`, { state: 'ACCEPTED' })
  assert.match(await certificate(asha.token, policy), /2 August 2016/)
  const status = await partner('GET', `${policy}/status`)
  assert.equal(status['status'], 'REQUIRES_CUSTOMER_RENEWAL', 'it is not renewed by that')
  const { data: terms } = await asha.call('GET', `${policy}/terms`)
  assert.deepEqual(
    terms.map(({ start_date, issues }: Body) => [start_date, issues.length]),
    [['2026-04-01', 2]],
  )
  assert.match(await certificate(asha.token, policy, '?issue=1'), /2 August 2015/)
})
