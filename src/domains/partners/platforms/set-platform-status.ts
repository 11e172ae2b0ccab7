import { rowsOfAccess } from '../../../access/platform-access.ts'
import { revocationOf } from '../../../access/revocations.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { type By, type Decision, type StatusRequest, transition, unchanged } from '../../../record/index.ts'
import { versionOf } from './present.ts'
import { PLATFORM_MACHINE, type PlatformStatus, subjectOf } from './states.ts'
import { findPlatform, type Platform, SET_PLATFORM_STATUS } from './store.ts'

type StatusInput = StatusRequest<PlatformStatus> & { platformId: string }

/**
 * Decides to disable or enable a platform. Every token issued to it and its users, and every refresh family, ends
 * within a second on every node; an enabled platform gets new tokens. Throws 404, 412.
 */
export async function setPlatformStatus(
  db: Queryable,
  { platformId, status, reason, ifMatch }: StatusInput,
  by: By,
): Promise<Decision<Platform>> {
  const platform = await findPlatform(db, platformId)
  checkFresh(ifMatch, () => versionOf(platform))
  if (platform.status === status) return unchanged(platform)
  const { history, events } = transition(PLATFORM_MACHINE, subjectOf(platform), {
    to: status,
    who: by.caller.kind,
    reason,
  })
  const changed = { ...nextVersion(platform, by.at), status }
  const epoch = changed.revision // only a status change increments it
  return {
    result: changed,
    write: SET_PLATFORM_STATUS,
    values: [platform.id, platform.revision, status, by.at],
    rows: {
      ...rowsOfAccess({ platformId: platform.id, isActive: status === 'ACTIVE', epoch }),
      ...revocationOf(`platform:${platform.id}`, epoch),
    },
    history,
    events,
  }
}
