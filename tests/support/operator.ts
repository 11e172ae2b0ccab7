import { createOperator, type OperatorEvents } from '../../src/domains/money/wallets/index.ts'
import type { Clock } from '../../src/kernel/clock.ts'

export const OPERATOR_SECRET = 'the-test-operator-signs-with-this'

/** Reads the events of an operator with this secret; it is never called. */
export const operatorEvents = (clock: Clock): OperatorEvents =>
  createOperator({ url: 'http://127.0.0.1:1', apiKey: 'none', secret: OPERATOR_SECRET, clock })
