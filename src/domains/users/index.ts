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
  findUser,
  findUserIdByPhone,
  linkProvider,
  lockUser,
  type Profile,
  reachUser,
  rowOfUser,
  saveOnboarding,
  type User,
} from './store.ts'
