import type { Actor } from '../../access/caller.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { movePolicy } from './move-policy.ts'
import { lockOpenPoliciesCovering, replaceDependant } from './store.ts'

type NewVersion = { userId: string; oldId: string; newId: string; by: Actor }

/**
 * Lets the policies that cover a dependant follow its new version: all that are open name it from now on, and one that is
 * ISSUED has to be issued again (completion 5). Done in the transaction that makes the version.
 */
export async function followDependant(
  tx: Tx,
  kit: Pick<Deps, 'vault' | 'calendar'>,
  { userId, oldId, newId, by }: NewVersion,
): Promise<void> {
  const system: Actor = { caller: { kind: 'system', job: 'dependant-version' }, requestId: by.requestId }
  for (const { policy_id: policyId, status } of await lockOpenPoliciesCovering(tx, userId, oldId)) {
    await replaceDependant(tx, { userId, policyId, oldId, newId })
    if (status !== 'ISSUED') continue
    await movePolicy(tx, kit, {
      userId,
      policyId,
      form: { status: 'REQUIRES_POLICY_REISSUANCE' },
      ifMatch: undefined,
      by: system,
    })
  }
}
