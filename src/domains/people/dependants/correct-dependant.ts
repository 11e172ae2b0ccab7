import { isDeepStrictEqual } from 'node:util'
import type { Limits } from '../../../access/limits.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { limitReached } from '../../../kernel/problem-error.ts'
import { type By, type Decision, newEvent, unchanged } from '../../../record/index.ts'
import type { Followers } from '../users/index.ts'
import { identitiesOf, newVersion } from './create-dependants.ts'
import { versionOf } from './present.ts'
import type { DependantPatch } from './schemas.ts'
import {
  NEXT_VERSION_PART,
  SUPERSEDE_PART,
  type CorrectionStatements,
  type Dependant,
  findToCorrect,
  knownFields,
  newerVersionConflict,
  identityConflict,
  refuseRegistered,
  rowOfDependant,
} from './store.ts'

type Context = { db: Queryable; vault: Vault; limits: Limits } & CorrectionStatements & Pick<Followers, 'follow'>

type Correction = { userId: string; dependantId: string; ifMatch: string | undefined; patch: DependantPatch }

/**
 * Decides the next version of a dependant, and how its followers change. A patch without changes creates none. Throws
 * 404, 409 `conflict` when there is a newer version or an equal dependant, or too many versions, 412.
 */
export async function correctDependant(
  { write, follow, limits, ...context }: Context,
  { userId, dependantId, ifMatch, patch }: Correction,
  by: By,
): Promise<Decision<Dependant>> {
  const found = await findToCorrect(context, scopeOnUser(by.caller, userId), dependantId)
  const { dependant: previous, versions, followers } = found
  checkFresh(ifMatch, () => versionOf(previous))
  if (previous.supersededAt !== null) throw await newerVersionConflict(context.db, previous)
  const profile = knownFields({ ...previous.profile, ...patch })
  if (isDeepStrictEqual(profile, knownFields(previous.profile))) return unchanged(previous)
  if (versions >= limits.versions) throw limitReached(`A dependant can have at most ${limits.versions} versions.`)

  const { platformId, key, coverRevision } = previous
  const next = newVersion({ userId: previous.userId, previousVersionId: previous.id, profile }, by)
  const { seen, rows, history, events } = follow(followers, { previous, id: next.id }, by)
  const [identity, ...older] = identitiesOf(context.vault, next)
  await refuseRegistered(context.db, { userId: next.userId, identities: older, except: previous.id })
  const data = { user_id: next.userId, dependant_id: next.id, previous_version_id: previous.id }
  return {
    result: next,
    ...write.with({ user_id: next.userId, cover_revision: coverRevision, seen }),
    rows: {
      ...SUPERSEDE_PART.rows([{ dependant_id: previous.id, at: by.at }]),
      ...NEXT_VERSION_PART.rows([rowOfDependant(next, { key, identity, by })]),
      ...rows,
    },
    history,
    events: [newEvent('dependant.updated', { platformId, data }), ...events],
    conflicts: identityConflict(context.db, next.userId, [identity, ...older]),
  }
}
