import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Actor } from '../../../../src/access/caller.ts'
import { book } from '../../../../src/domains/money/ledger/book.ts'
import { verifyLedger } from '../../../../src/domains/money/ledger/index.ts'
import { ProblemError } from '../../../../src/kernel/problem-error.ts'
import { type Author, applyWithRetry } from '../../../../src/record/index.ts'
import { openTestApp } from '../../../support/app.ts'

const WALLETS = 5
const RUNS = 105 // times WALLETS: more than 500 sequences
const OPERATIONS_MIN = 5
const OPERATIONS_MAX = 10
const MAX = Number.MAX_SAFE_INTEGER

const t = await openTestApp({ own: true })
const platform = await t.platform()
const users: string[] = []
for (let n = 0; n < WALLETS; n++) {
  const user = await t.user(platform)
  await t.wallet(platform, user)
  users.push(user.id)
}
const by: Actor = {
  caller: { kind: 'platform', platformId: platform.id, epoch: 0, credentialId: 'model' },
  requestId: 'req_model',
}

type Booking = { type: 'CREDIT' | 'DEBIT'; amount: number; reference: string }
type Operation = Booking | { type: 'ACTIVE' | 'BLOCKED' }

/** Small and huge amounts, so that both ends of the balance are reached; few references, so that they repeat. */
const amount = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 50 }) },
  { weight: 1, arbitrary: fc.integer({ min: MAX - 60, max: MAX }) },
)
const booking = fc.record({
  type: fc.constantFrom<'CREDIT' | 'DEBIT'>('CREDIT', 'DEBIT'),
  amount,
  reference: fc.integer({ min: 1, max: 12 }).map((n) => `reference-${n}`),
})
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 9, arbitrary: booking },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom<'ACTIVE' | 'BLOCKED'>('ACTIVE', 'BLOCKED') }) },
)
const sequence = fc.array(operation, { minLength: OPERATIONS_MIN, maxLength: OPERATIONS_MAX, size: 'max' })

type Booked = Booking & { balanceAfter: number }
type Model = { status: 'ACTIVE' | 'BLOCKED'; booked: Booked[] }

const balanceOf = ({ booked }: Model) => BigInt(booked.at(-1)?.balanceAfter ?? 0)

/** Returns the expected response; when it books, the model books too. */
function predict(model: Model, { type, amount, reference }: Booking): string {
  if (model.booked.some((one) => one.reference === reference)) return 'conflict reference_used'
  if (type === 'DEBIT' && model.status === 'BLOCKED') return 'invalid_state'
  const balance = balanceOf(model) + BigInt(type === 'CREDIT' ? amount : -amount)
  if (balance < 0n) return 'conflict insufficient_balance'
  if (balance > BigInt(MAX)) return 'conflict limit_reached'
  model.booked.push({ type, amount, reference, balanceAfter: Number(balance) })
  return `booked ${balance}`
}

async function perform(userId: string, { type, ...input }: Booking): Promise<string> {
  try {
    const decide = (now: Author) => book(t.deps, { userId, type, input }, now)
    const { balanceAfterPaise } = await applyWithRetry(t.deps, by, decide, { serializeBy: userId })
    return `booked ${balanceAfterPaise}`
  } catch (error) {
    assert(error instanceof ProblemError, String(error))
    return [error.code, error.members['reason']].filter(Boolean).join(' ')
  }
}

const seen = new Set<string>()

async function play(userId: string, operations: Operation[]): Promise<Model> {
  const model: Model = { status: 'ACTIVE', booked: [] }
  for (const operation of operations) {
    if ('amount' in operation) {
      const response = await perform(userId, operation)
      assert.equal(response, predict(model, operation))
      seen.add(`${operation.type} ${response.split(' ', 1)[0]}`)
    } else {
      model.status = operation.type
      await t.sql('update wallets set wallet_status_partner = $2 where user_id = $1', [userId, operation.type])
    }
  }
  return model
}

/** Resets all wallets, so that a failing sequence can be replayed. */
const reset = () =>
  t.sql(`with e as (delete from ledger_entries), t as (delete from ledger_transactions)
         update wallets set balance_paise = 0, last_position = 0, wallet_status_partner = 'ACTIVE'`)

async function stored(userId: string): Promise<{ balance: bigint; booked: Booked[] }> {
  const rows = await t.sql<Record<'type' | 'amount' | 'reference' | 'balance_after' | 'balance', string>>(
    `select w.balance_paise as balance, transaction_type as type, amount_paise as amount, reference,
            balance_after_paise as balance_after
       from wallets w left join ledger_transactions t on t.user_id = w.user_id
      where w.user_id = $1 order by position`,
    [userId],
  )
  const booked = rows.filter((row) => row.type !== null)
  return {
    balance: BigInt(rows[0]?.balance ?? -1),
    booked: booked.map(({ type, amount, reference, balance_after }) => ({
      type: type as Booking['type'],
      amount: Number(amount),
      reference,
      balanceAfter: Number(balance_after),
    })),
  }
}

describe('the ledger and its model', () => {
  it('agree on every response, balance and booking under concurrent calls on several wallets', async () => {
    let sequences = 0
    const playsOfAll = fc.array(sequence, { minLength: WALLETS, maxLength: WALLETS })
    const property = fc.asyncProperty(playsOfAll, async (plays) => {
      await reset()
      const models = await Promise.all(plays.map((operations, index) => play(users[index] as string, operations)))
      for (const [index, model] of models.entries()) {
        assert.deepEqual(await stored(users[index] as string), { balance: balanceOf(model), booked: model.booked })
      }
      const { wrong, transactions } = await verifyLedger(t.db, () => {})
      assert.deepEqual([wrong, transactions], [[], models.flatMap((model) => model.booked).length])
      sequences += plays.length
    })
    await fc.assert(property, { numRuns: RUNS })
    assert(sequences >= 500)
    const responses = ['CREDIT booked', 'CREDIT conflict', 'DEBIT booked', 'DEBIT conflict', 'DEBIT invalid_state']
    assert.deepEqual(seen, new Set(responses), 'every response was met')
  })
})
