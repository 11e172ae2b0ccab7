import type { Static } from 'typebox'
import { presentAddress } from '../users/index.ts'
import type { Sponsor as SponsorSchema } from './schemas.ts'
import type { Sponsor } from './store.ts'

export function presentSponsor({
  id,
  slug,
  status,
  profile,
  createdAt,
  lastModifiedAt,
}: Sponsor): Static<typeof SponsorSchema> {
  const { first_name = null, last_name = null, email = null, phone = null, sponsor_kind } = profile.sponsor_details
  return {
    id,
    slug,
    name: profile.name,
    pan: profile.pan,
    address: presentAddress(profile.address),
    sponsor_details: { first_name, last_name, email, phone, sponsor_kind },
    status,
    created_at: createdAt,
    last_modified_at: lastModifiedAt,
  }
}

export const versionOf = (sponsor: Sponsor) => ({ record: presentSponsor(sponsor), revision: sponsor.revision })
