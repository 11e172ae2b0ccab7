import { type Static, Type } from 'typebox'
import { decodeUserId } from '../../../access/user-id.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import { bytes, decoded, integer, nullable, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import {
  Email,
  Formed,
  Name,
  Nullable,
  OneOf,
  OrNull,
  PastDay,
  record,
  Timestamp,
} from '../../../kernel/http/schemas.ts'
import { addressExample, presentUserAddress, UserAddress } from '../../address.ts'
import { UserIdText } from '../../user-id-text.ts'

/** The encrypted part of a user. */
export type Profile = Omit<IssueTokenInput, 'id_proof'> & {
  title?: string
  bank_details?: { account_number: string; ifsc_code: string }
}

export const USERS = table('users u', {
  id: decoded('user_id', decodeUserId),
  platformId: text('platform_id'),
  dataKey: nullable(text('data_key')),
  sealed: text('sealed'),
  phoneHash: bytes('phone_hash'),
  otherPhoneHash: nullable(bytes('other_phone_hash')),
  idProofHash: nullable(bytes('id_proof_hash')),
  idProofLast4: nullable(text('id_proof_last4')),
  onboardingDigest: nullable(bytes('onboarding_digest')),
  onboardedAt: nullable(time('onboarded_at')),
  coverRevision: integer('cover_revision'),
  /** The platform's own number of the person. */
  referenceSealed: nullable(text('reference_sealed')),
  /** How often all sessions were ended. */
  sessionEpoch: integer('session_epoch'),
  ...VERSION,
})

export type User = Omit<RecordOf<typeof USERS>, 'dataKey' | 'sealed' | 'onboardedAt'> & {
  key: DataKey
  profile: Profile
  isOnboarded: boolean
}

/** A user as a list shows it: an unreadable profile, or key, is shown as unavailable. */
export type ListedUser = Omit<User, 'key' | 'isOnboarded'> & { employeeNumber: () => string | null }

export const BirthDay = () => PastDay({ description: 'Date of birth', examples: ['1990-05-17'] })
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
    description: '12 digits; leading zeros are significant',
    examples: ['012345678901'],
  }),
})

/** No `null`: clients of the first version know both as texts. */
const phoneText = (what: string) => Type.String({ description: `${what}; empty when the number was set free` })

export const UserRecord = record(
  'User',
  {
    user_id: UserIdText(),
    created_at: Timestamp('Time of creation'),
    last_modified_at: Timestamp('Time of the last change'),
    phone_country_code: phoneText('Dial code, with a leading plus'),
    phone_number: phoneText('Phone number without the dial code'),
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

export const UserReferenceRecord = record(
  'UserReference',
  { user_id: UserIdText(), employee_number: Nullable(Type.String()) },
  {
    description: 'The platform’s own number of a user',
    examples: [{ user_id: '012345678901', employee_number: 'EMP-004711' }],
  },
)

export const presentReference = ({ id, employeeNumber }: { id: string; employeeNumber: string | null }) => ({
  user_id: id,
  employee_number: employeeNumber,
})

export const IdProof = Type.Object({ number: Name() })

export const IssueTokenInput = Type.Object(
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

type PresentedUser = Pick<User, 'id' | 'profile' | 'createdAt' | 'lastModifiedAt'>

export function presentUser({ id, profile, createdAt, lastModifiedAt }: PresentedUser): Static<typeof UserRecord> {
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

export const tags = ['Users']
