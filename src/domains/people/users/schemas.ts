import { type Static, Type } from 'typebox'
import { UserIdText } from '../../user-id-text.ts'
import { pageOf, PagingQuery } from '../../../kernel/http/paging.ts'
import {
  BirthDay,
  Email,
  Formed,
  Name,
  Nullable,
  OneOf,
  OrNull,
  record,
  ref,
  Removable,
  Text,
  Timestamp,
} from '../../../kernel/http/schemas.ts'
import { addressExample, UserAddress } from '../../address.ts'

export const Gender = OneOf(['MALE', 'FEMALE', 'OTHER'])
export const Title = OneOf(['MR', 'MRS', 'MS', 'MASTER'])

const bankFields = {
  account_number: Formed({
    pattern: '^[0-9]{6,18}$',
    words: 'An account number is a string of 6 to 18 digits, such as "001234567890".',
    examples: ['001234567890'],
  }),
  ifsc_code: Formed({
    pattern: '^\\s*[A-Za-z]{4}0[A-Za-z0-9]{6}\\s*$',
    words: 'An IFSC is four letters, a zero and six letters or digits, such as HDFC0000001.',
    examples: ['HDFC0000001'],
  }),
}

export const BankDetails = Type.Object(bankFields, {
  title: 'BankDetails',
  description: 'The bank account that feeds the purpose-bound account',
})

/** Dial code with a leading plus; together with the number it makes an E.164 number. */
export const DialCode = Formed({
  pattern: '^\\s*\\+[1-9][0-9]{0,3}\\s*$',
  words: 'A dial code is a plus and 1 to 4 digits, the first not zero, such as +91.',
  examples: ['+91'],
})
export const PhoneNumber = Formed({
  pattern: '^\\s*[0-9]{4,14}\\s*$',
  words: 'A phone number is 4 to 14 digits without dial code, spaces or hyphens, such as 9876543210.',
  examples: ['9876543210'],
})

/** `user_id` in a path. Surrounding whitespace is trimmed before validation. */
export const UserPath = Type.Object({
  user_id: Formed({
    pattern: '^[0-9]{12}$',
    words: 'A user id is 12 digits, such as 012345678901.',
    description: '12 digits; leading zeros count',
    examples: ['012345678901'],
  }),
})

export const User = record(
  'User',
  {
    user_id: UserIdText(),
    created_at: Timestamp('Time of creation'),
    last_modified_at: Timestamp('Time of the last change'),
    phone_country_code: Type.String(),
    phone_number: Type.String(),
    address: Type.Optional(UserAddress),
    dob: Nullable(Type.String({ format: 'date' })),
    email: Nullable(Type.String({ format: 'idn-email' })),
    first_name: Nullable(Type.String()),
    last_name: Nullable(Type.String()),
  },
  {
    description: 'A user of a platform',
    examples: [
      {
        user_id: '012345678901',
        created_at: '2026-04-01T09:30:00',
        last_modified_at: '2026-04-01T09:31:00',
        phone_country_code: '+91',
        phone_number: '9876543210',
        address: addressExample,
        dob: '1990-05-17',
        email: 'asha@example.com',
        first_name: 'Asha',
        last_name: 'Example',
      },
    ],
  },
)

const IssuedUserToken = record(
  'IssuedUserToken',
  { access_token: Type.String(), user_id: UserIdText() },
  {
    description: 'An access token for an app user',
    examples: [{ access_token: 'eyJhbGciOi…', user_id: '012345678901' }],
  },
)

export const records = [User, IssuedUserToken]

const IdProof = Type.Object({ number: Name() })

const IssueTokenInput = Type.Object(
  {
    id_proof: Type.Optional(IdProof),
    phone_country_code: DialCode,
    phone_number: PhoneNumber,
    address: Type.Optional(UserAddress),
    dob: OrNull(BirthDay()),
    email: OrNull(Email()),
    first_name: OrNull(Name()),
    last_name: OrNull(Name()),
    gender: Type.Optional(Gender),
  },
  {
    examples: [
      {
        id_proof: { number: 'AB1234567' },
        phone_country_code: '+91',
        phone_number: '9876543210',
        first_name: 'Asha',
        last_name: 'Example',
      },
    ],
  },
)
export type IssueTokenInput = Static<typeof IssueTokenInput>

const tags = ['Users']

export const issueTokenSchema = {
  tags,
  summary: 'Issue an app-user token',
  description:
    'Finds the user of the calling platform by `id_proof.number`, else by phone, and creates one if there is ' +
    'none. Until onboarding is complete, the fields sent update the user; afterwards only a new phone number and a ' +
    'first id proof do.',
  body: IssueTokenInput,
  response: { 200: ref(IssuedUserToken) },
}

const patchFields = {
  phone_country_code: Type.Optional(DialCode),
  phone_number: Type.Optional(PhoneNumber),
  address: Type.Optional(Removable(UserAddress)),
  dob: Type.Optional(Removable(BirthDay())),
  email: Type.Optional(Removable(Email())),
  first_name: Type.Optional(Removable(Name())),
  last_name: Type.Optional(Removable(Name())),
  gender: Type.Optional(Gender),
  title: Type.Optional(Title),
}

const UserPatch = Type.Object(patchFields, {
  requiresOneOf: Object.keys(patchFields),
  examples: [{ email: 'asha.new@example.com' }],
})
export type UserPatch = Static<typeof UserPatch>

export const updateUserSchema = {
  tags,
  summary: 'Update a user',
  description:
    'Top-level JSON merge patch (RFC 7396); `address` is replaced as a whole, `null` removes a field, after ' +
    'onboarding only `address`: the others are required from then on. Users may change only their own `email` and ' +
    '`address`. Dial code and number change together, and a new phone ends the wallet sessions of the old one. A new ' +
    'name, title, gender or date of birth puts ISSUED policies into REQUIRES_POLICY_REISSUANCE; documents already ' +
    'issued do not change. A patch without changes returns the user unchanged.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: UserPath,
  body: UserPatch,
  response: { 200: ref(User) },
}

export const listUsersSchema = {
  tags,
  summary: 'List users',
  description: 'Newest first. Platforms see only their own.',
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(User))) },
}

const SearchInput = Type.Object(
  {
    phone_country_code: Type.Optional(DialCode),
    phone_number: Type.Optional(PhoneNumber),
    id_proof: Type.Optional(IdProof),
    external_policy_id: Type.Optional(Text({ description: 'The benefit provider’s number of a policy' })),
    platform_id: Type.Optional(
      Text({ description: 'For administrators: search this platform only; otherwise all platforms' }),
    ),
  },
  { examples: [{ phone_country_code: '+91', phone_number: '9876543210' }] },
)
export type SearchInput = Static<typeof SearchInput>

export const searchUsersSchema = {
  tags,
  summary: 'Search users',
  description:
    'Searches by exactly one of: phone (dial code and number), `id_proof`, `external_policy_id`. Only exact ' +
    'matches are returned, newest first. The criteria are in the body so that URLs contain no personal data; to ' +
    'follow a `Link`, send the same body again. Nothing is written: an `Idempotency-Key` is neither needed nor ' +
    'stored.',
  querystring: PagingQuery,
  body: SearchInput,
  response: { 200: pageOf(Type.Array(ref(User))) },
}

export const readUserSchema = {
  tags,
  summary: 'Read a user',
  description: 'Returns one user.',
  params: UserPath,
  response: { 200: ref(User) },
}
