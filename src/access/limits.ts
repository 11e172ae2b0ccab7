type Setting = { readonly name: string; readonly otherwise: number; readonly min: number; readonly max: number }

const RATE_MAX = 1_000_000
/** The times of each are kept in a row, which each of them rewrites. */
const TIMES_MAX = 5_000

/** How much is let in: each limit with the name of its setting, its default and what it can be. */
export const LIMIT_SETTINGS = {
  // Requests a second, of all the tokens of a platform, a benefit provider or a user together.
  platformRate: { name: 'RATE_LIMIT_PLATFORM', otherwise: 200, min: 1, max: RATE_MAX },
  providerRate: { name: 'RATE_LIMIT_BENEFIT_PROVIDER', otherwise: 200, min: 1, max: RATE_MAX },
  userRate: { name: 'RATE_LIMIT_USER', otherwise: 20, min: 1, max: RATE_MAX },
  // A minute: wrong secrets of a credential and credentials that nobody has, each from a network address; access tokens for a credential.
  tokenFailures: { name: 'TOKEN_FAILURES_PER_MINUTE', otherwise: 60, min: 1, max: RATE_MAX },
  unknownCredentials: { name: 'UNKNOWN_CREDENTIALS_PER_MINUTE', otherwise: 600, min: 1, max: RATE_MAX },
  tokens: { name: 'TOKENS_PER_MINUTE', otherwise: 60, min: 1, max: RATE_MAX },
  // One-time codes; the last three an hour. Carriers put thousands of phones behind one network address.
  otpPauseSeconds: { name: 'OTP_PAUSE_SECONDS', otherwise: 30, min: 1, max: 3_600 },
  otpsOfPhone: { name: 'OTPS_PER_HOUR_OF_PHONE', otherwise: 5, min: 1, max: TIMES_MAX },
  otpsOfAddress: { name: 'OTPS_PER_HOUR_OF_ADDRESS', otherwise: 300, min: 1, max: TIMES_MAX },
  wrongOtps: { name: 'WRONG_OTPS_PER_HOUR_OF_ADDRESS', otherwise: 30, min: 1, max: TIMES_MAX },
  // What one user can pile up.
  openConsultations: { name: 'OPEN_CONSULTATIONS_OF_USER', otherwise: 20, min: 1, max: 1_000 },
  messagesADay: { name: 'MESSAGES_PER_DAY_OF_USER', otherwise: 500, min: 1, max: 100_000 },
  dependants: { name: 'DEPENDANTS_OF_USER', otherwise: 50, min: 1, max: 1_000 },
  // Overload: from when on requests are refused at once, because the first of those who wait for the database has waited so long.
  databaseWait_ms: { name: 'DATABASE_WAIT_MS', otherwise: 400, min: 50, max: 2_000 },
} as const satisfies Record<string, Setting>

export type Limits = Readonly<Record<keyof typeof LIMIT_SETTINGS, number>>

/** Returns the limits as `read` finds each. */
export function readLimits(read: (name: string, setting: Setting) => number): Limits {
  const limits = Object.entries(LIMIT_SETTINGS).map(([limit, setting]) => [limit, read(setting.name, setting)])
  return Object.freeze(Object.fromEntries(limits)) as Limits
}
