import { createSponsor } from './create-sponsor.ts'
import { listSponsorNames } from './list-sponsor-names.ts'
import { listSponsors } from './list-sponsors.ts'
import { readSponsor } from './read-sponsor.ts'
import { setSponsorStatus } from './set-sponsor-status.ts'
import { updateSponsor } from './update-sponsor.ts'

export { findSponsor, unsealSponsor, PROFILE as SPONSOR_PROFILE } from './store.ts'
export { SPONSOR_MACHINE, SPONSOR_STATUSES } from './states.ts'

export const sponsorOperations = [
  createSponsor,
  listSponsors,
  listSponsorNames,
  readSponsor,
  updateSponsor,
  setSponsorStatus,
]
