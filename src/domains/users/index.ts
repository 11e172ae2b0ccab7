export { presentAddress, presentUser } from './present.ts'
export { userRoutes } from './routes.ts'
export {
  BankDetails,
  Gender,
  StructuredAddress,
  Title,
  User as UserSchema,
  UserAddress,
  UserPath,
} from './schemas.ts'
export {
  findUser,
  linkProvider,
  lockUser,
  type Profile,
  reachUser,
  rowOfUser,
  saveOnboarding,
  type User,
} from './store.ts'
