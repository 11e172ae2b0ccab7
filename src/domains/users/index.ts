export type { Followers, NewVersion } from './followers.ts'
export { phoneHashOf } from './identity-of.ts'
export { tooManyDigits, trimPhone } from './trim-phone.ts'
export { presentAddress, presentUser } from './present.ts'
export { userRoutes } from './routes.ts'
export {
  BankDetails,
  DialCode,
  Gender,
  PhoneNumber,
  StructuredAddress,
  Title,
  User as UserSchema,
  UserAddress,
  UserPath,
} from './schemas.ts'
export {
  decodeUser,
  findUser,
  type Profile,
  PROVIDERS_PART,
  ensureUserInScope,
  rowOfUser,
  SAVE_ONBOARDING,
  type User,
  USER_COLUMNS,
  userIdByPhone,
} from './store.ts'
