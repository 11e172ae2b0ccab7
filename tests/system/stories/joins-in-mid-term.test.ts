import assert from 'node:assert/strict'
import { it } from 'node:test'
import { beginStory } from './company.ts'

it('somebody joins in the middle of a term: covered from that day, not the day before, and the policy ends with the group’s', async () => {
  const { partner, insurer, on, person, insured, heard, waiting, certificate } = await beginStory()
  await on('2026-04-01')
  const asha = await person('Ravi', 'Mira')
  const [ravi = '', mira = ''] = asha.children
  const policy = await insured(asha.path, [ravi], { start_date: '2026-04-01', end_date: '2027-01-31' })
  const covered = async () => (await partner('GET', policy))['dependant_ids']

  await on('2026-08-20')
  await partner('PUT', `${policy}/members/${mira}`, { from: '2026-09-01', event: 'ADOPTION', relation: 'CHILD' })
  assert.equal((await partner('GET', `${policy}/status`))['status'], 'REQUIRES_POLICY_REISSUANCE')
  const { id, kind, on: day, due_on } = await waiting()
  assert.deepEqual([kind, day, due_on], ['JOIN', '2026-09-01', '2026-08-27'])
  await insurer('PUT', `/v1/endorsements/${id}/state`, {
    state: 'ACCEPTED',
    amount: { currency: 'INR', value: 3_000 },
    provider_reference: 'END-7',
  })
  assert.deepEqual(
    (await heard(partner, 'endorsement.status_changed')).map(({ from, to }) => [from, to]),
    [
      [null, 'REQUESTED'],
      ['REQUESTED', 'ACCEPTED'],
    ],
  )
  assert.match(await certificate(asha.token, policy), /Mira Example[\s\S]*from 1 September 2026/)

  await on('2026-08-31')
  assert.deepEqual(await covered(), [ravi])
  await on('2026-09-01')
  assert.deepEqual(await covered(), [ravi, mira])
  const { start_date, end_date } = await partner('GET', policy)
  assert.deepEqual([start_date, end_date], ['2026-04-01', '2027-01-31'])

  await on('2027-01-10')
  await insurer('PUT', `${policy}/status`, { status: 'ISSUED' })
  const next = await partner('GET', policy)
  assert.deepEqual(
    [next['start_date'], next['end_date'], next['dependant_ids']],
    ['2027-02-01', '2028-01-31', [ravi, mira]],
  )
})
