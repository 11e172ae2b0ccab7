import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { UserId } from '../../src/access/user-id.ts'
import {
  applyAskedStatus,
  findContradiction,
  SEQUENCE_AHEAD_MAX,
} from '../../src/domains/money/wallets/apply-operator-status.ts'
import { finishProvisioning } from '../../src/domains/money/wallets/provision-wallet.ts'
import type { Wallet } from '../../src/domains/money/wallets/records.ts'
import { findTarget } from '../../src/domains/money/wallets/sweep-wallets.ts'
import type { Author } from '../../src/record/index.ts'

const FAR = 9_007_199_254_740_991
const by: Author = { caller: { kind: 'operator', subject: 'adm_1' }, requestId: 'req_1', at: new Date() }

const wallet = (stored: Partial<Wallet> = {}): Wallet => ({
  id: 'wal_1',
  userId: '012345678901' as UserId,
  platformId: 'plt_1',
  status: 'COMPLETED',
  partnerStatus: 'ACTIVE',
  balancePaise: 0,
  lastPosition: 0,
  tries: 1,
  queuedAt: new Date(),
  mayBeHeld: true,
  operatorStatus: 'ACTIVE',
  operatorSequence: 5,
  revision: 3,
  ...stored,
})

/** The statuses and the sequence after a decision; undefined when it writes nothing. */
function stored(decision: ReturnType<typeof applyAskedStatus>) {
  if (!decision.write) return undefined
  const { status, partnerStatus, operatorSequence } = decision.result
  return `${status} ${partnerStatus} ${operatorSequence}`
}

describe('an event of the operator', () => {
  it('contradicts what is stored by an old or equal sequence with another status, and by one far ahead', () => {
    const known = wallet()
    assert.equal(findContradiction(known, { status: 'BLOCKED', sequence: 4 }), 'sequence_older')
    assert.equal(findContradiction(known, { status: 'BLOCKED', sequence: 5 }), 'sequence_equal')
    for (const status of ['ACTIVE', 'BLOCKED'] as const) {
      assert.equal(findContradiction(known, { status, sequence: 6 + SEQUENCE_AHEAD_MAX }), 'sequence_far_ahead')
      assert.equal(findContradiction(known, { status, sequence: 5 + SEQUENCE_AHEAD_MAX }), undefined)
      assert.equal(findContradiction(known, { status, sequence: 6 }), undefined)
      assert.equal(
        findContradiction(wallet({ operatorSequence: null, operatorStatus: null }), { status, sequence: FAR }),
        undefined,
      )
    }
    assert.equal(findContradiction(known, { status: 'ACTIVE', sequence: 4 }), undefined)
  })

  it('is not believed over the response to the creation when it is far ahead of it', () => {
    const early = wallet({
      status: 'IN_PROGRESS',
      partnerStatus: 'UNKNOWN',
      operatorStatus: 'BLOCKED',
      operatorSequence: FAR,
    })
    const held = { outcome: 'held', wallet: { status: 'ACTIVE', sequence: 1 } } as const
    const system: Author = { ...by, caller: { kind: 'system', job: 'provision-wallet' } }
    assert.equal(stored(finishProvisioning(early, held, system)), 'COMPLETED ACTIVE 1')
    assert.equal(stored(finishProvisioning({ ...early, operatorSequence: 2 }, held, system)), 'COMPLETED BLOCKED 2')
  })
})

describe('the status that the operator is asked for', () => {
  it('is stored with its own sequence, also when that is lower than the stored one', () => {
    const before = wallet({ operatorSequence: FAR })
    const reported = { status: 'BLOCKED', sequence: 7 } as const
    const decision = applyAskedStatus(before, { before, reported }, by)
    assert.equal(stored(decision), 'COMPLETED BLOCKED 7')
    assert(decision.write)
    assert.deepEqual(
      decision.history?.map(({ from, to, reason }) => [from, to, reason?.text]),
      [['ACTIVE', 'BLOCKED', 'The operator was asked for the status.']],
    )
  })

  it('changes nothing when it is known, and only the sequence when the status is', () => {
    const before = wallet()
    assert.equal(
      stored(applyAskedStatus(before, { before, reported: { status: 'ACTIVE', sequence: 5 } }, by)),
      undefined,
    )
    const decision = applyAskedStatus(before, { before, reported: { status: 'ACTIVE', sequence: 2 } }, by)
    assert.equal(stored(decision), 'COMPLETED ACTIVE 2')
    assert(decision.write && !decision.events && !decision.history)
  })

  it('is older than an event that arrived after the question', () => {
    const before = wallet()
    const now = wallet({ operatorSequence: 6, operatorStatus: 'BLOCKED', partnerStatus: 'BLOCKED' })
    assert.equal(stored(applyAskedStatus(now, { before, reported: { status: 'ACTIVE', sequence: 5 } }, by)), undefined)
    const newer = applyAskedStatus(now, { before, reported: { status: 'ACTIVE', sequence: 7 } }, by)
    assert.equal(stored(newer), 'COMPLETED ACTIVE 7')
  })

  it('does not count for a wallet that is not COMPLETED any more', () => {
    const before = wallet()
    const now = wallet({ status: 'FAILED', partnerStatus: 'UNKNOWN' })
    assert.equal(stored(applyAskedStatus(now, { before, reported: { status: 'BLOCKED', sequence: 9 } }, by)), undefined)
  })
})

describe('the sweep over all wallets', () => {
  it('is through within nine tenths of its hours, and evenly on its way', () => {
    const hours = (count: number) => ({ elapsed_s: count * 3_600 })
    assert.equal(findTarget(hours(0), 24), '000000000000')
    assert.equal(findTarget(hours(10.8), 24), '100000000000')
    assert(findTarget(hours(5.4), 24) < findTarget(hours(5.5), 24))
    assert.equal(findTarget(hours(21.6), 24), '999999999999')
    assert.equal(findTarget(hours(100), 24), '999999999999')
  })
})
