import type { Static } from 'typebox'
import { presentAddress } from '../../address.ts'
import type { Sponsor as SponsorSchema } from './schemas.ts'
import type { ShownSponsor, Sponsor } from './store.ts'

export function presentSponsor({
  id,
  slug,
  status,
  profile,
  createdAt,
  lastModifiedAt,
}: ShownSponsor): Static<typeof SponsorSchema> {
  return {
    id,
    slug,
    name: profile.name,
    pan: profile.pan,
    address: presentAddress(profile.address),
    sponsor_details: presentDetails(profile.sponsor_details),
    status,
    created_at: createdAt,
    last_modified_at: lastModifiedAt,
  }
}

function presentDetails(
  details: Sponsor['profile']['sponsor_details'],
): Static<typeof SponsorSchema>['sponsor_details'] {
  const { email = null, phone = null } = details
  if (details.sponsor_kind === 'INDIVIDUAL') {
    const { first_name, last_name, sponsor_kind } = details
    return { first_name, last_name, email, phone, sponsor_kind }
  }
  const { first_name = null, last_name = null, sponsor_kind } = details
  return { first_name, last_name, email, phone, sponsor_kind }
}

export const versionOf = (sponsor: Sponsor) => ({ record: presentSponsor(sponsor), revision: sponsor.revision })
