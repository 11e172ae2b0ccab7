import assert from 'node:assert/strict'
import type { Operator, OperatorResponse, OperatorWallet } from '../../src/domains/money/wallets/operator.ts'
import { provisionWallet } from '../../src/domains/money/wallets/provision-wallet.ts'
import { PARTNER_TRANSITIONS, WALLET_TRANSITIONS, WALLET_STATUSES } from '../../src/domains/money/wallets/states.ts'
import type { TestApp } from './app.ts'

export const HELD: OperatorResponse = { outcome: 'held', wallet: { status: 'ACTIVE', sequence: 1 } }
export const REFUSED: OperatorResponse = { outcome: 'refused', reason: 'not this customer' }

type Responses = {
  create?: (reference: string) => Promise<OperatorResponse>
  find?: (reference: string) => Promise<OperatorWallet | undefined>
}

/** An operator that responds as configured and records its calls in order. */
export function operatorDouble({ create = async () => HELD, find = async () => undefined }: Responses = {}) {
  const calls: string[] = []
  const operator: Operator = {
    createWallet: ({ reference }) => {
      calls.push('create')
      return create(reference)
    },
    isCircuitOpen: () => false,
    isHalfOpen: () => false,
    findWallet: (reference) => {
      calls.push('find')
      return find(reference)
    },
  }
  return { operator, calls }
}

/** One run of the job, as a worker does it. */
export const provision = ({ deps }: Pick<TestApp, 'deps'>, operator: Operator, userId: string) =>
  provisionWallet({ ...deps, operator, callbackUrl: 'http://banyan.test/events' }, userId)

type StatusChangeRow = { from_status: string | null; to_status: string }

/** A wallet's history in order: `CREATED PENDING …` and the operator's view, `UNKNOWN …`. */
export async function walletHistory({ sql }: Pick<TestApp, 'sql'>, userId: string) {
  const rows = await sql<StatusChangeRow>(
    `select from_status, to_status
       from user_status_changes
      where user_id = $1 and entity_id like 'wal%'
      order by change_id`,
    [userId],
  )
  const isOurs = ({ to_status }: StatusChangeRow) => (WALLET_STATUSES as readonly string[]).includes(to_status)
  return {
    wallet: pathOf(rows.filter(isOurs), WALLET_TRANSITIONS),
    partner: pathOf(
      rows.filter((row) => !isOurs(row)),
      PARTNER_TRANSITIONS,
    ),
  }
}

/** Asserts that every row starts where the previous one ended and is a transition of the table. */
function pathOf(rows: StatusChangeRow[], table: readonly { from: string; to: string }[]): string {
  for (const [index, { from_status, to_status }] of rows.entries()) {
    assert.equal(from_status, rows[index - 1]?.to_status ?? from_status)
    const isArrow = table.some(({ from, to }) => from === from_status && to === to_status)
    assert(isArrow || from_status === null, `${from_status} → ${to_status} is not in the state table`)
  }
  return rows.map((row) => row.to_status).join(' ')
}

type Reported = { data: { from: string; to: string; partner_from: string; partner_to: string } }

/**
 * The content of the events in order: `CREATED>PENDING`, with the operator's view where it changed. One event per
 * transition.
 */
export async function walletEvents({ sql }: Pick<TestApp, 'sql'>, walletId: string): Promise<string[]> {
  const rows = await sql<Reported>(
    `select data from events where type = 'wallet.status_changed' and subject = $1 order by event_id`,
    [walletId],
  )
  return rows.map(({ data: { from, to, partner_from, partner_to } }) => {
    const transitions = [from !== to && `${from}>${to}`, partner_from !== partner_to && `${partner_from}>${partner_to}`]
    return transitions.filter(Boolean).join(' ')
  })
}

/** The queue's jobs for this user's wallet, whatever their state. */
export async function provisioningJobs({ sql }: Pick<TestApp, 'sql'>, userId: string) {
  return sql<{ id: string; state: string; data: object }>(
    `select id, state, data from pgboss.job where name = 'provision-wallet' and data->>'user_id' = $1 order by created_on`,
    [userId],
  )
}
