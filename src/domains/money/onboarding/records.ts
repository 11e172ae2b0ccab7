import { type Static, Type } from 'typebox'
import { Email, Name, record, ref } from '../../../kernel/http/schemas.ts'
import { UserAddress } from '../../address.ts'
import { BankDetails, BirthDay, Gender, Title, UserSchema } from '../../people/users/index.ts'

export const OnboardedUser = record(
  'OnboardedUser',
  { access_token: Type.String(), user: ref(UserSchema) },
  {
    description: 'The onboarded user and an access token for them',
    examples: [
      {
        access_token: 'eyJhbGciOi.payload.signature',
        user: {
          user_id: '012345678901',
          created_at: '2026-04-01T09:30:00',
          last_modified_at: '2026-04-01T09:31:00',
          phone_country_code: '+91',
          phone_number: '9876543210',
          address: 'Flat 4, Lake View, Pune 411001',
          dob: '1990-05-17',
          email: 'asha@example.com',
          first_name: 'Asha',
          last_name: 'Example',
        },
      },
    ],
  },
)

export const OnboardingInput = Type.Object(
  {
    address: Type.Optional(UserAddress),
    bank_details: BankDetails,
    dob: BirthDay(),
    first_name: Name(),
    last_name: Name(),
    email: Email(),
    gender: Gender,
    title: Title,
  },
  {
    examples: [
      {
        title: 'MS',
        first_name: 'Asha',
        last_name: 'Example',
        dob: '1990-05-17',
        gender: 'FEMALE',
        email: 'asha@example.com',
        address: 'Flat 4, Lake View, Pune 411001',
        bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
      },
    ],
  },
)
export type OnboardingInput = Static<typeof OnboardingInput>
