import type { Money as Amount } from '@banyan/client'
import { Money } from './money.tsx'

type Settings = {
  balance: Amount
  /** What is done. */
  label: string
  /** What was typed; below zero, where it is taken. */
  change: Amount | undefined
  /** What is said of a balance so far below zero. */
  belowZero: (lacking: Amount) => string
}

/** The balance now, what was typed, and the balance that they make. */
export function BalanceAfter({ balance, label, change, belowZero }: Settings) {
  const after = change && balance.plus(change)
  const lacks = after && after.paise < 0
  return (
    <>
      <dl className="sum">
        <dt>Balance now</dt>
        <dd>
          <Money amount={balance} />
        </dd>
        <dt>{label}</dt>
        <dd>{change ? <Money amount={change} /> : '–'}</dd>
        <dt>Balance after</dt>
        <dd data-lacks={lacks || undefined}>{after ? <Money amount={after} /> : '–'}</dd>
      </dl>
      {lacks && <p className="lacks">{belowZero(after.times(-1))}</p>}
    </>
  )
}
