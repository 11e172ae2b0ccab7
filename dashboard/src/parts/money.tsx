import type { Money as Amount } from '@banyan/client'

/** An amount with Indian grouping, its digits below each other in a column. */
export function Money({ amount }: { amount: Amount }) {
  return <span className="money">{amount.format()}</span>
}
