import type { InsurancePolicyStatus, SetInsurancePolicyStatusRequest } from '@banyan/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { banyan } from '../../api/banyan.ts'
import { type PolicyRef, policyStatusQuery } from '../../api/policies.ts'
import { stateText } from '../../parts/state-badge.tsx'
import { notify } from '../../parts/notices.tsx'

type Change = {
  body: SetInsurancePolicyStatusRequest
  /** What the person decided upon: if somebody has changed it since, nothing is done. */
  seen: InsurancePolicyStatus
}

/**
 * Sets the status of a policy. The page shows it at once, and goes back if the service refuses, also when somebody else
 * has changed the policy since it was read.
 */
export function useSetStatus(policy: PolicyRef) {
  const queries = useQueryClient()
  const { queryKey } = policyStatusQuery(policy)
  return useMutation({
    mutationFn: ({ body, seen }: Change) =>
      banyan.user(policy.userId).policies.setStatus(policy.id, body, { ifMatch: seen }),
    onMutate: async ({ body: { status }, seen }) => {
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueryData(queryKey)
      const after = { ...seen, status, since: new Date(), next_move_on: null, allowed_transitions: [] }
      queries.setQueryData(queryKey, after)
      return { before }
    },
    onError: (_error, _change, context) => queries.setQueryData(queryKey, context?.before),
    onSuccess: (status) => {
      queries.setQueryData(queryKey, status)
      notify(`The policy is now: ${stateText(status.status)}.`)
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['policy', policy.id] }),
        queries.invalidateQueries({ queryKey: ['policies'] }),
      ]),
  })
}
