import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, beforeEach, describe, it } from 'node:test'
import { startSandbox } from '../../../../sandbox/server.ts'
import {
  type AccountProviderClient,
  createAccountProviderClient,
  requeuePendingAccounts,
} from '../../../../src/domains/money/accounts/index.ts'
import { startWorker } from '../../../../src/worker.ts'
import { openTestApp, type TestUser } from '../../../support/app.ts'
import { openedReasons } from '../../../support/reasons.ts'
import { auditHeads } from '../../../support/keys.ts'
import { parseMetrics, valueOf } from '../../../support/metrics-page.ts'

const t = await openTestApp({ own: true })

const DEADLINE_MS = 120_000
const POLL_MS = 40

async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    assert(Date.now() < deadline, `not within ${DEADLINE_MS} ms: ${what}`)
    await sleep(POLL_MS)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** The sandbox bank, and a proxy before it that can lose the response. */
async function startBank() {
  const port = await freePort()
  const stop = await startSandbox({ host: '127.0.0.1', port, operatorSecret: 'nobody signs here' })
  const url = `http://127.0.0.1:${port}/account_provider`
  const real = createAccountProviderClient({ url, apiKey: 'test' })
  const proxy = { losesResponses: false, beforeResponse: async (_reference: string): Promise<void> => {} }
  const accountProvider: AccountProviderClient = {
    openAccount: async (request) => {
      const response = await real.openAccount(request)
      await proxy.beforeResponse(request.reference)
      if (proxy.losesResponses) throw new Error('the response was lost on its way')
      return response
    },
  }
  type State = { calls: number; accounts: { reference: string; external_account_id: string }[] }
  return {
    stop,
    accountProvider,
    proxy,
    state: async (): Promise<State> => (await fetch(`${url}/accounts`)).json() as Promise<State>,
    behave: (mode: string) =>
      fetch(`${url}/behaviour`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ mode }),
      }),
  }
}

const refuse = () => Promise.reject(new Error('nobody is asked for this here'))
const nobody = {
  sms: { send: refuse },
  operator: { isCircuitOpen: () => false, isHalfOpen: () => false, createWallet: refuse, findWallet: refuse },
  operatorCallbackUrl: 'http://operator.test',
}

let outside: Awaited<ReturnType<typeof startBank>>
let stopWorker: () => Promise<void>

type Opening = { user: TestUser; id: string; token: string }

/** A new user whose SAVINGS account has just been requested. */
async function onboard(): Promise<Opening> {
  const { platform } = await t.offer()
  const user = await t.onboardedUser(platform)
  const { data } = await t.made('GET', `/v1/users/${user.id}/accounts`, { token: platform.token })
  return { user, id: data[0].id, token: platform.token }
}

const isListed = async ({ user, id, token }: Opening, status: string) => {
  const { data } = await t.made('GET', `/v1/users/${user.id}/accounts?status=${status}`, { token })
  return data.find((account: { id: string }) => account.id === id)
}

const untilListed = (opening: Opening, status: string) =>
  until(`${opening.id} is ${status}`, () => isListed(opening, status))

const atBank = async ({ id }: Opening) => (await outside.state()).accounts.filter((account) => account.reference === id)

const untilCalled = async (calls: number) =>
  until(`${calls} calls at the bank`, async () => (await outside.state()).calls >= calls)

const untilJob = ({ id }: Opening, state: string) =>
  until(`the job of ${id} is ${state}`, async () => {
    const jobs = await t.sql(`select 1 from pgboss.job where data ->> 'account_id' = $1 and state::text = $2`, [
      id,
      state,
    ])
    return jobs.length > 0
  })

async function alignCallCount(): Promise<void> {
  if ((await outside.state()).calls % 2 === 0) return
  await outside.accountProvider.openAccount({
    reference: 'somebody else',
    account_type: 'SAVINGS',
    holder: { first_name: 'Ravi', last_name: 'Example' },
    origin: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
  })
}

/** Makes jobs that wait for their next attempt due now. */
const makeDue = ({ id }: Opening) =>
  t.sql(`update pgboss.job set start_after = now() where data ->> 'account_id' = $1 and state = 'retry'`, [id])

const historyOf = ({ id }: Opening) =>
  t.sql<{ step: string; actor: string; reason: string | null }>(
    `select concat_ws(' ', from_status, to_status) as step, actor, reason from user_status_changes where entity_id = $1
      order by at, change_id`,
    [id],
  )

async function assertOpenedOnce(opening: Opening, account: { external_account_id: string; account_details: object }) {
  const accounts = await atBank(opening)
  assert.deepEqual(
    accounts.map((one) => one.external_account_id),
    [account.external_account_id],
  )
  assert.deepEqual(
    (await historyOf(opening)).map(({ step }) => step),
    ['PENDING', 'PENDING ACTIVE'],
  )
  const events = await t.sql(`select data ->> 'to' as to from events where subject = $1 order by occurred_at`, [
    opening.id,
  ])
  assert.deepEqual(events, [{ to: 'PENDING' }, { to: 'ACTIVE' }])
}

describe('opening an account at the account provider', () => {
  before(async () => {
    outside = await startBank()
    const queue = await t.startQueue()
    stopWorker = await startWorker(
      { ...t.deps, queue },
      {
        url: t.appUrl,
        companies: { ...nobody, accountProvider: outside.accountProvider },
        auditHeads: auditHeads(),
        log: t.log,
        metrics: t.metrics,
      },
    )
  })
  beforeEach(async () => {
    outside.proxy.losesResponses = false
    outside.proxy.beforeResponse = async () => {}
    await outside.behave('ok')
  })
  after(async () => {
    await stopWorker()
    await outside.stop()
  })

  it('onboarding takes it from PENDING to ACTIVE, with the provider’s number and IFSC code', async () => {
    const opening = await onboard()
    const account = await untilListed(opening, 'ACTIVE')
    assert.match(account.external_account_id, /^EXT-\d{12}$/)
    assert.deepEqual(account.account_details, { ifsc_code: 'BNYN0000001', account_type: 'SAVINGS' })
    await assertOpenedOnce(opening, account)
    assert.equal((await historyOf(opening))[1]?.actor, 'system:open-account')
    assert.deepEqual(await isListed(opening, 'PENDING'), undefined)
  })

  it('a further account is opened alongside the first', async () => {
    const { user, token } = await onboard()
    const { id } = await t.made('POST', `/v1/users/${user.id}/accounts`, { token, body: { account_type: 'HSA' } })
    const opening = { user, id, token }
    await assertOpenedOnce(opening, await untilListed(opening, 'ACTIVE'))
  })

  it('a failing provider is called again; the account stays PENDING meanwhile', async () => {
    await outside.behave('error')
    const { calls } = await outside.state()
    const opening = await onboard()
    await untilCalled(calls + 1)
    await untilJob(opening, 'retry')
    await makeDue(opening)
    await untilCalled(calls + 2)
    await untilJob(opening, 'retry')
    const waiting = await untilListed(opening, 'PENDING')
    assert.equal(waiting.external_account_id, null)
    assert.deepEqual([await atBank(opening), (await historyOf(opening)).length], [[], 1])

    await outside.behave('ok')
    await makeDue(opening)
    await assertOpenedOnce(opening, await untilListed(opening, 'ACTIVE'))
  })

  it('a provider that fails every other time is called again automatically, and opens one account', async () => {
    await alignCallCount()
    await outside.behave('flaky') // every other call fails
    const { calls } = await outside.state()
    const opening = await onboard()
    await assertOpenedOnce(opening, await untilListed(opening, 'ACTIVE'))
    assert.equal((await outside.state()).calls, calls + 2)
  })

  it('a lost response is requested again: the provider opened one account', async () => {
    outside.proxy.losesResponses = true
    const opening = await onboard()
    await untilJob(opening, 'retry')
    const [opened] = await atBank(opening)
    assert.ok(opened && (await isListed(opening, 'PENDING')), 'it is open there and not known here')

    outside.proxy.losesResponses = false
    outside.proxy.beforeResponse = async () => {}
    await makeDue(opening)
    const account = await untilListed(opening, 'ACTIVE')
    assert.equal(account.external_account_id, opened.external_account_id)
    await assertOpenedOnce(opening, account)
  })

  it('a rejection is final: INACTIVE with a sealed reason, no retry, and never ACTIVE', async () => {
    await outside.behave('reject')
    const { calls } = await outside.state()
    const opening = await onboard()
    const account = await untilListed(opening, 'INACTIVE')
    assert.equal(account.external_account_id, null)
    await untilJob(opening, 'completed')
    assert.equal((await outside.state()).calls, calls + 1)

    const [, change] = await historyOf(opening)
    assert.deepEqual([change?.step, change?.actor], ['PENDING INACTIVE', 'system:open-account'])
    assert.match(String((await openedReasons(t, opening.id)).at(-1)), /422/)

    const address = `/v1/users/${opening.user.id}/accounts/${opening.id}/status`
    const back = await t.call('PUT', address, { token: t.owner, body: { status: 'ACTIVE' } })
    assert.deepEqual([back.status, back.body.code], [409, 'invalid_state'])
  })

  it('one number for everybody opens one account: the next stays PENDING, is counted, and is opened when the bank is right again', async () => {
    await outside.behave('same_number')
    const first = await onboard()
    const { external_account_id: number } = await untilListed(first, 'ACTIVE')
    const taken = async () => valueOf(parseMetrics(await t.metrics.page()), 'account_numbers_taken_total')
    assert.equal(await taken(), 0)
    const second = await onboard()
    await untilJob(second, 'retry')
    assert.equal((await untilListed(second, 'PENDING')).external_account_id, null)
    assert.deepEqual([await taken(), (await historyOf(second)).length], [1, 1])

    await outside.behave('ok')
    await makeDue(second)
    const account = await untilListed(second, 'ACTIVE')
    assert.notEqual(account.external_account_id, number)
    await assertOpenedOnce(second, account)
    assert.equal((await isListed(first, 'ACTIVE')).external_account_id, number)
  })

  it('a number with characters that nobody sees is none: the bank is called again', async () => {
    await outside.behave('odd_number')
    const opening = await onboard()
    await untilJob(opening, 'retry')
    assert.equal((await untilListed(opening, 'PENDING')).external_account_id, null)
    await outside.behave('ok')
    await makeDue(opening)
    await assertOpenedOnce(opening, await untilListed(opening, 'ACTIVE'))
  })

  it('an account deactivated meanwhile is not opened', async () => {
    await outside.behave('error')
    const opening = await onboard()
    await untilJob(opening, 'retry')
    const address = `/v1/users/${opening.user.id}/accounts/${opening.id}/status`
    await t.made('PUT', address, { token: t.operator, body: { status: 'INACTIVE' } })
    await outside.behave('ok')
    await makeDue(opening)
    await untilJob(opening, 'completed')
    assert.deepEqual(await atBank(opening), [])
    assert.deepEqual(
      (await historyOf(opening)).map(({ step }) => step),
      ['PENDING', 'PENDING INACTIVE'],
    )
  })

  it('an account deactivated during the call stays inactive and keeps its number', async () => {
    outside.proxy.beforeResponse = async (reference) => {
      const [row] = await t.sql<{ user_id: string }>('select user_id from accounts where account_id = $1', [reference])
      const address = `/v1/users/${row?.user_id}/accounts/${reference}/status`
      await t.made('PUT', address, { token: t.operator, body: { status: 'INACTIVE' } })
    }
    const opening = await onboard()
    await untilJob(opening, 'completed')
    const [opened] = await atBank(opening)
    const account = await isListed(opening, 'INACTIVE')
    assert.equal(account.external_account_id, opened?.external_account_id)
    assert.deepEqual(
      (await historyOf(opening)).map(({ step }) => step),
      ['PENDING', 'PENDING INACTIVE'],
    )
  })

  it('an account without a job is queued again after a long wait, and not before', async () => {
    await outside.behave('error')
    const [abandoned, fresh] = [await onboard(), await onboard()]
    for (const opening of [abandoned, fresh]) {
      await untilJob(opening, 'retry')
      await t.sql(`delete from pgboss.job where data ->> 'account_id' = $1`, [opening.id])
    }
    await t.sql(`update accounts set created_at = now() - interval '14 hours' where account_id = $1`, [abandoned.id])
    await outside.behave('ok')
    await requeuePendingAccounts({ ...t.deps, queue: await t.startQueue() })
    await assertOpenedOnce(abandoned, await untilListed(abandoned, 'ACTIVE'))
    const jobs = await t.sql(`select 1 from pgboss.job where data ->> 'account_id' = $1`, [fresh.id])
    assert.deepEqual([jobs, await atBank(fresh)], [[], []])
    assert.ok(await isListed(fresh, 'PENDING'))
  })
})
