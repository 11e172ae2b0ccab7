import type { InsurancePolicyStatus } from '@banyan/client'
import { stateText } from '../../parts/state-badge.tsx'
import { Ago, Day } from '../../parts/when.tsx'

/** The way that most policies go; the other states branch off from it. */
const USUAL = ['PENDING', 'VERIFICATION', 'APPROVED', 'ISSUED'] as const
const AFTER_ISSUE: Readonly<Record<string, string>> = {
  ISSUED: 'REQUIRES_CUSTOMER_RENEWAL',
  REQUIRES_CUSTOMER_RENEWAL: 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE',
  REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: 'EXPIRED',
  REQUIRES_POLICY_REISSUANCE: 'EXPIRED',
}

/** The states behind, where it is, and what comes next by itself, with its day. */
export function StatePath({ status }: { status: InsurancePolicyStatus }) {
  const { status: state, since, next_move_on: nextOn, grace_until: grace } = status
  const index = USUAL.findIndex((one) => one === state)
  const before = index === -1 ? (state === 'REJECTED' ? ['PENDING'] : [...USUAL]) : USUAL.slice(0, index)
  const usual = index === -1 ? undefined : USUAL[index + 1]
  const next = nextOn === null ? usual : AFTER_ISSUE[state]
  return (
    <ol className="path" aria-label="The way of this policy">
      {before.map((one) => (
        <li key={one} data-is="behind">
          {stateText(one)}
        </li>
      ))}
      <li data-is="here" aria-current="step">
        {stateText(state)}
        <small>
          <Ago at={since} />
          {grace !== null && (
            <>
              , until <Day day={grace} />
            </>
          )}
        </small>
      </li>
      {next !== undefined && (
        <li data-is="ahead">
          {stateText(next)}
          <small>{nextOn === null ? 'when somebody decides' : <Day day={nextOn} isDue />}</small>
        </li>
      )}
    </ol>
  )
}
