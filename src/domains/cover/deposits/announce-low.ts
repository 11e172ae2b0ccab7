import { type Deps, newEvent } from '../../../record/index.ts'
import { applyOnce, BATCH, workOff } from '../policies/work-off.ts'
import { ANNOUNCE_LOW, listCrossed } from './low-store.ts'

/** Sends an event for each deposit that has fallen below its level, and returns their number. Safe to run in several workers. */
export const announceLow = (deps: Deps, stop?: AbortSignal): Promise<number> =>
  workOff(
    (without) => listCrossed(deps.db, { without, limit: BATCH }),
    ({ id, platformId, sponsorId, benefitProviderId, crossedAt }) =>
      applyOnce(deps, id, () => {
        const key = { sponsor_id: sponsorId, benefit_provider_id: benefitProviderId }
        return {
          events: [newEvent('deposit.low', { platformId, data: key })],
          ...ANNOUNCE_LOW.with({ ...key, crossed_at: crossedAt }),
        }
      }),
    stop,
  )
