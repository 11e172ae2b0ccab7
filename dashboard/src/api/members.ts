import type { DependantId, InsurancePolicyMembers, SetInsurancePolicyMemberRequest } from '@banyan/client'
import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { SEALED } from './people.ts'
import type { PolicyRef } from './policies.ts'

/** A time during which somebody is on a policy. */
export type Member = InsurancePolicyMembers['data'][number]

/** Who is on a policy from when to when; what is read stands in the access log. */
export const membersQuery = ({ userId, id }: PolicyRef, purpose: string | undefined) =>
  queryOptions({
    queryKey: ['members', id],
    queryFn: ({ signal }) => banyan.user(userId).policies.listMembers(id, { signal, purpose }),
    enabled: purpose !== undefined,
    ...SEALED,
  })

/** `ifMatch`: the members that it was decided upon. */
type MemberChange = { ifMatch: InsurancePolicyMembers; purpose: string; signal: AbortSignal }

export const setMember = (
  { userId, id }: PolicyRef,
  { dependant, body }: { dependant: DependantId; body: SetInsurancePolicyMemberRequest },
  change: MemberChange,
) => banyan.user(userId).policies.setMember(id, dependant, body, change)
