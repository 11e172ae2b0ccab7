import { createOperator } from '../../src/domains/money/wallets/index.ts'
import type { Operator, OperatorEvents } from '../../src/domains/money/wallets/operator.ts'
import type { Clock } from '../../src/kernel/clock.ts'

export const OPERATOR_SECRET = 'the-test-operator-signs-with-this'

/** Reads the events of an operator with this secret. It is never called: asked for a wallet, it responds as at the creation. */
export const operatorInTests = (clock: Clock): Operator & OperatorEvents => ({
  ...createOperator({ url: 'http://127.0.0.1:1', apiKey: 'none', secret: OPERATOR_SECRET, clock }),
  findWallet: async () => ({ status: 'ACTIVE', sequence: 1 }),
})
