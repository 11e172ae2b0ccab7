import { Money as Amount } from '@banyan/client'
import { rupeesIn } from './rupees.ts'

/** An amount with Indian grouping, its digits below each other in a column. */
export function Money({ amount }: { amount: Amount }) {
  return <span className="money">{amount.format()}</span>
}

/** Returns the amount that somebody typed; undefined for what is none. */
export function amountIn(text: string): Amount | undefined {
  const rupees = rupeesIn(text)
  return rupees === undefined ? undefined : Amount.rupees(rupees)
}
