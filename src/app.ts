import { pathToFileURL } from 'node:url'
import { checkRoutes, createAccess } from './access/authenticate.ts'
import type { AdminKey } from './settings/keys.ts'
import type { Revocations } from './access/revocations.ts'
import { describeAccess } from './access/matrix.ts'
import { SECURITY_SCHEMES } from './access/security-schemes.ts'
import { CALLER_NAMES } from './access/permissions.ts'
import { createRefreshFamilies } from './access/refresh-families.ts'
import type { Tokens } from './access/tokens.ts'
import type { WebOrigins } from './access/web-origins.ts'
import { wellKnownRoutes } from './access/well-known.ts'
import { BASE_PATH, WALLET_BASE_PATH } from './settings/config.ts'
import { accountProviderOperations } from './domains/partners/account-providers/index.ts'
import { accountOperations } from './domains/money/accounts/index.ts'
import { stateMachineOperations } from './domains/administration/state-machines/index.ts'
import {
  administratorOperations,
  findColleagues,
  findPersons,
  type Login,
} from './domains/administration/administrators/index.ts'
import {
  listAllPermissions,
  permissionOperations,
  type Permissions,
} from './domains/administration/permissions/index.ts'
import { nextActionOperations } from './domains/administration/next-actions/index.ts'
import { statisticsOperations } from './domains/administration/statistics/index.ts'
import { auditOperations } from './domains/administration/audit/index.ts'
import { benefitProviderOperations } from './domains/partners/benefit-providers/index.ts'
import { benefitOperations } from './domains/partners/benefits/index.ts'
import { consultationOperations } from './domains/care/consultations/index.ts'
import { credentialOperations } from './domains/partners/credentials/index.ts'
import { dependantOperations } from './domains/people/dependants/index.ts'
import { cardCheckRoutes, type CardChecks, documentOperations } from './domains/cover/documents/index.ts'
import { bookingOperations, transactionOperations } from './domains/money/ledger/index.ts'
import { eventDocumentRoutes, eventOperations, STATES } from './domains/integration/events/index.ts'
import { FIELD_DESCRIPTIONS } from './domains/field-descriptions.ts'
import { HEADER_DESCRIPTIONS } from './domains/header-descriptions.ts'
import { PROBLEM_TEXTS } from './domains/problem-descriptions.ts'
import { onboardingOperations } from './domains/money/onboarding/index.ts'
import { consentRulesOperations } from './domains/privacy/consent-rules/index.ts'
import { noticeOperations } from './domains/privacy/notices/index.ts'
import { consentOperations } from './domains/privacy/consents/index.ts'
import { rightsRequestOperations } from './domains/people/rights-requests/index.ts'
import { personalDataOperations } from './domains/privacy/personal-data/index.ts'
import { platformOperations } from './domains/partners/platforms/index.ts'
import { holdersOfPolicy, policyOperations, usesBenefit } from './domains/cover/policies/index.ts'
import { LINKED_TO_DEPENDANT, LINKED_TO_USER } from './domains/cover/policy-propagation/index.ts'
import { coverageOperations } from './domains/cover/coverage/index.ts'
import { endorsementOperations } from './domains/cover/endorsements/index.ts'
import { timelineOperations } from './domains/cover/policy-timeline/index.ts'
import { sponsorOperations } from './domains/partners/sponsors/index.ts'
import { userOperations } from './domains/people/users/index.ts'
import { oneTimeCodeOperations, walletSessionOperations } from './domains/money/wallet-sessions/index.ts'
import {
  contradictionReporter,
  type Operator,
  type OperatorEvents,
  userWalletOperations,
  walletOperations,
} from './domains/money/wallets/index.ts'
import { depositOperations } from './domains/cover/deposits/index.ts'
import { comparisonOperations } from './domains/integration/comparisons/index.ts'
import { importOperations } from './domains/integration/imports/index.ts'
import { OPENAPI_WEBHOOKS, webhookOperations } from './domains/integration/webhooks/index.ts'
import { erasureDeps } from './data-map/erase.ts'
import { serveHandbook } from './kernel/handbook/serve-handbook.ts'
import type { Route } from './kernel/http/exchange.ts'
import { frontDoorRoute } from './kernel/http/front-door.ts'
import { serveBuiltPages } from './kernel/http/built-pages.ts'
import { healthRoutes, READINESS_CACHE_MS } from './kernel/http/health.ts'
import { type Door, createDoor, type Serve } from './kernel/http/door.ts'
import { type OpenApiDocument, openApiDocument } from './kernel/http/openapi.ts'
import { PROBLEMS_PATH } from './kernel/http/problems.ts'
import { Routes } from './kernel/http/router.ts'
import { serveTryPage } from './kernel/http/try-page.ts'
import { createValidation } from './kernel/http/validation.ts'
import type { Log } from './kernel/log.ts'
import { programFile } from './kernel/program-files.ts'
import { addKeyErrors, type Deps, mount } from './record/index.ts'
import { createPipeline } from './pipeline.ts'
import { addPurposeErrors, type AuditSettings, createAudit, readNoter, listSummaries } from './record/read-log.ts'
import { findReadiness } from './record/readiness.ts'
import type { Metrics } from './kernel/metrics.ts'
import type { ProcessCount } from './kernel/processes/messages.ts'

export type AppSettings = {
  origin: string
  version: string
  trustedProxies: number
  adminApiKeys: AdminKey[]
  walletTokens: Tokens
  operator: Operator & OperatorEvents
  /** The administrators' login; null where it is not configured. */
  login: Login | null
  revocations: Revocations
  webOrigins: WebOrigins
  audit: AuditSettings
  cardChecks: CardChecks
  log: Log
  metrics: Metrics
  /** Returns true when the database is for later versions of the program only. */
  isOutdated?: () => boolean
  /** For how long a result of `/readyz` is kept. */
  readinessKept_ms?: number
  /** The number of API processes, when there are several. */
  processes?: () => ProcessCount
  /** Outside production, for the dashboard. */
  sandboxUrl?: string | undefined
}

const DESCRIPTION = `Backend of a benefits platform: people, dependants, insurance policies, accounts, consultations and wallets.

Errors are RFC 9457 problems; their codes are explained at [/docs/errors](/docs/errors). Lists are paged by \`limit\` and
\`offset\`; events by \`after\`, the id of the last one. A write takes an \`Idempotency-Key\`: sent again with the same key, it is done once and its
response comes again. States, codes, reasons and types of events are today's: every \`enum\` of a response can get more values. Unknown query parameters are rejected; unknown members of a body are ignored unless \`Prefer: handling=strict\`
is sent. Pages of other origins (CORS) may call with the token of a user whose platform named the origin in its \`web_origins\`. Single records have an \`ETag\`; \`If-None-Match\` and \`If-Match\` are supported.

A JSON body has at most 256 KiB and 5,000 values (members and items together); without an access token at most 4 KiB. Beyond that, responses are 413.

Requests of platforms, benefit providers and users are rate limited; a body counts as one more request for each 8 KiB of JSON or 256 KiB of an upload. Requests without
an access token are limited per IP address. \`RateLimit-Policy\` announces the limit in requests and
seconds, \`RateLimit\` the requests left and the seconds until it is fully restored. Beyond the limit, responses are 429 with \`Retry-After\`.`

/** In the order in which a partner meets them; what only administrators use comes last. */
const TAGS = [
  { name: 'Credentials', description: 'Credentials and the access tokens they are exchanged for' },
  { name: 'Users', description: 'The people covered' },
  { name: 'Dependants', description: 'People covered through a user' },
  { name: 'Sponsors', description: 'People and organisations that pay for benefits' },
  { name: 'Benefits', description: 'Benefits and their plans' },
  { name: 'Benefit providers', description: 'Insurers and clinic networks' },
  { name: 'Insurance policies', description: 'Enrolment and lifecycle of policies' },
  { name: 'Endorsements', description: 'Changes of issued policies, which benefit providers accept or refuse' },
  { name: 'Insurance policy documents', description: 'Certificates, health cards and other documents' },
  { name: 'Accounts', description: 'Purpose-bound accounts' },
  { name: 'Consultations', description: 'Conversations between users and benefit providers' },
  { name: 'Wallet sessions', description: 'One-time codes and token pairs' },
  { name: 'Wallet', description: 'Wallets, their provisioning and bookings' },
  { name: 'Statistics', description: 'Counts by state' },
  { name: 'Next actions', description: 'What must be done next, who is waited for, and until when' },
  { name: 'State machines', description: 'States of records and the transitions between them' },
  { name: 'Permissions', description: 'Who may call which operation' },
  { name: 'Audit', description: 'Records of who read or changed data' },
  {
    name: 'Events',
    description: 'Events of the last 30 days; every type is described at [/docs/events](/docs/events)',
  },
  { name: 'Webhooks', description: 'Endpoints that receive events, and their deliveries' },
  { name: 'Imports', description: 'Lists of people, enrolments, joiners and leavers, and ends in one file' },
  { name: 'Deposits', description: 'What sponsors have paid in at benefit providers for premiums' },
  { name: 'Comparisons', description: 'What differs between a file of a benefit provider and what is stored' },
  { name: 'Personal data', description: 'Export and erasure of the data of a person' },
  { name: 'Consents', description: 'Notices, consents of people, and which purposes need one' },
  { name: 'Rights requests', description: 'What people ask of the platform by the law on personal data' },
  { name: 'Platforms', description: 'Partner companies' },
  { name: 'Account providers', description: 'Banks that hold the accounts' },
  { name: 'Administrators', description: 'Administrators of this installation, their login and sessions' },
]

const NO_OPERATION = `There is no such operation. Paths begin with ${BASE_PATH} or ${WALLET_BASE_PATH} and have no trailing slash.`

/** Pages of the handbook with a second URL: problems and descriptions point to these. */
const ALIASES = {
  [PROBLEMS_PATH]: 'docs/reference/errors.md',
  '/docs/events': 'docs/reference/events.md',
  '/docs/states': 'docs/reference/states.md',
  '/docs/permissions': 'docs/reference/roles.md',
}

/** Shows the session of an administrator on `/docs/try`. */
const SESSION_BAR = ['session.js', 'session.css']

const DASHBOARD = {
  path: '/dashboard',
  folder: pathToFileURL(programFile('dashboard/dist/')),
  build: 'npm run build --workspace dashboard',
}

export type App = Door & {
  routes: readonly Route[]
  /** The OpenAPI document. */
  document: () => OpenApiDocument
}

/** Builds the whole HTTP side, the same for production and tests: the table of routes, what follows from it, then the steps of a request and the server. */
export function buildApp(deps: Deps, settings: AppSettings): App {
  const { origin, version, log, metrics, trustedProxies, audit } = settings
  const anyone = { access: 'anyone' as const }
  const routes = new Routes()
  const summaries = new Map<string, string>()
  const permissions: Permissions = () => listAllPermissions(routes.all)
  mountDomains(routes.under(BASE_PATH), { ...deps, summaries, permissions }, settings)
  mountWallet(routes.under(WALLET_BASE_PATH), deps, settings)
  healthRoutes(routes, {
    findReadiness: () => findReadiness(deps.db, settings.processes?.()),
    cache_ms: settings.readinessKept_ms ?? READINESS_CACHE_MS,
    config: anyone,
  })
  wellKnownRoutes(routes, { tokens: deps.tokens, origin })
  cardCheckRoutes(routes, { ...deps, checks: settings.cardChecks })
  serveTryPage(routes, anyone, settings.login ? SESSION_BAR : [])
  serveHandbook(routes, {
    origin,
    isOriginFixed: deps.production,
    sandboxUrl: settings.sandboxUrl,
    version,
    aliases: ALIASES,
    config: anyone,
    searchConfig: { ...anyone, limit: 'searches' as const },
  })
  serveBuiltPages(routes, { ...DASHBOARD, origin: settings.sandboxUrl }, anyone)
  frontDoorRoute(routes, { version, config: anyone })
  eventDocumentRoutes(routes, { origin, version })
  const document = createDocument(routes, settings)

  checkRoutes(routes.all)
  addKeyErrors(routes.all)
  addPurposeErrors(routes.all, audit.requirePurpose)
  for (const [operation, summary] of listSummaries(routes.all)) summaries.set(operation, summary)

  const door = createDoor({
    routes: routes.all,
    missing: anyone,
    noOperation: NO_OPERATION,
    serve: createServe(deps, settings),
    origin,
    log,
    metrics,
    trustedProxies,
    onSent: readNoter(deps.clock, audit.reads),
  })
  return { ...door, routes: routes.all, document }
}

/** The steps of a request, with what they have to know of this process. */
function createServe(deps: Deps, settings: AppSettings): Serve {
  const { origin, log, audit, isOutdated = () => false } = settings
  const { walletTokens, revocations, webOrigins, adminApiKeys } = settings
  const isTooLong = (wait_ms: number) => wait_ms > deps.limits.databaseWait_ms
  const isOverloadedBy = (caller: string) => isTooLong(deps.db.callerWait_ms(caller))
  return createPipeline({
    access: createAccess({ ...deps, walletTokens, revocations, origin, webOrigins, adminApiKeys, isOverloadedBy }),
    audit: createAudit(audit.reads, deps.clock),
    validation: createValidation(deps.calendar), // births, which have to agree with the days of policies
    isUnavailable: () => isOutdated() || isTooLong(deps.db.waiting.oldest_ms()),
    origin,
    log,
  })
}

/** Serves the OpenAPI document, which is made when somebody first asks for it. */
function createDocument(routes: Routes, { origin, version }: AppSettings): () => OpenApiDocument {
  let made: OpenApiDocument | undefined
  let encoded: Buffer | undefined
  const document = () =>
    (made ??= openApiDocument(routes.all, {
      origin,
      version,
      description: DESCRIPTION,
      tags: TAGS,
      securitySchemes: SECURITY_SCHEMES,
      describeAccess,
      descriptions: { ...HEADER_DESCRIPTIONS, fields: FIELD_DESCRIPTIONS, problems: PROBLEM_TEXTS },
      states: STATES,
      callers: CALLER_NAMES,
      webhooks: OPENAPI_WEBHOOKS,
    }))
  routes.page('/openapi.json', { config: { access: 'anyone', anyAccept: true } }, (_request, reply) => {
    encoded ??= Buffer.from(JSON.stringify(document())) // as text it would be encoded for each response
    reply.type('application/json')
    return encoded
  })
  return document
}

function mountDomains(
  routes: Routes,
  deps: Deps & { summaries: ReadonlyMap<string, string>; permissions: Permissions },
  { origin, login, operator }: AppSettings,
): void {
  mount(routes, { ...deps, origin, login }, administratorOperations)
  mount(routes, deps, credentialOperations)
  mount(routes, deps, platformOperations)
  mount(routes, deps, benefitProviderOperations)
  mount(routes, deps, sponsorOperations)
  mount(routes, deps, benefitOperations({ isInUse: usesBenefit }))
  mount(routes, deps, userOperations({ linked: LINKED_TO_USER, holdersOf: holdersOfPolicy }))
  mount(routes, deps, onboardingOperations)
  mount(routes, deps, dependantOperations(LINKED_TO_DEPENDANT))
  mount(routes, deps, policyOperations({ findPersons, findColleagues }))
  mount(routes, deps, timelineOperations)
  mount(routes, deps, coverageOperations)
  mount(routes, deps, nextActionOperations)
  mount(routes, deps, endorsementOperations)
  mount(routes, { ...deps, origin }, documentOperations)
  mount(routes, deps, accountOperations)
  mount(routes, deps, accountProviderOperations)
  mount(routes, deps, consultationOperations)
  mount(routes, { ...deps, operator }, userWalletOperations)
  mount(routes, deps, oneTimeCodeOperations)
  mount(routes, deps, bookingOperations)
  mount(routes, deps, depositOperations)
  mount(routes, deps, eventOperations)
  mount(routes, deps, auditOperations)
  mount(routes, deps, statisticsOperations)
  mount(routes, deps, stateMachineOperations)
  mount(routes, deps, permissionOperations)
  mount(routes, deps, webhookOperations)
  mount(routes, deps, importOperations)
  mount(routes, deps, comparisonOperations)
  mount(routes, deps, noticeOperations)
  mount(routes, deps, consentOperations)
  mount(routes, deps, consentRulesOperations)
  mount(routes, deps, rightsRequestOperations)
  mount(routes, { ...deps, ...erasureDeps(deps), origin }, personalDataOperations)
}

function mountWallet(routes: Routes, deps: Deps, { walletTokens, operator, metrics, log }: AppSettings): void {
  const { db, vault, clock } = deps
  const families = createRefreshFamilies(db, { vault, tokens: walletTokens, clock })
  mount(routes, { ...deps, families }, walletSessionOperations)
  mount(routes, { ...deps, operator, reportContradiction: contradictionReporter({ metrics, log }) }, walletOperations)
  mount(routes, deps, transactionOperations)
}
