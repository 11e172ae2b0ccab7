import assert from 'node:assert/strict'
import { it } from 'node:test'
import { beginStory } from './company.ts'

it('a son leaves, then the employee: each has a last day, and what is to be paid back is said, not moved', async () => {
  const { partner, insurer, on, person, insured, waiting, heard } = await beginStory()
  await on('2026-04-01')
  const asha = await person('Ravi')
  const [ravi = ''] = asha.children
  const policy = await insured(asha.path, [ravi], { start_date: '2026-04-01' })
  const covered = async () => (await partner('GET', policy))['dependant_ids']
  const status = async () => (await partner('GET', `${policy}/status`))['status']

  await on('2026-08-01')
  await partner('PUT', `${policy}/members/${ravi}`, { to: '2026-08-12', event: 'AGE' })
  const leave = await waiting()
  // 231 days of 365 are not covered; half of ₹12,045 for one of two people.
  assert.deepEqual(leave['refund'], { days: 231, estimate: { currency: 'INR', value: 3811.5 } })
  await assert.rejects(
    insurer('PUT', `/v1/endorsements/${leave['id']}/state`, { state: 'REFUSED', reason: 'No' }),
    /409/,
  )
  await on('2026-08-12')
  assert.deepEqual(await covered(), [ravi])
  await on('2026-08-13')
  assert.deepEqual(await covered(), [], 'whatever the insurer has said by then')
  const amount = { currency: 'INR', value: 3_700 }
  await insurer('PUT', `/v1/endorsements/${leave['id']}/state`, { state: 'ACCEPTED', amount })
  assert.equal(await status(), 'ISSUED')

  await on('2026-12-01')
  await partner('PUT', `${policy}/end`, { on: '2026-12-12', code: 'LEFT' })
  const end = await insurer('PUT', `${policy}/end`, { on: '2026-12-12', code: 'LEFT', amount })
  assert.deepEqual(end['refund'], { days: 109, estimate: { currency: 'INR', value: 3_597 }, amount })
  await on('2026-12-12')
  assert.equal(await status(), 'ISSUED')
  await on('2026-12-13')
  assert.equal(await status(), 'EXPIRED')
  assert.equal((await heard(partner, 'policy.end_scheduled')).length, 2)
  assert.deepEqual((await heard(insurer, 'policy.status_changed')).at(-1)?.['to'], 'EXPIRED')
})
