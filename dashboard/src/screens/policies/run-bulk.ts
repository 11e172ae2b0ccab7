import type { ListedInsurancePolicy } from '@banyan/client'
import { banyan } from '../../api/banyan.ts'
import type { PolicyTransition } from '../../api/policy-transitions.ts'
import { textOf } from '../../api/problem.ts'

/** So many at a time: quick, and far from any limit. */
const AT_A_TIME = 4

export type Outcome = { id: string; problem?: string }
type Target = Pick<ListedInsurancePolicy, 'id' | 'user_id'>

/** Changes each policy by itself, and reports each; one that fails stops no other. */
export async function runBulk(
  targets: readonly Target[],
  transition: Pick<PolicyTransition, 'to'>,
  { reason, report }: { reason?: string | undefined; report: (outcome: Outcome) => void },
): Promise<void> {
  const waiting = [...targets]
  const work = async () => {
    for (let target = waiting.shift(); target; target = waiting.shift()) {
      const { id, user_id } = target
      const body = { status: transition.to, ...(reason !== undefined && { reason }) }
      report(
        await banyan
          .user(user_id)
          .policies.setStatus(id, body)
          .then(
            () => ({ id }),
            (error: Error) => ({ id, problem: textOf(error) }),
          ),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
}
