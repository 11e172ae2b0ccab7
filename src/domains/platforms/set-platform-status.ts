import { REVOCATIONS_PART, revocationOf } from '../../access/revocations.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { nextVersion } from '../../kernel/db/version.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { type By, type Decision, transition, unchanged } from '../../record/index.ts'
import { versionOf } from './present.ts'
import { PLATFORM_MACHINE, type PlatformStatus, subjectOf } from './states.ts'
import { findPlatform, type Platform, SET_PLATFORM_STATUS } from './store.ts'

type StatusInput = {
  platformId: string
  status: PlatformStatus
  reason?: string | undefined
  ifMatch: string | undefined
}

/**
 * Disables or enables a platform. Every token of it and of its users there is ends within a second, on every node, and its
 * refresh families with them; enabled, it gets new ones. Throws 404, 412.
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
  const epoch = platform.epoch + 1
  return {
    result: { ...nextVersion(platform, by.at), status, epoch },
    write: SET_PLATFORM_STATUS,
    values: [platform.id, platform.revision, status, epoch, by.at],
    rows: { [REVOCATIONS_PART.name]: [revocationOf(`platform:${platform.id}`, epoch)] },
    history,
    events,
  }
}
