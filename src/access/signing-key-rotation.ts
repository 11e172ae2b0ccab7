import { type Clock, unixSeconds } from '../kernel/clock.ts'
import { StartError, UsageError } from '../kernel/start-error.ts'
import { signerAt } from './jws.ts'
import { newSigningJwk, readSigningKeys, type SigningKey, type SigningKeys } from '../settings/keys.ts'
import { TOKEN_SECONDS_MAX } from './tokens.ts'

/** The state of a signing key; `spent`: its last token has expired, but its private half is still stored. */
type SigningKeyStatus = { kid: string; state: 'signs' | 'waits' | 'verifies' | 'spent'; signsFrom: number }

export function signingKeyStatus(keys: SigningKeys, clock: Clock): SigningKeyStatus[] {
  const now = unixSeconds(clock)
  const signer = signerAt(keys, now)
  const isOver = now >= (signer.signsFrom ?? 0) + TOKEN_SECONDS_MAX
  const moment = { now, signer, isOver }
  return keys.map((key) => ({ kid: key.kid, signsFrom: key.signsFrom ?? 0, state: findState(key, moment) }))
}

type Moment = { now: number; signer: SigningKey; isOver: boolean }

function findState({ kid, privateKey, signsFrom = 0 }: SigningKey, { now, signer, isOver }: Moment) {
  if (kid === signer.kid) return 'signs'
  if (privateKey === null) return 'verifies'
  if (signsFrom > now) return 'waits'
  // Without start times it is unknown which of two keys is the new one: the order is the operator's own.
  return isOver && (signer.signsFrom ?? 0) > signsFrom ? 'spent' : 'verifies'
}

type Rotation = { text: string; clock: Clock; lead_s: number }

/**
 * Returns the next `SIGNING_KEYS`: adds a key that signs `lead_s` seconds from now, so that every server and partner
 * has read it by then, and removes the private halves of keys whose last token has expired. Their public halves stay,
 * because health cards are printed. Throws `UsageError` for a malformed text, and `StartError` while a key is still pending.
 */
export function nextSigningKeys({ text, clock, lead_s }: Rotation): { text: string; kid: string; signsFrom: Date } {
  const errors: string[] = []
  const keys = readSigningKeys(text, errors)
  if (!keys) throw new UsageError(errors.join('\n'))
  const status = signingKeyStatus(keys, clock)
  const waiting = status.find(({ state }) => state === 'waits')
  if (waiting) {
    throw new StartError(
      `The signing key ${waiting.kid} waits until ${toDate(waiting.signsFrom).toISOString()}; rotate again when it signs.`,
    )
  }
  const stateOfKid = new Map(status.map(({ kid, state }) => [kid, state]))
  const { keys: jwks } = JSON.parse(text) as { keys: { kid: string; d?: string }[] }
  const stripped = jwks.map(({ d, ...rest }) =>
    d === undefined || stateOfKid.get(rest.kid) === 'spent' ? rest : { ...rest, d },
  )
  const isSigner = ({ kid }: { kid: string }) => stateOfKid.get(kid) === 'signs'
  const signsFrom = unixSeconds(clock) + lead_s
  const fresh = { ...newSigningJwk(), nbf: signsFrom }
  const next = [...stripped.filter(isSigner), fresh, ...stripped.filter((key) => !isSigner(key))]
  return { text: JSON.stringify({ keys: next }), kid: fresh.kid, signsFrom: toDate(signsFrom) }
}

const toDate = (seconds: number) => new Date(seconds * 1000)
