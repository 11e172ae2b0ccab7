import { newId } from '../../../kernel/id.ts'
import { applyWithRetry, type Deps, newEvent, unchanged } from '../../../record/index.ts'
import { CALENDAR } from '../policies/states.ts'
import { ANNOUNCE_LOW, type Crossed, listCrossed } from './low-store.ts'

/** Sends an event for each deposit that has fallen below its level, and returns their number. Safe to run in several workers. */
export async function announceLow(deps: Deps): Promise<number> {
  const crossed = await listCrossed(deps.db)
  let sent = 0
  for (const one of crossed) sent += await announce(deps, one)
  return sent
}

/** Sends the event of a crossing; one that another worker has sent, or that came since, is for the next round. */
function announce(deps: Deps, { platformId, sponsorId, benefitProviderId, crossedAt }: Crossed): Promise<number> {
  let isFirst = true
  return applyWithRetry(
    deps,
    { caller: CALENDAR, requestId: newId('job') },
    () => {
      if (!isFirst) return unchanged(0)
      isFirst = false
      const key = { sponsor_id: sponsorId, benefit_provider_id: benefitProviderId }
      return {
        result: 1,
        events: [newEvent('deposit.low', { platformId, data: key })],
        ...ANNOUNCE_LOW.with({ ...key, crossed_at: crossedAt }),
      }
    },
    { serializeBy: `${sponsorId}:${benefitProviderId}` },
  )
}
