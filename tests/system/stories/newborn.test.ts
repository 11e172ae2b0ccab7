import assert from 'node:assert/strict'
import { it } from 'node:test'
import { beginStory } from './company.ts'

it('a child is born: covered from birth, once the insurer accepts; a day before the birth is refused with a word', async () => {
  const { t, partner, insurer, on, person, insured, waiting, heard } = await beginStory()
  await on('2026-04-01')
  const asha = await person()
  const policy = await insured(asha.path, [], { start_date: '2026-04-01' })
  const covered = async () => (await partner('GET', policy))['dependant_ids']

  await on('2026-06-20')
  const { data } = await partner('POST', `${asha.path}/dependants/bulk`, {
    dependants: [{ first_name: 'Tara', last_name: 'Example', date_of_birth: '2026-06-18' }],
  })
  const tara = data[0].id
  const path = `${policy}/members/${tara}`
  const { status, body } = await t.call('PUT', path, { token: asha.token, body: { from: '2026-06-18' } })
  assert.deepEqual([status, body.code], [403, 'forbidden'], 'the company asks, not the person')
  await assert.rejects(partner('PUT', path, { from: '2026-06-17', event: 'BIRTH' }), /2026-06-18 or later/)
  await partner('PUT', path, {
    from: '2026-06-18',
    event: 'BIRTH',
    event_on: '2026-06-18',
    relation: 'CHILD',
    gender: 'FEMALE',
  })
  assert.deepEqual(await covered(), [], 'nobody is covered before the insurer says so')

  const { id, event, event_on } = await waiting()
  assert.deepEqual([event, event_on], ['BIRTH', '2026-06-18'])
  await on('2026-06-25')
  await insurer('PUT', `/v1/endorsements/${id}/state`, { state: 'ACCEPTED' })
  assert.deepEqual(await covered(), [tara])
  const { data: members } = await asha.call('GET', `${policy}/members`)
  const { from, gender, relation } = members[1]
  assert.deepEqual([from, gender, relation], ['2026-06-18', 'FEMALE', 'CHILD'])
  const said = JSON.stringify(await heard(insurer, 'endorsement.status_changed'))
  assert.doesNotMatch(said, /Tara|2026-06-18|FEMALE|CHILD/, 'events say no names, births and relations')
})
