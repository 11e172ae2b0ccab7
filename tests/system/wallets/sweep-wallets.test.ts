import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { sweepWallets } from '../../../src/domains/money/wallets/index.ts'
import type { OperatorWallet } from '../../../src/domains/money/wallets/operator.ts'
import { CircuitOpenError } from '../../../src/kernel/outbound/circuit-breaker.ts'
import { openTestApp } from '../../support/app.ts'
import { operatorDouble } from '../../support/wallets.ts'

const t = await openTestApp({ own: true })
const HOURS = 24
const ROUND_MAX = 20

const { platform } = await t.offer()
const newWallet = async () => t.wallet(platform, await t.user(platform))
const wallets = await Promise.all(Array.from({ length: 25 }, newWallet))
const inOrder = wallets.toSorted((a, b) => (a.userId < b.userId ? -1 : 1)).map(({ id }) => id)

/** An operator that says this of a wallet, and what it is asked for, in order. */
function sweep(
  find: (reference: string) => Promise<OperatorWallet | undefined>,
  { isHalfOpen = false, isOpen = false } = {},
) {
  const asked: string[] = []
  const { operator } = operatorDouble({
    find: (reference) => {
      asked.push(reference)
      return find(reference)
    },
  })
  const state = { isCircuitOpen: () => isOpen, isHalfOpen: () => isHalfOpen }
  const context = {
    ...t.deps,
    operator: { ...operator, ...state },
    log: t.log,
    statusHours: HOURS,
    reportContradiction: () => {},
  }
  return { asked, round: () => sweepWallets(context) }
}

const known = async (): Promise<OperatorWallet> => ({ status: 'ACTIVE', sequence: 1 })

const setElapsed = (hours: number) =>
  t.sql(`update wallet_sweeps set began_at = now() - $1 * interval '1 hour'`, [hours])
const positions = async () => (await t.sql<{ position: string }>('select position from wallet_sweeps'))[0]?.position
const question = (userId: string, due = 'now()') =>
  t.sql(
    `insert into wallet_questions (user_id, due_at) values ($1, ${due}) on conflict (user_id) do update set due_at = excluded.due_at`,
    [userId],
  )
const questioned = async () => (await t.sql('select user_id from wallet_questions')).map(({ user_id }) => user_id)

describe('the sweep over all COMPLETED wallets', () => {
  beforeEach(async () => {
    await t.sql('delete from wallet_sweeps')
    await t.sql('delete from wallet_questions')
  })

  it('asks for each once in its hours, in the order of users, at most 20 in a round', async () => {
    const { asked, round } = sweep(known)
    await round()
    assert.deepEqual(asked, [], 'it has just begun')
    await setElapsed(HOURS)
    await round()
    assert.deepEqual(asked, inOrder.slice(0, ROUND_MAX))
    await round()
    assert.deepEqual(asked, inOrder)
    await round()
    assert.deepEqual([asked.length, await positions()], [inOrder.length, ''], 'and begins again')
    await setElapsed(HOURS / 2)
    await round()
    const [half] = [asked.length - inOrder.length]
    assert.deepEqual(asked.slice(inOrder.length), inOrder.slice(0, half), 'those up to the middle')
  })

  it('goes on where another worker has stopped', async () => {
    await sweep(known).round()
    await setElapsed(HOURS)
    await sweep(known).round()
    const { asked, round } = sweep(known)
    await round()
    assert.deepEqual(asked, inOrder.slice(ROUND_MAX))
  })

  it('writes nothing where the status is known', async () => {
    const stored = () => t.sql('select user_id, revision, last_modified_at from wallets order by user_id')
    const before = await stored()
    const { round } = sweep(known)
    await round()
    await setElapsed(HOURS)
    await round()
    assert.deepEqual(await stored(), before)
  })

  it('stops where the circuit opens, and begins there again; a wallet that fails otherwise is asked for later', async () => {
    const failing = inOrder[2] as string
    const ill = sweep(async (reference) => {
      if (reference === failing) throw new Error('no response came')
      if (inOrder.indexOf(reference) >= 8) throw new CircuitOpenError('the operator')
      return known()
    })
    await ill.round()
    await setElapsed(HOURS)
    await ill.round()
    assert.equal(await positions(), '')
    const owner = wallets.find(({ id }) => id === failing)?.userId
    assert.deepEqual(await questioned(), [owner])
    const { asked, round } = sweep(known)
    await round()
    assert.deepEqual(asked, inOrder.slice(0, ROUND_MAX), 'nothing was due before its time')
    await t.sql(`update wallet_questions set due_at = now()`)
    await round()
    assert.equal(asked[ROUND_MAX], failing)
    assert.deepEqual(await questioned(), [])
  })

  it('asks for nothing while the circuit is open, and for one when it is half open', async () => {
    await sweep(known).round()
    await setElapsed(HOURS)
    const open = sweep(known, { isOpen: true })
    await open.round()
    const half = sweep(known, { isHalfOpen: true })
    await half.round()
    assert.deepEqual([open.asked, half.asked], [[], inOrder.slice(0, 1)])
  })

  it('asks first for what is questioned, once, and again when it is questioned during the request', async () => {
    const last = wallets.find(({ id }) => id === inOrder.at(-1))?.userId as string
    await question(last)
    await question(wallets[0]?.userId as string, `now() + interval '1 hour'`)
    const { asked, round } = sweep(async () => {
      if (asked.length === 1) await question(last)
      return known()
    })
    await round()
    await round()
    await round()
    assert.deepEqual(asked, [inOrder.at(-1), inOrder.at(-1)])
    assert.deepEqual(await questioned(), [wallets[0]?.userId])
  })
})
