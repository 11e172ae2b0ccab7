import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { installAccess } from './access/authenticate.ts'
import type { AdminKey } from './settings/keys.ts'
import type { Revocations } from './access/revocations.ts'
import { notesOf, SECURITY_SCHEMES } from './access/matrix.ts'
import { createRefreshFamilies } from './access/refresh-families.ts'
import type { Tokens } from './access/tokens.ts'
import { wellKnownRoutes } from './access/well-known.ts'
import { BASE_PATH, WALLET_BASE_PATH } from './settings/config.ts'
import { accountProviderOperations } from './domains/partners/account-providers/index.ts'
import { accountOperations } from './domains/money/accounts/index.ts'
import { stateMachineOperations } from './domains/administration/state-machines/index.ts'
import { administratorOperations, type Login } from './domains/administration/administrators/index.ts'
import { statisticsOperations } from './domains/administration/statistics/index.ts'
import { auditOperations } from './domains/administration/audit/index.ts'
import { benefitProviderOperations } from './domains/partners/benefit-providers/index.ts'
import { benefitOperations } from './domains/partners/benefits/index.ts'
import { consultationOperations } from './domains/care/consultations/index.ts'
import { credentialOperations } from './domains/partners/credentials/index.ts'
import { dependantOperations } from './domains/people/dependants/index.ts'
import { cardCheckRoutes, documentOperations } from './domains/cover/documents/index.ts'
import { bookingOperations, transactionOperations } from './domains/money/ledger/index.ts'
import { eventDocumentRoutes, eventOperations, STATES } from './domains/integration/events/index.ts'
import { FIELD_DESCRIPTIONS } from './domains/field-words.ts'
import { HEADER_WORDS } from './domains/header-words.ts'
import { WORDS_OF_PROBLEMS } from './domains/problem-words.ts'
import { onboardingOperations } from './domains/money/onboarding/index.ts'
import { personalDataOperations } from './domains/privacy/personal-data/index.ts'
import { platformOperations } from './domains/partners/platforms/index.ts'
import { holdersOfPolicy, policyOperations, usesBenefit } from './domains/cover/policies/index.ts'
import { LINKED_TO_DEPENDANT, LINKED_TO_USER } from './domains/cover/policy-propagation/index.ts'
import { timelineOperations } from './domains/cover/policy-timeline/index.ts'
import { sponsorOperations } from './domains/partners/sponsors/index.ts'
import { userOperations } from './domains/people/users/index.ts'
import { oneTimeCodeOperations, walletSessionOperations } from './domains/money/wallet-sessions/index.ts'
import { type OperatorEvents, userWalletOperations, walletOperations } from './domains/money/wallets/index.ts'
import { OPENAPI_WEBHOOKS, webhookOperations } from './domains/integration/webhooks/index.ts'
import { erasureDeps } from './stored/erase.ts'
import { serveHandbook } from './kernel/handbook/serve-handbook.ts'
import { frontDoorRoute } from './kernel/http/front-door.ts'
import { serveBuiltPages } from './kernel/http/built-pages.ts'
import { healthRoutes } from './kernel/http/health.ts'
import { watchMethods } from './kernel/http/methods.ts'
import { installOpenApi, serveOpenApi } from './kernel/http/openapi.ts'
import { PROBLEMS_PATH } from './kernel/http/problems.ts'
import { type App, createServer } from './kernel/http/server.ts'
import type { Log } from './kernel/log.ts'
import { programFile } from './kernel/program-files.ts'
import { type Deps, installKeyErrors, mount } from './record/index.ts'
import { type AuditSettings, installAudit, readNoter } from './record/read-log.ts'
import { findReadiness } from './record/readiness.ts'
import type { Metrics } from './kernel/metrics.ts'
import type { ProcessCount } from './kernel/processes/messages.ts'

export type AppSettings = {
  origin: string
  version: string
  trustedProxies: number
  adminApiKeys: AdminKey[]
  walletTokens: Tokens
  operatorEvents: OperatorEvents
  /** The administrators' login; null where it is not configured. */
  login: Login | null
  revocations: Revocations
  audit: AuditSettings
  log: Log
  metrics: Metrics
  /** Returns true when the database is for later versions of the program only. */
  isOutdated?: () => boolean
  /** The number of API processes, when there are several. */
  processes?: () => ProcessCount
  /** Outside production, for the dashboard. */
  sandboxUrl?: string | undefined
}

const DESCRIPTION = `Backend of a benefits platform: people, dependants, insurance policies, accounts, consultations and wallets.

Errors are RFC 9457 problems; their codes are explained at [/docs/errors](/docs/errors). Lists are paged by \`limit\` and
\`offset\`. Unknown query parameters are rejected; unknown members of a body are ignored unless \`Prefer: handling=strict\`
is sent. Single records have an \`ETag\`; \`If-None-Match\` and \`If-Match\` are supported.

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
  { name: 'Insurance policy documents', description: 'Certificates, health cards and other documents' },
  { name: 'Accounts', description: 'Purpose-bound accounts' },
  { name: 'Consultations', description: 'Conversations between users and benefit providers' },
  { name: 'Wallet sessions', description: 'One-time codes and token pairs' },
  { name: 'Wallet', description: 'Wallets, their provisioning and bookings' },
  { name: 'Statistics', description: 'Counts by state' },
  { name: 'State machines', description: 'States of records and the transitions between them' },
  { name: 'Audit', description: 'Records of who read or changed data' },
  {
    name: 'Events',
    description: 'Events of the last 30 days; every type is described at [/docs/events](/docs/events)',
  },
  { name: 'Webhooks', description: 'Endpoints that receive events, and their deliveries' },
  { name: 'Personal data', description: 'Export and erasure of the data of a person' },
  { name: 'Platforms', description: 'Partner companies' },
  { name: 'Account providers', description: 'Banks that hold the accounts' },
  { name: 'Administrators', description: 'Administrators of this installation, their login and sessions' },
]

/** Pages of the handbook with a second URL: problems and the description of events point to these. */
const ALIASES = { [PROBLEMS_PATH]: 'docs/reference/errors.md', '/docs/events': 'docs/reference/events.md' }

const page = (filename: string) => ({ filename, content: readFileSync(programFile(`pages/${filename}`), 'utf8') })

/** Shows the session of an administrator on `/docs/try`. */
const SESSION_BAR = { js: [page('session.js')], css: [page('session.css')] }

const DASHBOARD = {
  path: '/dashboard',
  folder: pathToFileURL(programFile('dashboard/dist/')),
  build: 'npm run build --workspace dashboard',
}

/** Builds the whole HTTP side, the same for production and tests: kernel, access, then the explicit list of domains. */
export async function buildApp(deps: Deps, settings: AppSettings): Promise<App> {
  const { origin, version, log, metrics, trustedProxies, isOutdated = () => false } = settings
  const config = { access: 'anyone' as const }
  const isTooLong = (wait_ms: number) => wait_ms > deps.limits.databaseWait_ms
  const isUnavailable = () => isOutdated() || isTooLong(deps.db.waiting.oldest_ms())
  const isOverloadedBy = (caller: string) => isTooLong(deps.db.callerWait_ms(caller))
  const { clock } = deps
  const noteRead = readNoter(clock, settings.audit.reads)
  const app = createServer({ origin, log, metrics, trustedProxies, clock, isUnavailable, onBrokenOff: noteRead })
  const addMissingMethods = watchMethods(app)
  const { walletTokens, revocations, adminApiKeys } = settings
  installAccess(app, { ...deps, walletTokens, revocations, adminApiKeys, isOverloadedBy })
  installKeyErrors(app)
  const summaries = installAudit(app, noteRead, settings.audit)
  await installOpenApi(app, {
    origin,
    version,
    description: DESCRIPTION,
    tags: TAGS,
    securitySchemes: SECURITY_SCHEMES,
    notesOf,
    words: { ...HEADER_WORDS, fields: FIELD_DESCRIPTIONS, problems: WORDS_OF_PROBLEMS },
    states: STATES,
    webhooks: OPENAPI_WEBHOOKS,
  })

  await app.register(async (scope) => mountDomains(scope as App, { ...deps, summaries }, settings), {
    prefix: BASE_PATH,
  })
  await app.register(async (scope) => mountWallet(scope as App, deps, settings), { prefix: WALLET_BASE_PATH })

  healthRoutes(app, () => findReadiness(deps.db, settings.processes?.()), config)
  wellKnownRoutes(app, { tokens: deps.tokens, origin })
  cardCheckRoutes(app, deps)
  await serveOpenApi(app, config, settings.login ? SESSION_BAR : {})
  const searchConfig = { ...config, limit: 'searches' as const }
  serveHandbook(app, { origin, version, aliases: ALIASES, config, searchConfig })
  serveBuiltPages(app, { ...DASHBOARD, origin: settings.sandboxUrl }, config)
  frontDoorRoute(app, { version, config })
  eventDocumentRoutes(app, { origin, version })
  addMissingMethods(config)
  await app.ready()
  return app
}

async function mountDomains(
  app: App,
  deps: Deps & { summaries: ReadonlyMap<string, string> },
  { origin, login }: AppSettings,
): Promise<void> {
  await mount(app, { ...deps, origin, login }, administratorOperations)
  await mount(app, deps, credentialOperations)
  await mount(app, deps, platformOperations)
  await mount(app, deps, benefitProviderOperations)
  await mount(app, deps, sponsorOperations)
  await mount(app, deps, benefitOperations({ isInUse: usesBenefit }))
  await mount(app, deps, userOperations({ linked: LINKED_TO_USER, holdersOf: holdersOfPolicy }))
  await mount(app, deps, onboardingOperations)
  await mount(app, deps, dependantOperations(LINKED_TO_DEPENDANT))
  await mount(app, deps, policyOperations)
  await mount(app, deps, timelineOperations)
  await mount(app, { ...deps, origin }, documentOperations)
  await mount(app, deps, accountOperations)
  await mount(app, deps, accountProviderOperations)
  await mount(app, deps, consultationOperations)
  await mount(app, deps, userWalletOperations)
  await mount(app, deps, oneTimeCodeOperations)
  await mount(app, deps, bookingOperations)
  await mount(app, deps, eventOperations)
  await mount(app, deps, auditOperations)
  await mount(app, deps, statisticsOperations)
  await mount(app, deps, stateMachineOperations)
  await mount(app, deps, webhookOperations)
  await mount(app, { ...deps, ...erasureDeps(deps), origin }, personalDataOperations)
}

async function mountWallet(app: App, deps: Deps, { walletTokens, operatorEvents }: AppSettings): Promise<void> {
  const { db, vault, clock } = deps
  const families = createRefreshFamilies(db, { vault, tokens: walletTokens, clock })
  await mount(app, { ...deps, families }, walletSessionOperations)
  await mount(app, { ...deps, operatorEvents }, walletOperations)
  await mount(app, deps, transactionOperations)
}
