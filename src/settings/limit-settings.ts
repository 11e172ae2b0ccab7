import type { Settings } from '../kernel/settings/setting.ts'

const RATE = { kind: 'integer', min: 1, max: 1_000_000 } as const
/** The times are stored in one row, which every use rewrites. */
const TIMES = { kind: 'integer', min: 1, max: 5_000 } as const
const RECORDS = { kind: 'integer', min: 1, max: 1_000 } as const

const DAYS = { kind: 'days', min: 1, max: 365 } as const
const LATER_DAYS =
  '1 to 365. Another number from a day on follows after a comma: `7,2027-01-01:5` is 5 for what begins on 1 January 2027 or later'

export const LIMIT_SETTINGS = {
  RATE_LIMIT_PLATFORM: {
    ...RATE,
    fallback: '200',
    meaning:
      'requests per second of a platform with its own tokens, over all processes, 1 to 1,000,000; ' +
      'administrators have no limit',
  },
  RATE_LIMIT_BENEFIT_PROVIDER: { ...RATE, fallback: '200', meaning: 'the same for a benefit provider' },
  RATE_LIMIT_USER: { ...RATE, fallback: '20', meaning: 'the same for a user, wallet tokens included' },
  TOKEN_FAILURES_PER_MINUTE: {
    ...RATE,
    fallback: '60',
    meaning:
      'well-formed wrong secrets for one credential from one IP address, 1 to 1,000,000; then the ' +
      'right one is refused there too for a while. Malformed ones count as unknown credentials',
  },
  UNKNOWN_CREDENTIALS_PER_MINUTE: {
    ...RATE,
    fallback: '600',
    meaning:
      'unknown or malformed credentials, session cookies and administrator keys from one IP address, 1 to 1,000,000',
  },
  TOKENS_PER_MINUTE: { ...RATE, fallback: '60', meaning: 'access tokens for one credential, 1 to 1,000,000' },
  REFRESHES_PER_MINUTE_OF_ADDRESS: {
    ...RATE,
    fallback: '60000',
    meaning:
      'refreshes and logouts of wallet sessions from one IP address, 1 to 1,000,000; carriers put ' +
      'thousands of phones behind one',
  },
  CARD_CHECKS_PER_MINUTE_OF_ADDRESS: {
    ...RATE,
    fallback: '600',
    meaning: 'checks of health cards from one IP address, 1 to 1,000,000',
  },
  SIGN_INS_PER_MINUTE_OF_ADDRESS: {
    ...RATE,
    fallback: '1200',
    meaning: 'requests to send or to verify a one-time code from one IP address, well-formed or not, 1 to 1,000,000',
  },
  TOKEN_REQUESTS_PER_MINUTE_OF_ADDRESS: {
    ...RATE,
    fallback: '6000',
    meaning: 'requests for access tokens with a credential from one IP address, well-formed or not, 1 to 1,000,000',
  },
  OPERATOR_EVENTS_PER_MINUTE_OF_ADDRESS: {
    ...RATE,
    fallback: '60000',
    meaning: 'events of the wallet operator from one IP address, with a valid signature or not, 1 to 1,000,000',
  },
  LOGINS_PER_MINUTE_OF_ADDRESS: {
    ...RATE,
    fallback: '120',
    meaning: "steps of administrators' logins and logouts from one IP address, 1 to 1,000,000",
  },
  PAGES_PER_MINUTE_OF_ADDRESS: {
    ...RATE,
    fallback: '1200',
    meaning:
      'pages, public keys and documents of the API from one IP address, 1 to 1,000,000; health probes ' +
      'have no limit',
  },
  SEARCHES_PER_MINUTE_OF_ADDRESS: {
    ...RATE,
    fallback: '60',
    meaning: 'searches of the handbook from one IP address, 1 to 1,000,000; each costs more than a page',
  },
  OTP_PAUSE_SECONDS: {
    kind: 'integer',
    min: 1,
    max: 3_600,
    fallback: '30',
    meaning: 'between two one-time codes for a phone, 1 to 3,600',
  },
  OTPS_PER_HOUR_OF_PHONE: { ...TIMES, fallback: '5', meaning: 'one-time codes for a phone, 1 to 5,000' },
  OTPS_PER_HOUR_OF_ADDRESS: {
    ...TIMES,
    fallback: '300',
    meaning: 'one-time codes requested from one IP address, 1 to 5,000',
  },
  WRONG_OTPS_PER_HOUR_OF_ADDRESS: {
    ...TIMES,
    fallback: '30',
    meaning: 'wrong one-time codes from one IP address, 1 to 5,000',
  },
  EXPORTS_PER_HOUR_OF_USER: {
    ...RATE,
    fallback: '10',
    meaning: 'exports of one user that a caller requests, 1 to 1,000,000',
  },
  IDEMPOTENCY_KEYS_PER_DAY_OF_USER: {
    ...RATE,
    fallback: '10000',
    meaning: 'new idempotency keys of requests about one user, 1 to 1,000,000; each keeps its response for a day',
  },
  OPEN_CONSULTATIONS_OF_USER: { ...RECORDS, fallback: '20', meaning: 'open consultations of a user, 1 to 1,000' },
  CONSULTATIONS_PER_DAY_OF_USER: {
    ...RECORDS,
    fallback: '50',
    meaning: 'new consultations of a user a day in India, 1 to 1,000',
  },
  MESSAGES_PER_DAY_OF_USER: {
    kind: 'integer',
    min: 1,
    max: 100_000,
    fallback: '500',
    meaning: 'messages that a user writes per day (of India), 1 to 100,000',
  },
  DEPENDANTS_OF_USER: { ...RECORDS, fallback: '50', meaning: 'dependants of a user in total, 1 to 1,000' },
  VERSIONS_OF_DEPENDANT: {
    kind: 'integer',
    min: 1,
    max: 10_000,
    fallback: '100',
    meaning: 'versions of a dependant, the first one included, 1 to 10,000',
  },
  ENDORSEMENT_DAYS: {
    kind: 'integer',
    min: 1,
    max: 90,
    fallback: '7',
    meaning: 'days in which a benefit provider should decide on a change of an issued policy, its `due_on`, 1 to 90',
  },
  BACKDATE_DAYS: {
    kind: 'integer',
    min: 0,
    max: 365,
    fallback: '45',
    meaning: 'days that an end of a policy goes back without a reason, 0 to 365',
  },
  RENEWAL_NOTICE_DAYS: {
    kind: 'integers',
    min: 0,
    max: 365,
    fallback: '30,7,1',
    meaning:
      'days before the end of a policy’s term on which the event `policy.renewal_due` is sent, those within its renewal window; 0 to 365, separated by commas',
  },
  DECISION_DAYS: {
    ...DAYS,
    fallback: '7',
    meaning: `days from an application in which a benefit provider should decide on it, the \`due_on\` of its next action, ${LATER_DAYS}`,
  },
  ISSUE_DAYS: {
    ...DAYS,
    fallback: '15',
    meaning: `days from an approval, or from a renewal, in which a benefit provider should issue the policy, with certificate and health cards, ${LATER_DAYS}`,
  },
  FREE_LOOK_DAYS: {
    ...DAYS,
    fallback: '30',
    meaning: `days from the first issue of a policy in which a user may give it back, ${LATER_DAYS}`,
  },
  DATABASE_WAIT_MS: {
    kind: 'integer',
    min: 50,
    max: 2_000,
    fallback: '400',
    meaning: 'new requests get a 503 at once when the longest wait for the database has reached this, 50 to 2,000',
  },
} as const satisfies Settings
