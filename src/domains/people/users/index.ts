export { findActiveByPhone, userIdByPhone } from './candidate-store.ts'
export type { Followers, NewVersion } from './followers.ts'
export { endHashKey, type HashKeyStatus, hashKeyStatus, rotateHashKey } from './hash-keys-store.ts'
export { rehashPhones } from './rehash-phones.ts'
export { phoneHashOf } from './identity-of.ts'
export { ERASE_ID_PROOFS, ERASE_LOOK_UPS_PARTS, ERASE_USER, rowsOfLookUps } from './erasure-store.ts'
export { trimPhone, validatePhone } from './trim-phone.ts'
export { presentUser, versionOf as versionOfUser } from './present.ts'
export { followMember } from './follow-member.ts'
export { userRoutes } from './routes.ts'
export {
  BankDetails,
  DialCode,
  Gender,
  PhoneNumber,
  Title,
  User as UserSchema,
  UserPath,
} from './schemas.ts'
export {
  decodeUser,
  findShownUser,
  findUser,
  openShownProfile,
  type Profile,
  PROFILE as USER_PROFILE,
  ensureUserInScope,
  saveOnboarding,
  type User,
  USER_COLUMNS,
} from './store.ts'
