import type { RouteRules } from '../kernel/http/exchange.ts'
import type { ProblemCode } from '../kernel/problem-error.ts'
import { ADMINISTRATORS, type CallerKind } from './caller.ts'
import type { AddressLimit } from './rate-limits.ts'

/** `own`: only its own users, sponsors or itself; anything else is not found. */
type Grant = 'own' | 'yes'
type Grants = Partial<Record<Exclude<CallerKind, 'anyone' | 'system'>, Grant>>

/**
 * How a caller authenticates. Administrators can use a session cookie wherever `bearer` is accepted; `session` accepts
 * nothing else. `signature` is the operator's HMAC, `none` is for callers without a credential yet.
 */
export const CREDENTIALS = ['bearer', 'session', 'wallet_bearer', 'admin_key', 'basic', 'signature', 'none'] as const
type Credential = (typeof CREDENTIALS)[number]

/** One row of the role matrix: how callers authenticate, and which kinds may call. Anything not granted is denied. */
export type AccessRow = {
  operation: string
  credential: Credential
  grants: Grants
  /** Whose sealed data it reads; the audit records it. */
  decrypts?: 'user' | 'sponsor'
  /** Concerns the caller's own session: people of partners may call it, too. */
  isOfSession?: true
  /** One entry of the audit for all that a response shows. */
  isAuditedOnce?: true
}

/** A route's reference to the matrix; `anyone` is for routes outside both interfaces. */
export type AccessRule = AccessRow | 'anyone'

declare module '../kernel/http/exchange.ts' {
  interface RouteRules {
    access?: AccessRule
    /** The limit per IP address of a route whose callers are not known when it begins. Pages need not name theirs. */
    limit?: AddressLimit
  }
}

const read = { viewer: 'yes', operator: 'yes', owner: 'yes' } as const
const write = { operator: 'yes', owner: 'yes' } as const
const all = 'yes'
const own = 'own'
/** Webhook endpoints belong to their owner only; administrators share theirs, and help partners with what they may read. */
const endpointOwners = { platform: own, provider: own } as const
const ownWrite = { operator: own, owner: own } as const
const helping = write
const helpingRead = { viewer: own, ...helping } as const

const bearer = {
  // The operations given by the contract.
  issueToken: { platform: all },
  updateSponsor: { platform: own, ...write },
  completeOnboarding: { platform: own, user: own },
  createDependants: { platform: own, user: own, ...write },
  listInsurancePolicies: { platform: own, user: own, provider: own, ...read },
  downloadDocument: { platform: own, user: own, provider: own, ...write }, // health data
  listAccounts: { platform: own, user: own, ...read },
  listMessages: { platform: own, user: own, provider: own, owner: all }, // health data
  listBenefitProviderCredentials: { provider: own, ...read },
  listPlatformCredentials: { platform: own, ...read },
  createBenefitProviderCredential: write,
  revokeBenefitProviderCredential: write,
  deleteBenefit: write,

  // The operations they depend on.
  readPlatformCredential: { platform: own, ...read },
  readBenefitProviderCredential: { provider: own, ...read },
  createPlatform: write,
  listPlatforms: read,
  readPlatform: read,
  setPlatformStatus: write,
  readWebOrigins: { platform: own, ...read },
  setWebOrigins: { platform: own, ...write },
  readWalletLimits: { platform: own, ...read },
  setWalletLimits: write,
  createPlatformCredential: write,
  revokePlatformCredential: write,
  createBenefitProvider: write,
  listBenefitProviders: { platform: all, user: all, provider: all, ...read },
  readBenefitProvider: { platform: all, user: all, provider: all, ...read },
  updateBenefitProvider: write,
  createSponsor: { platform: own, ...write },
  listSponsors: { platform: own, ...read },
  listSponsorNames: { platform: own, ...read },
  readSponsor: { platform: own, ...read },
  setSponsorStatus: write,
  listDeposits: { platform: own, provider: own, ...read },
  listDepositEntries: { platform: own, provider: own, ...read },
  addDepositEntry: { provider: own, ...write },
  setDepositLowBelow: { platform: own, provider: own, ...write },
  createBenefit: write,
  listBenefits: { platform: own, user: own, provider: own, ...read },
  readBenefit: { platform: own, user: own, provider: own, ...read },
  updateBenefit: write,
  listUsers: { platform: own, ...read },
  searchUsers: { platform: own, ...read },
  readUser: { platform: own, user: own, ...read },
  updateUser: { platform: own, user: own, ...write }, // a user: email and address only
  endUserSessions: { platform: own, ...write },
  readUserReference: { platform: own, ...read },
  setUserReference: { platform: own }, // the partner's own number
  exportUser: { platform: own, user: own, owner: all },
  eraseUser: { platform: own, owner: all },
  cancelErasure: { platform: own, owner: all },
  previewUserErasure: { platform: own, owner: all },
  listDependants: { platform: own, user: own, ...read },
  readDependant: { platform: own, user: own, ...read },
  updateDependant: { platform: own, user: own, ...write },
  enrolInsurancePolicy: { platform: own, ...write },
  readInsurancePolicy: { platform: own, user: own, provider: own, ...read },
  listInsurancePolicyTimeline: { platform: own, user: own, provider: own, ...read },
  listInsurancePolicyTerms: { platform: own, user: own, provider: own, ...read },
  listUserNextActions: { platform: own, user: own, ...read }, // nothing sealed
  readCoverage: { platform: own, user: own, provider: own, ...read }, // no names, nothing sealed
  readInsurancePolicyStatus: { platform: own, user: own, provider: own, ...read },
  downloadHealthCard: { platform: own, user: own, provider: own, ...write }, // health data
  uploadDocument: { provider: own, ...write },
  uploadHealthCard: { provider: own, ...write },
  deleteDocumentUpload: { provider: own, ...write },
  deleteHealthCardUpload: { provider: own, ...write },
  setInsurancePolicyStatus: { provider: own, ...write },
  readInsurancePolicyEnd: { platform: own, user: own, provider: own, ...read },
  setInsurancePolicyEnd: { platform: own, provider: own, ...write },
  withdrawInsurancePolicyEnd: { platform: own, provider: own, ...write },
  readInsurancePolicyAssignee: { platform: own, provider: own, ...read },
  assignInsurancePolicy: { provider: own, ...write },
  releaseInsurancePolicy: { provider: own, ...write },
  listEndorsements: { platform: own, provider: own, ...read },
  searchMembers: { platform: own, provider: own, ...read },
  searchEndorsements: { platform: own, provider: own, ...read },
  readEndorsement: { platform: own, user: own, provider: own, ...read },
  setEndorsementState: { platform: own, provider: own, ...write }, // a platform takes back only
  listInsurancePolicyMembers: { platform: own, user: own, provider: own, ...read },
  setInsurancePolicyMember: { platform: own, ...write },
  setInsurancePolicyNominee: { platform: own, user: own, ...write },
  createAccount: { platform: own, user: own },
  readAccount: { platform: own, user: own, ...read },
  readAccountStatus: { platform: own, user: own, ...read },
  setAccountStatus: write,
  createConsultation: { platform: own, user: own, provider: own },
  listConsultations: { platform: own, user: own, provider: own, owner: all },
  readConsultation: { platform: own, user: own, provider: own, owner: all },
  setConsultationStatus: { platform: own, user: own, provider: own },
  createMessage: { platform: own, user: own, provider: own },
  readUserWallet: { platform: own, ...read },
  listUserWalletTransactions: { platform: own, ...read },
  retryWallet: write,
  refreshWallet: write,
  retryWallets: write,
  creditWallet: { platform: own, ...write },
  debitWallet: { platform: own, ...write },
  listEvents: { platform: own, provider: own, ...read },
  createImport: { platform: own, ...write },
  readImport: { platform: own, ...read },
  listImportRows: { platform: own, ...read },
  createComparison: { platform: own, provider: own, ...write },
  readComparison: { platform: own, provider: own, ...read },
  listDifferences: { platform: own, provider: own, ...read },

  // Notice and consent.
  setNotice: { platform: own },
  readNotice: { platform: own, user: own },
  giveConsent: { platform: own, user: own },
  listConsents: { platform: own, user: own, ...read },
  withdrawConsent: { platform: own, user: own },
  createRightsRequest: { platform: own, user: own },
  listRightsRequests: { platform: own, user: own, ...read },
  setRightsRequestState: { platform: own, ...write },
  readConsentRules: { platform: own, ...read },
  setConsentRules: { platform: own, ...write },

  // Lists across users: small entries, nothing sealed.
  listAllInsurancePolicies: { platform: own, provider: own, ...read },
  listInsurancePolicyAssignees: { provider: own, ...write },
  searchInsurancePolicies: { platform: own, provider: own, ...read },
  listNextActions: { platform: own, provider: own, ...read },
  listAllAccounts: { platform: own, ...read },
  listAllConsultations: { platform: own, provider: own, owner: all },
  listAllWallets: { platform: own, ...read },
  readStatistics: { platform: own, provider: own, ...read },
  listOneTimeCodes: { platform: own, ...write },

  listStateMachines: { platform: all, user: all, provider: all, ...read },
  readStateMachine: { platform: all, user: all, provider: all, ...read },
  listPermissions: { platform: all, user: all, provider: all, ...read },

  readSession: read,
  listAdministrators: { owner: all },
  setAdministratorStatus: { owner: all },
  listAdministratorSessions: { owner: all },
  endAdministratorSession: { owner: all },
  listAuditLog: { viewer: own, operator: own, owner: all },
  listAccessLog: { platform: own, user: own, owner: all },
  listExposure: { platform: own, owner: all },
  createWebhookEndpoint: { ...endpointOwners, ...ownWrite },
  listWebhookEndpoints: { ...endpointOwners, ...helpingRead },
  readWebhookEndpoint: { ...endpointOwners, ...helpingRead },
  updateWebhookEndpoint: { ...endpointOwners, ...ownWrite },
  deleteWebhookEndpoint: { ...endpointOwners, ...ownWrite },
  rotateWebhookSecret: { ...endpointOwners, ...ownWrite },
  testWebhookEndpoint: { ...endpointOwners, ...ownWrite },
  listWebhookDeliveries: { ...endpointOwners, ...helpingRead },
  replayWebhookDelivery: { ...endpointOwners, ...helping },
  replayWebhookEvents: { ...endpointOwners, ...helping },
} as const satisfies Record<string, Grants>

const walletBearer = {
  createWallet: { wallet_user: own },
  readWallet: { wallet_user: own },
  readWalletStatus: { wallet_user: own },
  listWalletTransactions: { wallet_user: own },
} as const satisfies Record<string, Grants>

/** The operations that read sealed personal data: they accept a `Purpose` and are audited. A test compares. */
const DECRYPTING: Record<'user' | 'sponsor', readonly (keyof typeof bearer | keyof typeof walletBearer)[]> = {
  user: [
    'completeOnboarding',
    'createAccount',
    'createComparison',
    'createMessage',
    'createRightsRequest',
    'deleteDocumentUpload',
    'deleteHealthCardUpload',
    'downloadDocument',
    'downloadHealthCard',
    'enrolInsurancePolicy',
    'exportUser',
    'giveConsent',
    'listConsents',
    'listDependants',
    'listInsurancePolicies',
    'listInsurancePolicyMembers',
    'listInsurancePolicyTerms',
    'listInsurancePolicyTimeline',
    'listMessages',
    'listOneTimeCodes',
    'listRightsRequests',
    'listUsers',
    'listUserWalletTransactions',
    'listWalletTransactions',
    'readDependant',
    'readInsurancePolicy',
    'readInsurancePolicyEnd',
    'readInsurancePolicyStatus',
    'readEndorsement',
    'readUser',
    'readUserReference',
    'searchEndorsements',
    'searchMembers',
    'searchUsers',
    'setEndorsementState',
    'setInsurancePolicyEnd',
    'setInsurancePolicyMember',
    'setInsurancePolicyNominee',
    'setInsurancePolicyStatus',
    'setRightsRequestState',
    'setUserReference',
    'updateDependant',
    'updateUser',
    'uploadDocument',
    'uploadHealthCard',
    'withdrawConsent',
    'withdrawInsurancePolicyEnd',
  ],
  sponsor: ['listSponsorNames', 'listSponsors', 'readSponsor', 'setSponsorStatus', 'updateSponsor'],
}

/** Lists that show no more than names: one entry of the audit for all that a response has. */
const AUDITED_ONCE: readonly string[] = ['listSponsorNames']

/** What anybody with a session may do, people of partners too: use it, and read what was done with it. */
const OF_SESSION: readonly string[] = ['readSession', 'createSessionToken', 'listAuditLog']

/** Who may call which operation. An operation names its row; the app does not start when a route has none. */
export const matrix = {
  ...accessRows('bearer', bearer),
  ...accessRows('session', { createSessionToken: read }),
  ...accessRows('admin_key', {
    createAccountProvider: { admin_key: all },
    listAccountProviders: { admin_key: all },
    readAccountProvider: { admin_key: all },
    updateAccountProvider: { admin_key: all },
    setAccountProviderStatus: { admin_key: all },
  }),
  ...accessRows('wallet_bearer', walletBearer),
  ...accessRows('basic', { exchangeCredential: {} }),
  ...accessRows('none', {
    requestOtp: {},
    verifyOtp: {},
    refreshWalletToken: {},
    logOutOfWallet: {},
    beginLogin: {},
    finishLogin: {},
    logOut: {},
  }),
  ...accessRows('signature', { receiveOperatorEvent: {} }),
}

export type OperationName = keyof typeof matrix

function accessRows<T extends Record<string, Grants>>(
  credential: AccessRow['credential'],
  table: T,
): { [K in keyof T]: AccessRow } {
  const rows = Object.entries(table).map(([operation, grants]) => {
    const decrypts = (['user', 'sponsor'] as const).find((kind) =>
      DECRYPTING[kind].some((known) => known === operation),
    )
    const isOfSession = OF_SESSION.includes(operation) && { isOfSession: true as const }
    const isAuditedOnce = AUDITED_ONCE.includes(operation) && { isAuditedOnce: true as const }
    return [
      operation,
      { operation, credential, grants, ...(decrypts && { decrypts }), ...isOfSession, ...isAuditedOnce },
    ]
  })
  return Object.fromEntries(rows) as { [K in keyof T]: AccessRow }
}

const CALLER_WORDS: Record<keyof Grants, string> = {
  platform: 'platform',
  user: 'app user',
  provider: 'benefit provider',
  viewer: 'viewer',
  operator: 'operator',
  owner: 'owner',
  admin_key: 'administrator key',
  wallet_user: 'wallet user',
}

const TOKEN_CODES: ProblemCode[] = ['unauthenticated', 'token_expired', 'forbidden', 'rate_limited']

const CODES: Record<Credential, ProblemCode[]> = {
  bearer: TOKEN_CODES,
  session: ['unauthenticated', 'forbidden', 'rate_limited'],
  wallet_bearer: TOKEN_CODES,
  admin_key: ['unauthenticated', 'forbidden', 'rate_limited'],
  basic: ['unauthenticated', 'forbidden'],
  signature: ['unauthenticated'],
  none: [],
}

const HOLDERS: Partial<Record<Credential, string>> = {
  basic: 'holders of a valid credential',
  signature: 'the wallet operator',
}
const EVERYBODY = 'anyone, without a token'

/** Credentials that identify the caller, whose writes accept an `Idempotency-Key`. */
const IDENTIFYING: Credential[] = ['bearer', 'wallet_bearer', 'admin_key']

function credentialsFor({ credential, grants }: AccessRow): Credential[] {
  if (credential === 'none') return []
  const isForAdministrators = ADMINISTRATORS.some((role) => grants[role] !== undefined)
  return credential === 'bearer' && isForAdministrators ? ['bearer', 'session'] : [credential]
}

/** Returns the limit per IP address of a route; undefined where callers are known when it begins. Probes have none. */
export const findLimit = ({ access, isProbe, limit }: RouteRules): AddressLimit | undefined =>
  limit ?? (access === 'anyone' && !isProbe ? 'pages' : undefined)

/** Returns what the OpenAPI document says about a route's row, or about a route outside both interfaces. */
export function describeAccess(config: RouteRules) {
  const { access } = config
  if (!access) return undefined
  const limited: ProblemCode[] = findLimit(config) ? ['rate_limited'] : []
  if (access === 'anyone') {
    return {
      security: [],
      callers: EVERYBODY,
      codes: limited,
      takesKeys: false,
      takesPurpose: false,
      extensions: { 'x-callers': {} },
    }
  }
  const callers = Object.entries(access.grants).map(
    ([kind, grant]) => CALLER_WORDS[kind as keyof Grants] + (grant === 'own' ? ' (own only)' : ''),
  )
  const codes = [...CODES[access.credential], ...limited]
  if (Object.values(access.grants).includes('own')) codes.push('not_found')
  return {
    security: credentialsFor(access).map((credential) => ({ [credential]: [] })),
    callers: callers.join(', ') || (HOLDERS[access.credential] ?? EVERYBODY),
    codes,
    takesKeys: IDENTIFYING.includes(access.credential),
    takesPurpose: access.decrypts !== undefined,
    extensions: { operationId: access.operation, 'x-callers': access.grants },
  }
}
