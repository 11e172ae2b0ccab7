import { type Static, Type } from 'typebox'
import type { Challenge } from '../../../access/otp.ts'
import type { RefreshFamilies, TokenPair } from '../../../access/refresh-families.ts'
import type { Deps } from '../../../record/index.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { record, Text, Timestamp } from '../../../kernel/http/schemas.ts'

export type SessionDeps = Deps & { families: RefreshFamilies }

export const ChallengeRecord = record(
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

export const presentChallenge = ({ id, expiresAt, resendAt }: Challenge): Static<typeof ChallengeRecord> => ({
  challenge_id: id,
  expires_at: wireTime(expiresAt),
  resend_at: wireTime(resendAt),
})

export const TokenPairRecord = record(
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
        access_token: 'eyJhbGciOi.payload.signature',
        refresh_token: 'byn_rt_0123456789abcdef',
        access_token_expires_at: 1_775_041_200,
        refresh_token_expires_at: 1_777_632_300,
        success: true,
      },
    ],
  },
)

export const presentPair = (pair: TokenPair): Static<typeof TokenPairRecord> => ({
  access_token: pair.accessToken,
  refresh_token: pair.refreshToken,
  access_token_expires_at: pair.accessExpiresAt,
  refresh_token_expires_at: pair.refreshExpiresAt,
  success: true,
})

export const tags = ['Wallet sessions']
export const RefreshInput = Type.Object(
  // Longer than one, so that an access token sent instead is a 401 with the right words.
  { refresh_token: Text({ maxLength: 2_000 }) },
  { examples: [{ refresh_token: 'byn_rt_0123456789abcdef' }] },
)
