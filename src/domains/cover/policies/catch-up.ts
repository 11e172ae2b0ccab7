import type { Author, Deps, Recorded } from '../../../record/index.ts'
import { findCurrentVersions } from '../../people/dependants/index.ts'
import { correctedFields, memberAsPerson } from '../../people/users/index.ts'
import type { PolicySnapshot } from '../documents/policy-snapshot.ts'
import { type Correction, correctedEvent, createCorrection, LINKED_CORRECTIONS } from './corrected-event.ts'
import { withCurrentIds } from './list-member-days.ts'
import { findDependant, type Policy } from './records.ts'
import { unsealDependants } from './unseal-policy.ts'

/**
 * Returns a policy that followed no corrections, because it had ended, with its people as they are now, and what was
 * corrected: in dependants since the version that it names, in the member since the last issue.
 */
export async function catchUp(
  { db }: Pick<Deps, 'db'>,
  policy: Policy,
  last: PolicySnapshot | undefined,
): Promise<{ policy: Policy; corrections: Correction[] }> {
  const { userId, key, member, dependantIds, nomineeDependantId } = policy
  const timed = (policy.memberDays ?? []).map(({ id }) => id)
  const ids = [...new Set([...dependantIds, ...timed, ...(nomineeDependantId === null ? [] : [nomineeDependantId])])]
  const current = ids.length === 0 ? new Map<string, never>() : await findCurrentVersions(db, userId, ids)
  const currentId = (id: string) => current.get(id)?.id ?? id
  const sealed = Object.fromEntries([...current.values()].map((one) => [one.id, one.sealed]))
  const person = unsealDependants({ userId, key }, sealed)
  const caught = {
    ...policy,
    dependant: (id: string) => person(id) ?? policy.dependant(id),
    dependantIds: dependantIds.map(currentId),
    memberDays: withCurrentIds(policy.memberDays, currentId),
    nomineeDependantId: nomineeDependantId && currentId(nomineeDependantId),
  }
  const corrections = ids.map((id) => ({
    id: currentId(id),
    fields: correctedFields(findDependant(policy, id), findDependant(caught, currentId(id))),
  }))
  const fields = last ? correctedFields(memberAsPerson(last.member), memberAsPerson(member)) : []
  return {
    policy: caught,
    corrections: [{ id: userId as string, fields }, ...corrections].filter((one) => one.fields.length > 0),
  }
}

/** Returns a policy that has counted corrections, with their events, and the rows of its timeline. */
export function counted(policy: Policy, corrections: readonly Correction[], author: Author) {
  const events: Recorded['events'] = []
  let { personsVersion } = policy
  for (const correction of corrections) {
    personsVersion++
    events.push(correctedEvent({ ...policy, personsVersion }, correction))
  }
  const ofMember = corrections.filter(({ id }) => id === policy.userId)
  const rows = LINKED_CORRECTIONS.rows(ofMember.map(({ fields }) => createCorrection(policy, fields, author)))
  return { policy: { ...policy, personsVersion }, events, rows }
}
