import assert from 'node:assert/strict'
import type { Actor, Caller } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { conflict } from '../../kernel/refusal.ts'
import { emit } from '../events/index.ts'
import { lockUser, type User } from '../users/index.ts'
import { versionOf } from './present.ts'
import type { DependantForm, DependantPatch } from './schemas.ts'
import { type Dependant, findDependant, insertDependants, supersede } from './store.ts'

/** Registers all of them or none, in order (contract 4.5). 404, 409 when one is registered already. */
export async function createDependants(
  tx: Tx,
  vault: Vault,
  form: { caller: Caller; userId: string; dependants: DependantForm[] },
): Promise<Dependant[]> {
  const user = await lockUser(tx, vault, scopeOnUser(form.caller, form.userId))
  const dependants = await insertDependants(tx, vault, { user, forms: form.dependants })
  await tell(tx, user, dependants)
  return dependants
}

/** What has to follow a new version; the policies' domain does. */
export type FollowVersion = (
  tx: Tx,
  version: { userId: string; oldId: string; newId: string; by: Actor },
) => Promise<void>

type Correction = {
  by: Actor
  follow: FollowVersion
  userId: string
  dependantId: string
  ifMatch: string | undefined
  patch: DependantPatch
}

/** Makes the next version of a dependant. 404, 409 when there is a newer one, 412. */
export async function updateDependant(
  tx: Tx,
  vault: Vault,
  { by, follow, userId, dependantId, ifMatch, patch }: Correction,
): Promise<Dependant> {
  const scope = scopeOnUser(by.caller, userId)
  const user = await lockUser(tx, vault, scope)
  const current = await findDependant(tx, vault, scope, dependantId)
  checkFresh(ifMatch, () => versionOf(current))
  if (current.isSuperseded) throw conflict('There is a newer version of this dependant.')
  await supersede(tx, current)
  const { date_of_birth, first_name, last_name } = { ...current, ...patch }
  const [next] = await insertDependants(tx, vault, {
    user,
    forms: [{ date_of_birth, first_name, last_name }],
    previousVersionId: current.id,
  })
  assert(next, 'one form makes one dependant')
  await tell(tx, user, [next])
  await follow(tx, { userId: user.id, oldId: current.id, newId: next.id, by })
  return next
}

async function tell(tx: Tx, user: User, dependants: Dependant[]): Promise<void> {
  const data = {
    user_id: user.id,
    dependants: dependants.map(({ id, previousVersionId }) => ({ id, previous_version_id: previousVersionId })),
  }
  await emit(tx, 'dependants.created', { platformId: user.platformId, subject: user.id, data })
}
