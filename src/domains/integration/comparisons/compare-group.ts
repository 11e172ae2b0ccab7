import { toScope } from '../../../access/scope.ts'
import type { Caller } from '../../../access/caller.ts'
import type { Day } from '../../../kernel/date.ts'
import type { Deps } from '../../../record/index.ts'
import { everyPolicyOfGroup, presentGroupPolicy } from '../../cover/coverage/index.ts'
import { compareMembers, missingHere } from './compare-members.ts'
import type { readLines } from './read-lines.ts'
import type { Difference } from './records.ts'

type Lines = Awaited<ReturnType<typeof readLines>>
type Group = { caller: Caller; number: string; day: Day; today: Day }

/** Compares policy by policy: besides the rows of the file, a page of policies is in memory. */
export async function compareGroup(
  deps: Deps,
  { caller, number, day, today }: Group,
  { byPolicy, differences: unread }: Lines,
): Promise<{ persons: number; users: string[]; differences: Difference[] }> {
  const differences = [...unread]
  const seen = new Set<string>()
  const users = new Set<string>()
  let persons = 0
  for await (const policies of everyPolicyOfGroup(deps, { number, scope: toScope(caller) })) {
    for (const policy of policies.filter(({ id }) => !seen.has(id))) {
      seen.add(policy.id)
      users.add(policy.userId)
      const { members } = presentGroupPolicy(policy, { day, today })
      const names = policy.externalPolicyId === null ? [policy.id] : [policy.id, policy.externalPolicyId]
      const rows = names.flatMap((name) => byPolicy.get(name) ?? []).map(({ number: row, cells }) => ({ row, cells }))
      for (const name of names) byPolicy.delete(name)
      differences.push(...compareMembers({ ...policy, members }, rows))
      persons += members.length
    }
  }
  for (const rows of byPolicy.values()) differences.push(...rows.map(({ number: row }) => missingHere(row)))
  return { persons, users: [...users], differences }
}
