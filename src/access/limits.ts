type Setting = { readonly name: string; readonly fallback: number; readonly min: number; readonly max: number }

const RATE_MAX = 1_000_000
/** The times are stored in one row, which every use rewrites. */
const TIMES_MAX = 5_000

/** The limits, each with its setting's name, default and range. */
export const LIMIT_SETTINGS = {
  // Requests per second, over all tokens of a platform, a benefit provider or a user.
  platformRate: { name: 'RATE_LIMIT_PLATFORM', fallback: 200, min: 1, max: RATE_MAX },
  providerRate: { name: 'RATE_LIMIT_BENEFIT_PROVIDER', fallback: 200, min: 1, max: RATE_MAX },
  userRate: { name: 'RATE_LIMIT_USER', fallback: 20, min: 1, max: RATE_MAX },
  // Per minute: wrong secrets of a credential and unknown credentials, both per IP address; access tokens per
  // credential.
  tokenFailures: { name: 'TOKEN_FAILURES_PER_MINUTE', fallback: 60, min: 1, max: RATE_MAX },
  unknownCredentials: { name: 'UNKNOWN_CREDENTIALS_PER_MINUTE', fallback: 600, min: 1, max: RATE_MAX },
  tokens: { name: 'TOKENS_PER_MINUTE', fallback: 60, min: 1, max: RATE_MAX },
  // Per minute and IP address: requests that are counted before it is known who sends them. Carriers put thousands of phones behind one address.
  refreshes: { name: 'REFRESHES_PER_MINUTE_OF_ADDRESS', fallback: 60_000, min: 1, max: RATE_MAX },
  cardChecks: { name: 'CARD_CHECKS_PER_MINUTE_OF_ADDRESS', fallback: 600, min: 1, max: RATE_MAX },
  signIns: { name: 'SIGN_INS_PER_MINUTE_OF_ADDRESS', fallback: 1_200, min: 1, max: RATE_MAX },
  tokenRequests: { name: 'TOKEN_REQUESTS_PER_MINUTE_OF_ADDRESS', fallback: 6_000, min: 1, max: RATE_MAX },
  operatorEvents: { name: 'OPERATOR_EVENTS_PER_MINUTE_OF_ADDRESS', fallback: 60_000, min: 1, max: RATE_MAX },
  logins: { name: 'LOGINS_PER_MINUTE_OF_ADDRESS', fallback: 120, min: 1, max: RATE_MAX },
  pages: { name: 'PAGES_PER_MINUTE_OF_ADDRESS', fallback: 1_200, min: 1, max: RATE_MAX },
  // One-time codes; the last three per hour. Carriers put thousands of phones behind one IP address.
  otpPauseSeconds: { name: 'OTP_PAUSE_SECONDS', fallback: 30, min: 1, max: 3_600 },
  otpsOfPhone: { name: 'OTPS_PER_HOUR_OF_PHONE', fallback: 5, min: 1, max: TIMES_MAX },
  otpsOfAddress: { name: 'OTPS_PER_HOUR_OF_ADDRESS', fallback: 300, min: 1, max: TIMES_MAX },
  wrongOtps: { name: 'WRONG_OTPS_PER_HOUR_OF_ADDRESS', fallback: 30, min: 1, max: TIMES_MAX },
  // Per hour: exports of one user that one caller requests; each reads everything.
  exports: { name: 'EXPORTS_PER_HOUR_OF_USER', fallback: 10, min: 1, max: RATE_MAX },
  // Per day: keys of idempotent requests about one user, each of which keeps a response for a day.
  idempotencyKeys: { name: 'IDEMPOTENCY_KEYS_PER_DAY_OF_USER', fallback: 10_000, min: 1, max: RATE_MAX },
  // Records of one user.
  openConsultations: { name: 'OPEN_CONSULTATIONS_OF_USER', fallback: 20, min: 1, max: 1_000 },
  consultationsADay: { name: 'CONSULTATIONS_PER_DAY_OF_USER', fallback: 50, min: 1, max: 1_000 },
  messagesADay: { name: 'MESSAGES_PER_DAY_OF_USER', fallback: 500, min: 1, max: 100_000 },
  dependants: { name: 'DEPENDANTS_OF_USER', fallback: 50, min: 1, max: 1_000 },
  versions: { name: 'VERSIONS_OF_DEPENDANT', fallback: 100, min: 1, max: 10_000 },
  // Overload: new requests are rejected at once when the oldest wait for the database is longer.
  databaseWait_ms: { name: 'DATABASE_WAIT_MS', fallback: 400, min: 50, max: 2_000 },
} as const satisfies Record<string, Setting>

export type Limits = Readonly<Record<keyof typeof LIMIT_SETTINGS, number>>

export function readLimits(read: (name: string, setting: Setting) => number): Limits {
  const limits = Object.entries(LIMIT_SETTINGS).map(([limit, setting]) => [limit, read(setting.name, setting)])
  return Object.freeze(Object.fromEntries(limits)) as Limits
}
