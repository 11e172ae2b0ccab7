import type { Static } from 'typebox'
import { presentUserAddress } from '../../address.ts'
import type { User as UserSchema } from './schemas.ts'
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

export const versionOf = (user: User) => ({ record: presentUser(user), revision: user.revision })
