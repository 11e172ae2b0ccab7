import type { LIMIT_SETTINGS } from './limit-settings.ts'

/** The limits, each with its setting, which says what is counted and for how long. */
const SETTING_OF = {
  platformRate: 'RATE_LIMIT_PLATFORM',
  providerRate: 'RATE_LIMIT_BENEFIT_PROVIDER',
  userRate: 'RATE_LIMIT_USER',
  tokenFailures: 'TOKEN_FAILURES_PER_MINUTE',
  unknownCredentials: 'UNKNOWN_CREDENTIALS_PER_MINUTE',
  tokens: 'TOKENS_PER_MINUTE',
  refreshes: 'REFRESHES_PER_MINUTE_OF_ADDRESS',
  cardChecks: 'CARD_CHECKS_PER_MINUTE_OF_ADDRESS',
  signIns: 'SIGN_INS_PER_MINUTE_OF_ADDRESS',
  tokenRequests: 'TOKEN_REQUESTS_PER_MINUTE_OF_ADDRESS',
  operatorEvents: 'OPERATOR_EVENTS_PER_MINUTE_OF_ADDRESS',
  logins: 'LOGINS_PER_MINUTE_OF_ADDRESS',
  pages: 'PAGES_PER_MINUTE_OF_ADDRESS',
  searches: 'SEARCHES_PER_MINUTE_OF_ADDRESS',
  otpPauseSeconds: 'OTP_PAUSE_SECONDS',
  otpsOfPhone: 'OTPS_PER_HOUR_OF_PHONE',
  otpsOfAddress: 'OTPS_PER_HOUR_OF_ADDRESS',
  wrongOtps: 'WRONG_OTPS_PER_HOUR_OF_ADDRESS',
  exports: 'EXPORTS_PER_HOUR_OF_USER',
  idempotencyKeys: 'IDEMPOTENCY_KEYS_PER_DAY_OF_USER',
  openConsultations: 'OPEN_CONSULTATIONS_OF_USER',
  consultationsADay: 'CONSULTATIONS_PER_DAY_OF_USER',
  messagesADay: 'MESSAGES_PER_DAY_OF_USER',
  dependants: 'DEPENDANTS_OF_USER',
  versions: 'VERSIONS_OF_DEPENDANT',
  endorsementDays: 'ENDORSEMENT_DAYS',
  backdateDays: 'BACKDATE_DAYS',
  databaseWait_ms: 'DATABASE_WAIT_MS',
} as const satisfies Record<string, keyof typeof LIMIT_SETTINGS>

export type Limits = Readonly<Record<keyof typeof SETTING_OF, number>>

type LimitReading = { integer: (name: keyof typeof LIMIT_SETTINGS) => number }

export function readLimits({ integer }: LimitReading): Limits {
  const limits = Object.entries(SETTING_OF).map(([limit, name]) => [limit, integer(name)])
  return Object.freeze(Object.fromEntries(limits)) as Limits
}
