import { otpInvalid, useCode } from '../../access/otp.ts'
import type { RefreshFamilies, TokenPair } from '../../access/refresh-families.ts'
import type { Deps } from '../../deps.ts'

type Kit = Pick<Deps, 'db' | 'vault' | 'clock'> & { families: RefreshFamilies }

/** A pair for the right code, once. 401 `otp_invalid` for everything else, in the same words; a wrong code is counted. */
export async function verifyOtp(
  kit: Kit,
  { challenge_id: challengeId, otp: code }: { challenge_id: string; otp: string },
): Promise<TokenPair> {
  const { db, vault, clock, families } = kit
  const pair = await db.transaction(async (tx) => {
    const user = await useCode(tx, vault, { challengeId, code, now: clock.now() })
    return user && families.start(tx, user)
  })
  if (!pair) throw otpInvalid()
  return pair
}
