import { type Static, Type } from 'typebox'
import { checkPage } from '../../../access/cross-origin.ts'
import { noteRejection, type PhoneAtPlatform } from '../../../access/otp-outcomes.ts'
import { toRules, useLimits } from '../../../access/otp-limits.ts'
import { type Challenge, newChallenge } from '../../../access/otp.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { Text } from '../../../kernel/http/schemas.ts'
import { isId } from '../../../kernel/id.ts'
import { notFound, ProblemError } from '../../../kernel/problem-error.ts'
import { type Author, type Change, type Deps, newEvent, operation, responding } from '../../../record/index.ts'
import { DialCode, hashPhone, PhoneNumber, trimPhone, validatePhone } from '../../people/users/index.ts'
import { ChallengeRecord, presentChallenge, tags } from './records.ts'
import { findRequester, REQUEST_CODE } from './store.ts'

const PhoneInput = Type.Object(
  { platform_id: Text({ maxLength: 100 }), phone_country_code: DialCode, phone_number: PhoneNumber },
  {
    examples: [
      { platform_id: 'plt_06bnv3kq0r3cj8m3w0h2d8y6xg', phone_country_code: '+91', phone_number: '9876543210' },
    ],
  },
)

export const requestOtp = operation('POST /auth/otp', {
  access: 'requestOtp',
  limit: 'signIns',
  tags,
  summary: 'Request a one-time code',
  description:
    'Sends a six-digit code to the phone, valid for five minutes. The response is the same for an unknown phone. An unknown ' +
    'platform is a 404 outside production; in production it counts for the IP address only. ' +
    'Limits by default: once in 30 seconds and five times an hour for a phone, 300 times an hour for a network ' +
    'address.',
  body: PhoneInput,
  response: { 202: ChallengeRecord },
  problems: ['forbidden', 'not_found'],
  validate: validatePhone,
  serializeBy: ({ request }) => request.sender.address.network, // many phones share the row of its limit
  change: ({ deps, request, body }, author) => {
    checkPage(request, body.platform_id)
    return decideChallenge(deps, { ...body, address: request.sender.address.network }, author)
  },
  present: ({ challenge, headers }, { request }) => {
    request.credentialId = challenge.id
    return { ...responding(presentChallenge(challenge), 202), headers }
  },
})

export const hashOtpPhone = (vault: Vault, phone: string): Buffer => vault.blindIndex('otp_phone', phone)

/** Uses limits; notes at the phone, known or not, when they refuse. */
async function useOrNote<T>(db: Queryable, phone: PhoneAtPlatform, at: Date, use: () => T): Promise<T> {
  try {
    return use()
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'rate_limited') {
      const retryAt = new Date(at.getTime() + Number(error.headers['retry-after']) * 1_000)
      await noteRejection(db, phone, { refusedAt: at, retryAt })
    }
    throw error
  }
}

/**
 * Decides a new challenge; its event starts the job that sends the code. Does the same work for an unknown phone, so
 * that neither the response nor its timing reveals which phones are known. An unknown platform does not count for the phone, or
 * anyone could use its limit up. Throws 429 beyond the limits, 404 for an unknown platform outside production.
 */
async function decideChallenge(
  { db, vault, limits, production }: Deps,
  input: Static<typeof PhoneInput> & { address: string },
  { at }: Author,
): Promise<Change<{ challenge: Challenge; headers: Record<string, string> }>> {
  const { phone_country_code, phone_number } = trimPhone(input)
  const phone = phone_country_code + phone_number
  const platformId = isId(input.platform_id) ? input.platform_id : '' // anyone can send anything
  const keys = {
    phoneKey: hashOtpPhone(vault, phone),
    addressKey: vault.blindIndex('otp_address', input.address),
    platformId,
    phoneHashes: vault.hashers.map((hasher) => hashPhone(hasher, { platformId, phone })),
  }
  const requester = await findRequester(db, keys, at)
  if (!requester.isPlatform && !production) throw notFound('No platform has this `platform_id`.')
  const rules = toRules(limits)
  const ofPhone = requester.isPlatform ? [{ limit: requester.phone, rules: rules.phone }] : []
  const used = await useOrNote(db, { phoneKey: keys.phoneKey, platformId }, at, () =>
    useLimits([...ofPhone, { limit: requester.address, rules: rules.address }], at),
  )
  const { challenge, values } = newChallenge(vault, {
    userId: requester.userId,
    platformId,
    limits: used.limits,
    pauseSeconds: limits.otpPauseSeconds,
    at,
  })
  return {
    result: { challenge, headers: used.headers },
    ...REQUEST_CODE.with(values),
    events: [newEvent('one_time_code.requested', { platformId: null, data: { challenge_id: challenge.id } })],
  }
}
