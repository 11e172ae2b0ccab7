import { type Static, Type } from 'typebox'
import { BirthDay, Email, Formed, Nullable, OneOf, record, ref, Text, Timestamp } from '../../kernel/http/schemas.ts'

/** Presence is all that is asked of a structured address (contract 2.2). */
const AddressLine = () => Type.String({ maxLength: 500 })

const addressLines = {
  line1: AddressLine(),
  line2: Type.Optional(AddressLine()),
  city: AddressLine(),
  state: AddressLine(),
  country: AddressLine(),
  pincode: AddressLine(),
}

const addressExample = {
  line1: '14 Lake View',
  city: 'Pune',
  state: 'Maharashtra',
  country: 'India',
  pincode: '411001',
}

export const StructuredAddress = Type.Object(addressLines, {
  title: 'Address',
  description: 'A structured address',
  examples: [addressExample],
})

const UserAddressObject = Type.Object({ ...addressLines, raw: Type.Optional(AddressLine()) })

/** One of three forms: a structured address, free text, or the structured one with the original text in `raw`. */
export const UserAddress = Type.Unsafe<Static<typeof UserAddressObject> | string>({
  ...UserAddressObject,
  type: ['object', 'string'],
  maxLength: 500,
  title: 'UserAddress',
  description: 'A structured address, free text, or the structured one with the original text in `raw`.',
  examples: [addressExample],
})

export const Gender = OneOf(['MALE', 'FEMALE', 'OTHER'])
export const Title = OneOf(['MR', 'MRS', 'MS', 'MASTER'])

const bankFields = {
  account_number: Formed({
    pattern: '^[0-9]{6,18}$',
    words: 'An account number is 6 to 18 digits, as text: "001234567890".',
    examples: ['001234567890'],
  }),
  ifsc_code: Formed({
    pattern: '^\\s*[A-Za-z]{4}0[A-Za-z0-9]{6}\\s*$',
    words: 'An IFSC is four letters, a zero and six letters or digits, as HDFC0000001.',
    examples: ['HDFC0000001'],
  }),
}

export const BankDetails = Type.Object(bankFields, {
  title: 'BankDetails',
  description: 'The origin bank from which a purpose-bound account is fed',
})

/** Dial code with its plus; with the number an E.164 number. */
export const DialCode = Formed({
  pattern: '^\\s*\\+[1-9][0-9]{0,3}\\s*$',
  words: 'A dial code is a plus and 1 to 4 digits, the first not a zero, as +91.',
  examples: ['+91'],
})
export const PhoneNumber = Formed({
  pattern: '^\\s*[0-9]{4,14}\\s*$',
  words: 'A phone number is 4 to 14 digits without the dial code, blanks or hyphens, as 9876543210.',
  examples: ['9876543210'],
})

/** `user_id` in an address. Outer white space was trimmed before this is looked at. */
export const UserPath = Type.Object({
  user_id: Formed({
    pattern: '^[0-9]{12}$',
    words: 'A user id is 12 digits, as 012345678901.',
    description: '12 digits; leading zeros count',
    examples: ['012345678901'],
  }),
})

export const User = record(
  'User',
  {
    user_id: Type.String(),
    created_at: Timestamp('When the user was created'),
    last_modified_at: Timestamp('When the user was last changed'),
    phone_country_code: Type.String(),
    phone_number: Type.String(),
    address: Type.Optional(UserAddress),
    dob: Nullable(Type.String({ format: 'date' })),
    email: Nullable(Type.String({ format: 'email' })),
    first_name: Nullable(Type.String()),
    last_name: Nullable(Type.String()),
  },
  {
    description: 'The person covered',
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
  { access_token: Type.String(), user_id: Type.String() },
  { description: 'A token of an app user', examples: [{ access_token: 'eyJhbGciOi…', user_id: '012345678901' }] },
)

export const records = [User, IssuedUserToken]

const IssueTokenForm = Type.Object(
  {
    id_proof: Type.Optional(Type.Object({ number: Text({ maxLength: 50 }) })),
    phone_country_code: DialCode,
    phone_number: PhoneNumber,
    address: Type.Optional(UserAddress),
    dob: Type.Optional(BirthDay()),
    email: Type.Optional(Email()),
    first_name: Type.Optional(Text()),
    last_name: Type.Optional(Text()),
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
export type IssueTokenForm = Static<typeof IssueTokenForm>

const tags = ['Users']

export const issueTokenSchema = {
  tags,
  summary: 'Issue an app-user token',
  description:
    'Finds the user inside the calling platform by `id_proof.number`, else by phone, and creates it if there is none. Fields sent for a user who has not finished onboarding update it; afterwards they are left as they are.',
  body: IssueTokenForm,
  response: { 200: ref(IssuedUserToken) },
}

export const readUserSchema = {
  tags,
  summary: 'Read a user',
  description: 'One user by its id.',
  params: UserPath,
  response: { 200: ref(User) },
}
