import type { InsurancePolicyStatus, SetInsurancePolicyStatusRequest } from '@banyan/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { banyan } from '../../api/banyan.ts'
import { type PolicyRef, policyStatusQuery } from '../../api/policies.ts'
import { stateText } from '../../parts/state-badge.tsx'
import { notify } from '../../parts/notices.tsx'

/**
 * Sets the status of a policy. The page shows it at once, and goes back if the service refuses, also when somebody else
 * has changed the policy since it was read.
 */
export function useSetStatus(policy: PolicyRef) {
  const queries = useQueryClient()
  const { queryKey } = policyStatusQuery(policy)
  return useMutation({
    mutationFn: (body: SetInsurancePolicyStatusRequest) => {
      return banyan.user(policy.userId).policies.setStatus(policy.id, body)
    },
    onMutate: async ({ status }) => {
      await queries.cancelQueries({ queryKey })
      const before = queries.getQueryData(queryKey)
      queries.setQueryData(
        queryKey,
        (now: InsurancePolicyStatus | undefined) =>
          now && { ...now, status, since: new Date(), next_move_on: null, allowed_transitions: [] },
      )
      return { before }
    },
    onError: (_error, _body, context) => queries.setQueryData(queryKey, context?.before),
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
