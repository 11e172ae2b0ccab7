import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TestResponse } from '../../support/app.ts'
import { beginStory } from './company.ts'

const story = await beginStory()
const { t, partner, insurer, on, person, insured } = story

async function issued(...children: string[]) {
  await on('2026-04-01')
  const asha = await person(...children)
  const policy = await insured(asha.path, asha.children.slice(0, 1), { start_date: '2026-04-01' })
  const id = policy.split('/').at(-1)
  return { asha, policy, id, children: asha.children }
}

/** Sends the same request three times at once, as after lost responses. */
const thrice = (
  method: 'PUT' | 'PATCH',
  url: string,
  { token, body }: { token: string; body: object },
): Promise<TestResponse[]> => Promise.all([1, 2, 3].map(() => t.call(method, url, { token, body })))

const decide = (id: string) =>
  t.call('PUT', `/v1/endorsements/${id}/state`, { token: story.tokens.insurer, body: { state: 'ACCEPTED' } })

const statesOf = async (id: string | undefined): Promise<string[]> => {
  const { data } = await insurer('GET', '/v1/endorsements?limit=100')
  const own = data.filter((one: { insurance_policy_id: string }) => one.insurance_policy_id === id)
  return own.map(({ kind, state }: Record<string, string>) => `${kind} ${state}`).toSorted()
}

describe('two companies at once', () => {
  it('a correction and the issue: either the issue has the corrected person, or it is refused', async () => {
    await on('2026-04-01')
    const asha = await person('Ravi')
    const [ravi = ''] = asha.children
    const { id } = await partner('POST', `${asha.path}/insurance_policies`, {
      benefit_id: story.benefit,
      plan_code: 'FAMILY_5L',
      dependant_ids: [ravi],
      start_date: '2026-04-01',
    })
    const policy = `${asha.path}/insurance_policies/${id}`
    for (const status of ['VERIFICATION', 'APPROVED']) await insurer('PUT', `${policy}/status`, { status })
    const [corrected, issue] = await Promise.all([
      t.call('PATCH', `${asha.path}/dependants/${ravi}`, { token: asha.token, body: { first_name: 'Ravindra' } }),
      t.call('PUT', `${policy}/status`, { token: story.tokens.insurer, body: { status: 'ISSUED' } }),
    ])
    assert.equal(corrected.status, 200, corrected.text)
    const states = await statesOf(id)
    if (issue.status === 200)
      assert.deepEqual(states, ['CORRECTION REQUESTED'], 'it was issued before, and the insurer hears of it')
    else assert.deepEqual([issue.body.reason, states], ['persons_changed', []])
  })

  it('two corrections while a reissue waits are two endorsements, and one issue has both', async () => {
    const { asha, policy, id, children } = await issued('Ravi')
    const own = { token: asha.token, body: { last_name: 'Corrected' } }
    await Promise.all([
      t.call('PATCH', `${asha.path}/dependants/${children[0]}`, own),
      t.call('PATCH', asha.path, { token: story.tokens.partner, body: { first_name: 'Usha' } }),
    ])
    assert.deepEqual(await statesOf(id), ['CORRECTION REQUESTED', 'CORRECTION REQUESTED'])
    const responses = await thrice('PUT', `${policy}/status`, {
      token: story.tokens.insurer,
      body: { status: 'ISSUED', persons_version: 2 },
    })
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.deepEqual(await statesOf(id), ['CORRECTION ACCEPTED', 'CORRECTION ACCEPTED'])
    assert.equal((await asha.call('GET', `${policy}/terms`))['data'][0].issues.length, 2)
  })

  it('a leaver and an end in one week: the earlier day holds for each person', async () => {
    const { asha, policy, id, children } = await issued('Ravi')
    const token = story.tokens.partner
    await Promise.all([
      t.call('PUT', `${policy}/members/${children[0]}`, { token, body: { to: '2026-04-03' } }),
      t.call('PUT', `${policy}/end`, { token, body: { on: '2026-04-06', code: 'LEFT' } }),
    ])
    await thrice('PUT', `${policy}/members/${children[0]}`, { token, body: { to: '2026-04-03' } })
    await thrice('PUT', `${policy}/end`, { token, body: { on: '2026-04-06', code: 'LEFT' } })
    assert.deepEqual((await statesOf(id)).toSorted(), ['END REQUESTED', 'LEAVE REQUESTED'])
    const covered = async (day: string) =>
      (await asha.call('GET', `${asha.path}/coverage?on=${day}`))['data'].map(
        (one: { covered: boolean }) => one.covered,
      )
    assert.deepEqual(await covered('2026-04-03'), [true, true])
    assert.deepEqual(await covered('2026-04-04'), [true, false])
    await on('2026-04-07')
    assert.deepEqual(await covered('2026-04-07'), [false, false])
    assert.deepEqual(
      (await statesOf(id)).toSorted(),
      ['END REQUESTED', 'LEAVE WITHDRAWN'],
      'nothing is left to certify, and the refund of the end is still to be named',
    )
  })

  it('a renewal in the window and a joiner: the joiner is on both terms, or waits for the insurer', async () => {
    const { policy, id, children } = await issued('Ravi', 'Mira')
    await on('2027-03-10')
    const [joined, renewed] = await Promise.all([
      t.call('PUT', `${policy}/members/${children[1]}`, { token: story.tokens.partner, body: { from: '2027-03-12' } }),
      t.call('PUT', `${policy}/status`, { token: story.tokens.insurer, body: { status: 'ISSUED' } }),
    ])
    assert.equal(joined.status, 200, joined.text)
    assert.deepEqual(await statesOf(id), ['JOIN REQUESTED'])
    if (renewed.status !== 200) assert.equal(renewed.body.reason, 'persons_changed')
    await thrice('PUT', `${policy}/members/${children[1]}`, {
      token: story.tokens.partner,
      body: { from: '2027-03-12' },
    })
    assert.deepEqual(await statesOf(id), ['JOIN REQUESTED'])
    await insurer('PUT', `${policy}/status`, { status: 'ISSUED', persons_version: 1 })
    assert.deepEqual(await statesOf(id), ['JOIN ACCEPTED'])
    const { data: terms } = await partner('GET', `${policy}/terms`)
    assert.deepEqual(
      terms.map(({ members }: { members: object[] }) => members.length),
      [3, 3],
    )
  })

  it('an erasure withdraws what waits, however often the decision is repeated', async () => {
    const { asha, policy, id, children } = await issued('Ravi', 'Mira')
    await partner('PUT', `${policy}/members/${children[1]}`, { from: '2026-04-05' })
    const { data } = await insurer('GET', '/v1/endorsements?state=REQUESTED&limit=100')
    const { id: waiting } = data.find((one: { insurance_policy_id: string }) => one.insurance_policy_id === id)
    const [erased, ...decisions] = await Promise.all([
      t.call('DELETE', `${asha.path}?end_policies=true`, { token: story.tokens.partner }),
      ...[1, 2, 3].map(() => decide(waiting)),
    ])
    assert.equal(erased?.status, 200, erased?.text)
    const again = await thrice('PUT', `/v1/endorsements/${waiting}/state`, {
      token: story.tokens.insurer,
      body: { state: 'ACCEPTED' },
    })
    for (const { status } of [...decisions, ...again]) assert([200, 404, 409].includes(status), String(status))
    const left = (await statesOf(id)).filter((one) => one.endsWith('REQUESTED'))
    assert.deepEqual(left, [], 'nothing of an erased person waits for anybody')
  })
})
