import assert from 'node:assert/strict'
import { it } from 'node:test'
import { beginStory } from './company.ts'

it('a card is scanned at a hospital: before it begins, while it holds, after a corrected name, after the person has left', async () => {
  const { partner, insurer, on, person, insured, waiting, document, scanned } = await beginStory()
  await on('2026-03-20')
  const asha = await person('Ravi', 'Mira')
  const [ravi = '', mira = ''] = asha.children
  const policy = await insured(asha.path, [ravi], { start_date: '2026-04-01' })
  const cardOf = (id: string) => document(asha.token, `${policy}/documents/health_card/${id}`)
  const result = async (card: Uint8Array) => {
    const { result: said, newer_card, valid_from, valid_until } = await scanned(card)
    return [said, newer_card ?? '', valid_from ?? valid_until ?? ''].join(' ').trim()
  }
  const accept = async () => insurer('PUT', `/v1/endorsements/${(await waiting())['id']}/state`, { state: 'ACCEPTED' })

  const first = await cardOf(ravi)
  assert.equal(await result(first), 'not_started  2026-04-01')
  await on('2026-04-01')
  assert.equal(await result(first), 'valid  2027-03-31')

  const { id } = await partner('PATCH', `${asha.path}/dependants/${ravi}`, { first_name: 'Ravindra' })
  await accept()
  assert.equal(await result(first), 'valid true 2027-03-31')
  const second = await cardOf(id)
  assert.equal(await result(second), 'valid  2027-03-31')

  await on('2026-05-01')
  await partner('PUT', `${policy}/members/${mira}`, { from: '2026-05-10' })
  await accept()
  const hers = await cardOf(mira)
  assert.equal(await result(hers), 'not_started  2026-05-10')
  await on('2026-05-10')
  assert.equal(await result(hers), 'valid  2027-03-31')

  await partner('PUT', `${policy}/members/${id}`, { to: '2026-05-12' })
  assert.equal(await result(second), 'valid  2026-05-12')
  await on('2026-05-13')
  assert.deepEqual(
    [await result(first), await result(second), await result(hers)],
    ['expired', 'expired', 'valid  2027-03-31'],
  )
})
