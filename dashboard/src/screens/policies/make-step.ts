import {
  type InsurancePolicyStatus,
  type ListedInsurancePolicy,
  PreconditionFailedError,
  type SetInsurancePolicyStatusRequest,
} from '@banyan/client'
import { banyan } from '../../api/banyan.ts'
import { type PolicyTransition, undoOf } from '../../api/policy-transitions.ts'
import { CHANGED } from '../../api/problem.ts'
import type { Role } from '../../api/roles.ts'

type Row = ListedInsurancePolicy
type StepSettings = { transition: PolicyTransition; reason: string | undefined; role: Role }

/** A step that was made here, and nobody else's; `back` takes it back. */
export type Step = { row: Row; after: InsurancePolicyStatus; back: PolicyTransition }

/** Sets it upon this version only: setting the present state succeeds, also where a colleague has made the step. */
const setStatus = ({ id, user_id }: Row, body: SetInsurancePolicyStatusRequest, seen: InsurancePolicyStatus) =>
  banyan
    .user(user_id)
    .policies.setStatus(id, body, { ifMatch: seen })
    .catch((error: Error) => {
      throw error instanceof PreconditionFailedError ? new Error(CHANGED) : error
    })

/** Makes a step upon what the list shows, and throws when somebody has changed its status since. Undefined: it stays made. */
export async function makeStep(
  row: Row,
  { transition: { to }, reason, role }: StepSettings,
): Promise<Step | undefined> {
  // A list has no versions, so the status is read, and compared with the list.
  const before = await banyan.user(row.user_id).policies.readStatus(row.id)
  if (before.status !== row.status || before.since > row.last_modified_at) throw new Error(CHANGED)
  const after = await setStatus(row, { status: to, reason }, before)
  // Rows of several states can have a step in common, so each goes back to its own.
  const back = undoOf({ from: before.status, to }, role, before)
  return back && { row, after, back }
}

/** Takes a step back, unless somebody has changed the policy since. */
export const takeBack = async ({ row, after, back }: Step): Promise<undefined> =>
  void (await setStatus(row, { status: back.to }, after))
