import { Type } from 'typebox'
import { record, ref, Text, Timestamp } from '../../kernel/http/schemas.ts'
import { DialCode, PhoneNumber } from '../users/index.ts'

const Challenge = record(
  'OtpChallenge',
  {
    challenge_id: Type.String(),
    expires_at: Timestamp('Until when the code can be used'),
    resend_at: Timestamp('From when another code can be asked for'),
  },
  {
    description: 'A one-time code on its way',
    examples: [
      {
        challenge_id: 'otp_06bnv3m2r8f1s4k7q9t3v6w0y2',
        expires_at: '2026-04-01T11:05:00',
        resend_at: '2026-04-01T11:00:30',
      },
    ],
  },
)

const TokenPair = record(
  'TokenPair',
  {
    access_token: Type.String(),
    refresh_token: Type.String({ description: 'Used once; each response brings the next' }),
    access_token_expires_at: Type.Integer({ description: 'Unix seconds' }),
    refresh_token_expires_at: Type.Integer({ description: 'Unix seconds' }),
    success: Type.Boolean(),
  },
  {
    description: 'A wallet access token and what renews it',
    examples: [
      {
        access_token: 'eyJhbGciOi…',
        refresh_token: 'byn_rt_…',
        access_token_expires_at: 1_775_041_200,
        refresh_token_expires_at: 1_777_632_300,
        success: true,
      },
    ],
  },
)

export const records = [Challenge, TokenPair]

const tags = ['Wallet sessions']

const RefreshInput = Type.Object({ refresh_token: Text() }, { examples: [{ refresh_token: 'byn_rt_…' }] })

export const requestOtpSchema = {
  tags,
  summary: 'Ask for a one-time code',
  description:
    'Sends six digits to the phone, valid five minutes. The response is the same for a phone that nobody has. Unless the installation says otherwise once in 30 seconds and five times an hour a phone, 300 times an hour a network address.',
  body: Type.Object(
    { platform_id: Text({ maxLength: 100 }), phone_country_code: DialCode, phone_number: PhoneNumber },
    {
      examples: [
        { platform_id: 'plt_06bnv3kq0r3cj8m3w0h2d8y6xg', phone_country_code: '+91', phone_number: '9876543210' },
      ],
    },
  ),
  response: { 202: ref(Challenge) },
}

export const verifyOtpSchema = {
  tags,
  summary: 'Exchange a one-time code for a token pair',
  description:
    'A code works once; five wrong ones end the challenge. Unless the installation says otherwise 30 wrong ones an hour are taken from a network address.',
  body: Type.Object(
    { challenge_id: Text({ maxLength: 100 }), otp: Text({ maxLength: 20 }) },
    { examples: [{ challenge_id: 'otp_06bnv3m2r8f1s4k7q9t3v6w0y2', otp: '123456' }] },
  ),
  response: { 200: ref(TokenPair) },
}

export const refreshSchema = {
  tags,
  summary: 'Renew a token pair',
  description:
    'Each refresh token works once. One used before ends the session, except that the one just used, shown again within ten seconds, gets the same pair again. Sessions end after 30 days without use and 90 days in all.',
  body: RefreshInput,
  response: { 200: ref(TokenPair) },
}

export const logOutSchema = {
  tags,
  summary: 'End a session',
  description: 'Ends the session of this refresh token; its access tokens stop within a second. Always 200.',
  body: RefreshInput,
  response: { 200: Type.Object({ success: Type.Boolean() }, { examples: [{ success: true }] }) },
}
