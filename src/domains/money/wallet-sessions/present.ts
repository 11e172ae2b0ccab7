import type { Challenge } from '../../../access/otp.ts'
import type { TokenPair } from '../../../access/refresh-families.ts'
import { wireTime } from '../../../kernel/clock.ts'

export const presentChallenge = ({ id, expiresAt, resendAt }: Challenge) => ({
  challenge_id: id,
  expires_at: wireTime(expiresAt),
  resend_at: wireTime(resendAt),
})

export const presentPair = (pair: TokenPair) => ({
  access_token: pair.accessToken,
  refresh_token: pair.refreshToken,
  access_token_expires_at: pair.accessExpiresAt,
  refresh_token_expires_at: pair.refreshExpiresAt,
  success: true,
})
