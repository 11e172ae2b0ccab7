import type { Static } from 'typebox'
import type { StructuredAddress, User as UserSchema, UserAddress } from './schemas.ts'
import type { ShownUser, User } from './store.ts'

export function presentUser({ id, profile, createdAt, lastModifiedAt }: ShownUser): Static<typeof UserSchema> {
  return {
    user_id: id,
    created_at: createdAt,
    last_modified_at: lastModifiedAt,
    phone_country_code: profile.phone_country_code,
    phone_number: profile.phone_number,
    ...(profile.address !== undefined && { address: presentUserAddress(profile.address) }),
    dob: profile.dob ?? null,
    email: profile.email ?? null,
    first_name: profile.first_name ?? null,
    last_name: profile.last_name ?? null,
  }
}

/** Keeps the shape that was sent: free text or structured. */
function presentUserAddress(address: Static<typeof UserAddress>): Static<typeof UserAddress> {
  if (typeof address === 'string') return address
  return { ...presentAddress(address), ...(address.raw !== undefined && { raw: address.raw }) }
}

export function presentAddress(address: Static<typeof StructuredAddress>): Static<typeof StructuredAddress> {
  const { line1, line2, city, state, country, pincode } = address
  return { line1, ...(line2 !== undefined && { line2 }), city, state, country, pincode }
}

export const versionOf = (user: User) => ({ record: presentUser(user), revision: user.revision })
