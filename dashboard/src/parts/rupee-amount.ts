import { Money } from '@banyan/client'
import { InputError } from '../api/problem.ts'
import { HOW_TO_WRITE_RUPEES, rupeesIn } from './rupees.ts'

/** Returns the amount that somebody typed; undefined for what is none. */
export function amountIn(text: string): Money | undefined {
  const rupees = rupeesIn(text)
  return rupees === undefined ? undefined : Money.rupees(rupees)
}

/** Returns the amount above zero that somebody typed; undefined for what is none, and for nothing. */
export function amountAboveZeroIn(text: string | undefined): Money | undefined {
  const amount = amountIn(text ?? '')
  return amount && amount.paise > 0 ? amount : undefined
}

/** Returns the amount above zero that was typed in a field. */
export function readAmountAboveZero(text: string | undefined, pointer: string): Money {
  const amount = amountAboveZeroIn(text)
  if (amount) return amount
  const isNothing = amountIn(text ?? '') !== undefined
  throw new InputError(pointer, isNothing ? 'Write more than ₹0.00.' : HOW_TO_WRITE_RUPEES)
}
