import type { Deposit } from '@banyan/client'
import { Money } from './money.tsx'
import { StateBadge } from './state-badge.tsx'

type Settings = Pick<Deposit, 'balance' | 'low_below'>

/** What a deposit holds, and that it is too little, in words. */
export function DepositBalance({ balance, low_below: low }: Settings) {
  const state = balance.paise < 0 ? 'BELOW_ZERO' : low && balance.compareTo(low) < 0 ? 'LOW' : undefined
  if (state === undefined) return <Money amount={balance} />
  return (
    <span className="short">
      <Money amount={balance} /> <StateBadge state={state} />
    </span>
  )
}
