import type { InsurancePolicyStatus, SetInsurancePolicyStatusRequest } from '@banyan/client'
import { useQueryClient } from '@tanstack/react-query'
import { banyan } from '../../api/banyan.ts'
import { type PolicyRef, policyStatusQuery } from '../../api/policies.ts'
import { stateText } from '../../parts/state-badge.tsx'
import { notify } from '../../parts/notices.tsx'

type Change = {
  body: SetInsurancePolicyStatusRequest
  /** What the person decided upon: if somebody has changed it since, nothing is done. */
  seen: InsurancePolicyStatus
  /** Aborted when the person does not want it any more. */
  signal: AbortSignal
}

/** Sets the status of a policy. The page shows it when it is done, and what stands there now when it is not. */
export function useSetStatus(policy: PolicyRef) {
  const queries = useQueryClient()
  return async ({ body, seen, signal }: Change): Promise<void> => {
    try {
      const { policies } = banyan.user(policy.userId)
      const status = await policies.setStatus(policy.id, body, { ifMatch: seen, signal })
      queries.setQueryData(policyStatusQuery(policy).queryKey, status)
      notify(`The policy is now: ${stateText(status.status)}.`)
    } finally {
      await Promise.all(
        [['policy', policy.id], ['policies']].map((queryKey) => queries.invalidateQueries({ queryKey })),
      )
    }
  }
}
