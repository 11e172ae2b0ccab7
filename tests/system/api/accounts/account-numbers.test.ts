import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AccountContext, accountJobs, fillNumbers } from '../../../../src/domains/money/accounts/index.ts'
import { runErasures } from '../../../../src/domains/privacy/personal-data/index.ts'
import { erasureDeps } from '../../../../src/data-map/erase.ts'
import { openTestApp, type TestUser } from '../../../support/app.ts'
import { ADMIN_KEYS } from '../../../support/keys.ts'

const t = await openTestApp({ own: true })
const [adminKey = ''] = ADMIN_KEYS

type Taken = Parameters<AccountContext['reportTaken']>[0]
const reported: Taken[] = []
const reportTaken = (taken: Taken) => void reported.push(taken)

type Opening = TestUser & { account: string }

async function onboard(): Promise<Opening> {
  const user = await t.onboardedUser((await t.offer()).platform)
  const [row] = await t.sql<{ account_id: string }>('select account_id from accounts where user_id = $1', [user.id])
  return { ...user, account: row?.account_id ?? '' }
}

/** One run of the job, at a bank that gives this number. */
function runJob({ id, account }: Opening, number: string): Promise<void> {
  const openAccount = async () =>
    ({ outcome: 'opened', external_account_id: number, ifsc_code: 'BNYN0000001' }) as const
  const { 'open-account': run } = accountJobs({ ...t.deps, reportTaken }, { openAccount })
  return run({ user_id: id, account_id: account })
}

/** What its person sees of an account: its number, and that it is in the list of this status. */
async function isShown({ id, token, account }: Opening, status: string): Promise<string | null | undefined> {
  const { data } = await t.made('GET', `/v1/users/${id}/accounts?status=${status}`, { token })
  return data.find((one: { id: string }) => one.id === account)?.external_account_id
}

const numbersOf = async (number: string) =>
  (await t.sql('select account_id from account_numbers where external_account_id = $1', [number])).map(
    ({ account_id }) => account_id,
  )

const eventsOf = async ({ account }: Opening) =>
  (await t.sql('select 1 from events where subject = $1', [account])).length

/** As 0.2.0 left the accounts of these people: ACTIVE with a number, and nothing leads from it to them. */
async function openedBefore(openings: Opening[], number: string): Promise<void> {
  for (const { account } of openings)
    await t.sql(`update accounts set status = 'ACTIVE', external_account_id = $2 where account_id = $1`, [
      account,
      number,
    ])
}

describe('a number of the bank', () => {
  it('belongs to one account: the second one that the bank gives it to stays PENDING, and both are named', async () => {
    const [first, second] = [await onboard(), await onboard()]
    await runJob(first, 'EXT-ONE')
    assert.equal(await isShown(first, 'ACTIVE'), 'EXT-ONE')
    const before = await eventsOf(second)
    reported.length = 0
    await assert.rejects(runJob(second, 'EXT-ONE'), /another account has/)
    assert.deepEqual(reported, [{ account_id: second.account, held_by: first.account }])
    assert.deepEqual([await isShown(second, 'PENDING'), await isShown(first, 'ACTIVE')], [null, 'EXT-ONE'])
    assert.deepEqual([await numbersOf('EXT-ONE'), await eventsOf(second)], [[first.account], before])

    await runJob(second, 'EXT-TWO')
    assert.equal(await isShown(second, 'ACTIVE'), 'EXT-TWO')
    assert.equal(reported.length, 1)
  })

  it('belongs to one account also when the bank gives it to several at once', async () => {
    const openings = [await onboard(), await onboard(), await onboard(), await onboard()]
    await Promise.allSettled(openings.map((opening) => runJob(opening, 'EXT-RACE')))
    const active = await Promise.all(openings.map((opening) => isShown(opening, 'ACTIVE')))
    assert.deepEqual(
      active.filter((number) => number !== undefined),
      ['EXT-RACE'],
    )
    assert.equal((await numbersOf('EXT-RACE')).length, 1)
  })

  it('may be the number of another account at another bank', async () => {
    const [first, second] = [await onboard(), await onboard()]
    for (const { account } of [first, second]) {
      const { id } = await t.made('POST', '/v1/account_providers', { adminKey, body: { name: 'A bank' } })
      await t.sql('update accounts set account_provider_id = $2 where account_id = $1', [account, id])
    }
    for (const opening of [first, second]) await runJob(opening, 'EXT-BOTH')
    assert.deepEqual([await isShown(first, 'ACTIVE'), await isShown(second, 'ACTIVE')], ['EXT-BOTH', 'EXT-BOTH'])
  })

  it('stays with an account that is deactivated and made active again', async () => {
    const [opening, other] = [await onboard(), await onboard()]
    await runJob(opening, 'EXT-BACK')
    for (const status of ['INACTIVE', 'ACTIVE'])
      await t.made('PUT', `/v1/users/${opening.id}/accounts/${opening.account}/status`, {
        token: t.operator,
        body: { status },
      })
    await assert.rejects(runJob(other, 'EXT-BACK'))
    assert.deepEqual([await numbersOf('EXT-BACK'), await isShown(opening, 'ACTIVE')], [[opening.account], 'EXT-BACK'])
  })
})

describe('numbers of an earlier version, which wrote accounts alone', () => {
  it('are added by a worker, after which no other account gets them', async () => {
    const [opening, other] = [await onboard(), await onboard()]
    await openedBefore([opening], 'EXT-OLD')
    assert.equal(await fillNumbers(t.db, reportTaken), 1)
    assert.equal(await fillNumbers(t.db, reportTaken), 0)
    await assert.rejects(runJob(other, 'EXT-OLD'))
    assert.deepEqual([await numbersOf('EXT-OLD'), await isShown(other, 'PENDING')], [[opening.account], null])
  })

  it('belong to the oldest of several accounts; the others are reported, once, and everything goes on', async () => {
    const openings = [await onboard(), await onboard(), await onboard()]
    const [first, second, third] = openings.map(({ account }) => account)
    await openedBefore(openings.toReversed(), 'EXT-DOUBLE')
    const after = await onboard()
    await openedBefore([after], 'EXT-AFTER')
    reported.length = 0
    assert.equal(await fillNumbers(t.db, reportTaken), 4)
    assert.deepEqual(reported, [
      { account_id: second, held_by: first },
      { account_id: third, held_by: first },
    ])
    assert.equal(await fillNumbers(t.db, reportTaken), 0)
    assert.equal(reported.length, 2)
    assert.deepEqual([await numbersOf('EXT-DOUBLE'), await numbersOf('EXT-AFTER')], [[first], [after.account]])
    for (const opening of openings) assert.equal(await isShown(opening, 'ACTIVE'), 'EXT-DOUBLE')
  })

  it('are gone with an account that is erased, and then free', async () => {
    const { platform } = await t.offer()
    const [leaving, other] = [await onboard(), await onboard()]
    await runJob(leaving, 'EXT-GONE')
    await t.made('DELETE', `/v1/users/${leaving.id}`, { token: platform.token })
    await runErasures({ ...t.deps, ...erasureDeps(t.deps) }, t.log)
    assert.deepEqual(await numbersOf('EXT-GONE'), [])
    await runJob(other, 'EXT-GONE')
    assert.deepEqual(await numbersOf('EXT-GONE'), [other.account])
  })
})
