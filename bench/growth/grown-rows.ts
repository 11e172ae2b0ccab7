import { systemClock, todayIn } from '../../src/kernel/clock.ts'
import type { Vault } from '../../src/kernel/crypto/vault.ts'
import { addDays } from '../../src/kernel/date.ts'
import { newId } from '../../src/kernel/id.ts'
import type { Catalogue } from '../catalogue.ts'
import { familyRows, type Rows } from '../families.ts'

const DAYS = 365
const ISSUING = [null, 'PENDING', 'VERIFICATION', 'APPROVED', 'ISSUED']
const PROVISIONING = [null, 'CREATED', 'PENDING', 'IN_PROGRESS', 'COMPLETED']
const TODAY = todayIn(systemClock)

/** Returns the rows of a family with the next steps of its policies, spread over a year, and the history of all. */
export function grownRows(vault: Vault, catalogue: Catalogue, index: number): Rows {
  const rows = familyRows(vault, catalogue, index)
  const { insurance_policies: policies = [], wallets = [] } = rows
  const isIssued = ({ status }: Row) => status === 'ISSUED'
  return {
    ...rows,
    insurance_policies: policies.map((policy) => ({
      ...policy,
      next_move_on: isIssued(policy) ? addDays(TODAY, 1 + (index % DAYS)) : null,
    })),
    user_status_changes: [
      ...policies.flatMap((policy) =>
        changes(policy, { id: policy['policy_id'], states: isIssued(policy) ? ISSUING : ISSUING.slice(0, 2) }),
      ),
      ...wallets.flatMap((wallet) => changes(wallet, { id: wallet['partner_wallet_id'], states: PROVISIONING })),
    ],
  }
}

type Row = Record<string, unknown>

const changes = ({ user_id, platform_id }: Row, { id, states }: { id: unknown; states: (string | null)[] }): Row[] =>
  states.slice(1).map((to_status, position) => ({
    user_id,
    entity_id: id,
    change_id: newId('chg'),
    from_status: states[position],
    to_status,
    actor: `platform:${String(platform_id)}`,
  }))
