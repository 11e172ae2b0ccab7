import type { Actor } from '../../access/caller.ts'
import { beginEpoch } from '../../access/revocations.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { findMove } from '../../kernel/state-machine.ts'
import { recordCatalogueMove } from '../events/index.ts'
import { versionOf } from './present.ts'
import { PLATFORM_MOVES, type PlatformStatus } from './states.ts'
import { lockPlatform, type Platform, setStatus } from './store.ts'

type Form = {
  platformId: string
  status: PlatformStatus
  reason: string | undefined
  ifMatch: string | undefined
  by: Actor
}

/** Disables or enables a platform. Its tokens and its users' end for good within a second; enabled, it gets new ones. 404, 409 `invalid_state`, 412. */
export async function setPlatformStatus(tx: Tx, { platformId, status, reason, ifMatch, by }: Form): Promise<Platform> {
  const platform = await lockPlatform(tx, platformId)
  checkFresh(ifMatch, () => versionOf(platform))
  findMove(PLATFORM_MOVES, { from: platform.status, to: status, who: by.caller.kind })
  await recordCatalogueMove(tx, {
    entityId: platformId,
    from: platform.status,
    to: status,
    by,
    reason: { text: reason, key: null },
  })
  await beginEpoch(tx, platformId)
  return setStatus(tx, platformId, status)
}
