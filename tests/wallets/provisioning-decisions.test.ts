import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Wallet } from '../../src/domains/money/wallets/index.ts'
import { applyOperatorStatus } from '../../src/domains/money/wallets/apply-operator-status.ts'
import {
  beginProvisioning,
  finishProvisioning,
  scheduleRetry,
} from '../../src/domains/money/wallets/provision-wallet.ts'
import { PARTNER_TRANSITIONS, WALLET_TRANSITIONS } from '../../src/domains/money/wallets/states.ts'
import type { UserId } from '../../src/access/user-id.ts'
import type { Author, Decision } from '../../src/record/index.ts'

const START = new Date('2026-04-01T10:00:00Z')
const by = (minutes: number): Author => ({
  caller: { kind: 'system', job: 'provision-wallet' },
  requestId: 'job_1',
  at: new Date(START.getTime() + minutes * 60_000),
})

const NEW: Wallet = {
  id: 'wal_1',
  userId: '012345678901' as UserId,
  platformId: 'plt_1',
  status: 'PENDING',
  partnerStatus: 'UNKNOWN',
  balancePaise: 0,
  lastPosition: 0,
  tries: 0,
  queuedAt: START,
  mayBeHeld: false,
  operatorStatus: null,
  operatorSequence: null,
  revision: 1,
}

type Step = (wallet: Wallet, at: Author) => Decision<Wallet>

const held = fc.record({ status: fc.constantFrom<'ACTIVE' | 'BLOCKED'>('ACTIVE', 'BLOCKED'), sequence: fc.nat(20) })
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>(beginProvisioning) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<[boolean, boolean]>([true, true], [false, true], [false, false]).map(
      ([counts, isCalled]): Step =>
        (wallet, at) =>
          scheduleRetry(wallet, { counts, isCalled }, at),
    ),
  },
  {
    weight: 1,
    arbitrary: held.map(
      (wallet): Step =>
        (now, at) =>
          finishProvisioning(now, { outcome: 'held', wallet }, at),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>((now, at) => finishProvisioning(now, { outcome: 'refused', reason: 'no' }, at)),
  },
  {
    weight: 2,
    arbitrary: held.map(
      (reported): Step =>
        (now, at) =>
          applyOperatorStatus(now, reported, at),
    ),
  },
)

const isIn = (table: readonly { from: string; to: string }[], from: string | null, to: string) =>
  table.some((one) => one.from === from && one.to === to)

describe('whatever happens to a wallet during provisioning', () => {
  it('it follows only its tables, is UNKNOWN exactly while not COMPLETED, and never reverts what the operator said', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(steps, fc.nat(400)), { maxLength: 40 }), (steps) => {
        let wallet = NEW
        let minutes = 0
        for (const [happening, later] of steps) {
          minutes += later
          const decision = happening(wallet, by(minutes))
          if (!decision.write) continue
          const next = decision.result
          for (const { from, to } of decision.history ?? [])
            assert(isIn(WALLET_TRANSITIONS, from, to) || isIn(PARTNER_TRANSITIONS, from, to), `${from} → ${to}`)
          assert.equal(next.partnerStatus === 'UNKNOWN', next.status !== 'COMPLETED')
          assert.equal(next.revision, wallet.revision + 1)
          // Of an event that would open what the operator has just responded to be blocked, nothing is kept.
          const isRefused = wallet.operatorStatus === 'ACTIVE' && next.partnerStatus === 'BLOCKED'
          assert(isRefused || (next.operatorSequence ?? -1) >= (wallet.operatorSequence ?? -1))
          if (wallet.partnerStatus === 'BLOCKED') assert.equal(next.partnerStatus, 'BLOCKED', 'no event opens it')
          assert(!wallet.mayBeHeld || next.mayBeHeld, 'what may have been heard stays so')
          if (wallet.status === 'COMPLETED') assert.equal(next.status, 'COMPLETED')
          wallet = next
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
