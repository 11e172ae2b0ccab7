import { rulesOf, useLimits } from '../../../access/otp-limits.ts'
import { type Challenge, newChallenge } from '../../../access/otp.ts'
import type { Deps } from '../../../deps.ts'
import { isId } from '../../../kernel/id.ts'
import { type By, type Change, newEvent } from '../../../record/index.ts'
import { phoneHashOf, trimPhone } from '../../people/users/index.ts'
import { findRequester, REQUEST_CODE } from './store.ts'

/** `address` is the network that rate limits count by, see `networkOf`. */
type Input = { platform_id: string; phone_country_code: string; phone_number: string; address: string }

/**
 * Decides a new challenge; its event starts the job that sends the code. Does the same work for an unknown phone, so
 * that neither the response nor its timing reveals which phones are known. Throws 429 beyond the limits.
 */
export async function requestOtp(
  { db, vault, limits }: Pick<Deps, 'db' | 'vault' | 'limits'>,
  input: Input,
  { at }: By,
): Promise<Change<{ challenge: Challenge; headers: Record<string, string> }>> {
  const { phone_country_code, phone_number } = trimPhone(input)
  const phone = phone_country_code + phone_number
  const platformId = input.platform_id
  const keys = {
    phoneKey: vault.blindIndex('otp_phone', phone),
    addressKey: vault.blindIndex('otp_address', input.address),
    phoneHashes: vault.hashers.map((hasher) => phoneHashOf(hasher, { platformId, phone })),
  }
  const requester = await findRequester(db, keys, at)
  const rules = rulesOf(limits)
  const used = useLimits(
    [
      { limit: requester.phone, rules: rules.phone },
      { limit: requester.address, rules: rules.address },
    ],
    at,
  )
  const { challenge, values } = newChallenge(vault, {
    userId: requester.userId,
    platformId: isId(platformId) ? platformId : '', // anyone can send anything
    limits: used.limits,
    pauseSeconds: limits.otpPauseSeconds,
    at,
  })
  return {
    result: { challenge, headers: used.headers },
    write: REQUEST_CODE,
    values,
    events: [newEvent('one_time_code.requested', { platformId: null, data: { challenge_id: challenge.id } })],
  }
}
