import type { OneTimeCode } from '@banyan/client'
import { timeText } from '../../parts/texts.ts'

type Words = { reason: string; advice: string }

/** What became of a request, and what to say to the person who waits for the code. */
const WORDS: Readonly<Record<string, Words>> = {
  QUEUED: {
    reason: 'The code has not been sent yet.',
    advice: 'Look again in a minute. If it stays so, SMS are late for everyone: inform an operator.',
  },
  SENT: {
    reason: 'The SMS gateway has taken the code.',
    advice:
      'If it has not come, compare the number with the profile. Then it is the phone or its network: no reception, a full inbox, or messages of companies blocked.',
  },
  FAILED: {
    reason: 'The SMS gateway did not take the code.',
    advice: 'It is tried again until the code expires. If more people are affected, inform an operator.',
  },
  USED: {
    reason: 'The person has signed in with this code.',
    advice:
      'It did come. If it was somebody else, change the number in the profile: that ends the sessions of the old one.',
  },
  EXPIRED: {
    reason: 'The code was not used in time, or a wrong one was entered five times.',
    advice: 'A code is valid for five minutes. Let the person ask for a new one.',
  },
  VOID: {
    reason: 'The number was changed, or the sessions were ended, before the code was used.',
    advice: 'Nobody can sign in with it. Let the person ask for a new one.',
  },
  REFUSED_BY_LIMIT: {
    reason: 'No code was made: there were too many requests for this phone.',
    advice: 'Let the person wait before asking again. More requests only make it longer.',
  },
}

export const NO_REQUEST: Words = {
  reason: 'Nobody asked for a code for this number.',
  advice:
    'Compare the number with the profile: a code for another number goes there. Otherwise the request never reached us.',
}

const UNKNOWN: Words = { reason: 'This page does not know that state yet.', advice: 'Ask an operator.' }

export const reasonFor = ({ state }: OneTimeCode): string => (WORDS[state] ?? UNKNOWN).reason

export function adviceOn({ state, retry_at }: OneTimeCode, now = new Date()): string {
  const { advice } = WORDS[state] ?? UNKNOWN
  if (retry_at === null) return advice
  if (retry_at <= now) return 'Let the person ask for a new code: the next request is possible now.'
  return `${advice} The next request is possible at ${timeText(retry_at)}.`
}

const TROUBLE = ['FAILED', 'EXPIRED', 'VOID', 'REFUSED_BY_LIMIT']

export const isTrouble = ({ state }: OneTimeCode): boolean => TROUBLE.includes(state)
