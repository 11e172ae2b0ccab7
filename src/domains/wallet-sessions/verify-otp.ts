import { otpInvalid, useCode } from '../../access/otp.ts'
import type { RefreshFamilies, TokenPair } from '../../access/refresh-families.ts'
import type { Deps } from '../../deps.ts'
import { networkOf } from './network-of.ts'

type Kit = Pick<Deps, 'db' | 'vault' | 'clock'> & { families: RefreshFamilies }

/**
 * A pair for the right code, once. 401 `otp_invalid` for everything else, in the same words; a wrong code is counted, for
 * the challenge and for the network it comes from. 429 beyond the limit, whatever the code.
 */
export async function verifyOtp(
  kit: Kit,
  { challenge_id: challengeId, otp: code, address }: { challenge_id: string; otp: string; address: string },
): Promise<TokenPair> {
  const { db, vault, clock, families } = kit
  const addressKey = vault.blindIndex('otp_wrong_code', networkOf(address))
  const pair = await db.transaction(async (tx) => {
    const user = await useCode(tx, vault, { challengeId, code, addressKey, now: clock.now() })
    return user && families.start(tx, user)
  })
  if (!pair) throw otpInvalid()
  return pair
}
