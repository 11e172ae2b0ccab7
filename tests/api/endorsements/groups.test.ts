import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { withMembers } from '../../support/members.ts'
import { errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const { enrolled, setStatus, put, decide, onlyWaiting } = withMembers(t)

/** Asserts that the audit log names the person of each record shown, in a page and in a CSV. */
async function audited(
  operation: string,
  { user, provider }: { user: { id: string }; provider: { id: string } },
): Promise<void> {
  await t.audit.reads.write()
  const people = await t.sql<{ user_id: string | null }>(
    'select distinct user_id from audit_entries where operation = $1 and actor = $2',
    [operation, `provider:${provider.id}`],
  )
  assert.deepEqual(people, [{ user_id: user.id }])
}

describe('the schedule of a group policy', () => {
  it('has who joined, left and was corrected between two days, with names, for its benefit provider and platform', async () => {
    const at = await enrolled()
    const number = `MP-${at.id}`
    await setStatus(at, { status: 'VERIFICATION', master_policy_number: number })
    for (const status of ['APPROVED', 'ISSUED']) await setStatus(at, { status })
    await put(at, at.mira, { from: '2026-04-10' })
    await put(at, at.ravi, { to: '2026-05-20' })
    const search = (body: object, token = at.provider.token) =>
      t.call('POST', '/v1/endorsements/search', { token, body: { master_policy_number: number, ...body } })
    const names = async (body: object, token?: string) =>
      (await search(body, token)).body.data.map((one: Record<string, string>) => `${one['kind']} ${one['first_name']}`)
    assert.deepEqual((await names({})).toSorted(), ['JOIN Mira', 'LEAVE Ravi'])
    assert.deepEqual(await names({ from: '2026-05-01', to: '2026-05-31' }, at.platform.token), ['LEAVE Ravi'])
    assert.deepEqual(await names({ to: '2026-04-30' }), ['JOIN Mira'])
    assert.deepEqual(await names({ master_policy_number: 'MP-' }), [])
    assert.deepEqual(errorsOf(await search({ from: '2026-05-01', to: '2026-04-30' })), ['/to too_small'])
    const stranger = await t.provider()
    assert.deepEqual(await names({}, stranger.token), [])
    assert.equal((await search({}, at.user.token)).status, 403)
    const { text } = await t.call('POST', '/v1/endorsements/search?format=csv', {
      token: at.provider.token,
      body: { master_policy_number: number },
    })
    assert.match(text, /JOIN.*Mira,Example/)
    await audited('searchEndorsements', at)
  })
})

describe('the member file of a group policy', () => {
  it('has everybody who is covered on a day, with names and days, a row each as CSV', async () => {
    const at = await enrolled()
    const number = `MF-${at.id}`
    await setStatus(at, { status: 'VERIFICATION', master_policy_number: number })
    const search = (day: string, token = at.provider.token) =>
      t.call('POST', '/v1/members/search', { token, body: { master_policy_number: number, on: day } })
    assert.deepEqual((await search('2026-05-01')).body.data, [], 'nothing is issued yet')
    for (const status of ['APPROVED', 'ISSUED']) await setStatus(at, { status })
    await put(at, at.mira, { from: '2026-04-10', relation: 'CHILD' })
    await decide(at, (await onlyWaiting(at)).id, { state: 'ACCEPTED' })
    await put(at, at.ravi, { to: '2026-05-20' })
    const names = async (day: string, token?: string) =>
      (await search(day, token)).body.data.flatMap(({ members: people }: { members: Record<string, string>[] }) =>
        people.map(({ first_name, from, to }) => `${first_name} ${from} ${to}`),
      )
    const [asha, ravi, mira] = [
      'Asha 2026-04-01 2027-03-31',
      'Ravi 2026-04-01 2026-05-20',
      'Mira 2026-04-10 2027-03-31',
    ]
    assert.deepEqual(await names('2026-03-31'), [])
    assert.deepEqual(await names('2026-04-09'), [asha, ravi])
    assert.deepEqual((await names('2026-05-20', at.platform.token)).toSorted(), [asha, mira, ravi])
    assert.deepEqual(await names('2026-05-21'), [asha, mira])
    assert.deepEqual(await names('2026-05-21', (await t.provider()).token), [])
    assert.equal((await search('2026-05-21', at.user.token)).status, 403)
    const { text } = await t.call('POST', '/v1/members/search?format=csv', {
      token: at.provider.token,
      body: { master_policy_number: number, on: '2026-05-21' },
    })
    assert.equal(text.trim().split('\r\n').length, 3)
    assert.match(text, /dependant,dep_\w+,Mira,Example,2015-08-02,,CHILD,2026-04-10,2027-03-31,false/)
    await audited('searchMembers', at)
  })
})
