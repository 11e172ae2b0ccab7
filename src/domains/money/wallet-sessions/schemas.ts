import { Type } from 'typebox'
import { record, ref, Text, Timestamp } from '../../../kernel/http/schemas.ts'
import { DialCode, PhoneNumber } from '../../people/users/index.ts'

const Challenge = record(
  'OtpChallenge',
  {
    challenge_id: Type.String(),
    expires_at: Timestamp('Time the code expires'),
    resend_at: Timestamp('Earliest time to request another code'),
  },
  {
    description: 'A one-time code that is being sent',
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
    refresh_token: Type.String({ description: 'Valid for one use; each refresh returns the next' }),
    access_token_expires_at: Type.Integer({ description: 'Unix seconds' }),
    refresh_token_expires_at: Type.Integer({ description: 'Unix seconds' }),
    success: Type.Boolean(),
  },
  {
    description: 'A wallet access token and its refresh token',
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
  summary: 'Request a one-time code',
  description:
    'Sends a six-digit code to the phone, valid for five minutes. The response is the same for an unknown phone. ' +
    'Limits by default: once in 30 seconds and five times an hour for a phone, 300 times an hour for a network ' +
    'address.',
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
    'A code works once; five wrong codes end the challenge. By default, a network address may send 30 wrong codes ' +
    'an hour.',
  body: Type.Object(
    { challenge_id: Text({ maxLength: 100 }), otp: Text({ maxLength: 20 }) },
    { examples: [{ challenge_id: 'otp_06bnv3m2r8f1s4k7q9t3v6w0y2', otp: '123456' }] },
  ),
  response: { 200: ref(TokenPair) },
}

export const refreshSchema = {
  tags,
  summary: 'Refresh a token pair',
  description:
    'A refresh token works once. Reusing one ends the session, except that sending the last one again within ten ' +
    'seconds returns the same pair. Sessions end after 30 days without use, and after 90 days in any case.',
  body: RefreshInput,
  response: { 200: ref(TokenPair) },
}

export const logOutSchema = {
  tags,
  summary: 'End a session',
  description:
    'Ends the session of the refresh token; its access tokens stop working within a second. Always returns 200.',
  body: RefreshInput,
  response: { 200: Type.Object({ success: Type.Boolean() }, { examples: [{ success: true }] }) },
}
