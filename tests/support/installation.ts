import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCardTokens } from '../../src/access/card-tokens.ts'
import type { ErasureSettings } from '../../src/settings/read-erasure.ts'
import type { ParsedKeys } from '../../src/settings/keys.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { splitDays } from '../../src/kernel/settings/setting.ts'
import { readDeadlines } from '../../src/settings/read-deadlines.ts'
import { type Limits, readLimits } from '../../src/settings/read-limits.ts'
import { LIMIT_SETTINGS } from '../../src/settings/limit-settings.ts'
import { createRateLimits } from '../../src/access/rate-limits.ts'
import { createRevocations } from '../../src/access/revocations.ts'
import { createWalletLimits } from '../../src/access/wallet-limits.ts'
import { findGiven, findSelfGiven } from '../../src/domains/privacy/consents/index.ts'
import { createConsentRules } from '../../src/access/consent-rules.ts'
import { createWebOrigins } from '../../src/access/web-origins.ts'
import { createTokens } from '../../src/access/tokens.ts'
import type { AppSettings } from '../../src/app.ts'
import type { Deps } from '../../src/record/index.ts'
import { createCardChecks } from '../../src/domains/cover/documents/index.ts'
import { createCredentialUses } from '../../src/domains/partners/credentials/index.ts'
import { createVault } from '../../src/kernel/crypto/vault.ts'
import { createLog } from '../../src/kernel/log.ts'
import { createMetrics } from '../../src/kernel/metrics.ts'
import { createPdfInspector } from '../../src/kernel/pdf-inspection/inspector.ts'
import { createTypesetter } from '../../src/kernel/pdf/typesetter.ts'
import { createFolderStorage } from '../../src/kernel/storage/folder-storage.ts'
import { createReadLog } from '../../src/record/read-log.ts'
import { watchUnreadable } from '../../src/kernel/crypto/sealed-column.ts'
import type { CallFunction } from './call.ts'
import { createContractCheck } from './contract.ts'
import { cloneDatabase, type TestDatabase } from './database.ts'
import { buildTestApp } from './inject.ts'
import { testKeys } from './keys.ts'
import { operatorInTests } from './operator.ts'
import { TARGETS } from './receiver.ts'

/** The policies' clock unless a test sets one: a day in the term of those that `policy` enrols. */
const IN_FORCE = new Date('2026-06-15T06:30:00Z')

export const ORIGIN = 'http://banyan.test'
/** Documents take longer on a busy machine. */
export const UNHURRIED = { waitingLimit_ms: 120_000, timeLimit_ms: 120_000 }

const TEMPLATES = fileURLToPath(new URL('../../templates', import.meta.url))

/** The defaults of an installation. */
export const DEFAULT_LIMITS = readLimits({ integer: (name) => Number(LIMIT_SETTINGS[name].fallback) })

export const DEADLINES = readDeadlines({ days: (name) => splitDays(LIMIT_SETTINGS[name].fallback) ?? [] })

/** Limits that tests about something else never reach, however fast they are. */
export const LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  databaseWait_ms: 60_000,
  platformRate: 1e6,
  providerRate: 1e6,
  userRate: 1e6,
  tokenFailures: 1e6,
  unknownCredentials: 1e6,
  tokens: 1e6,
  signIns: 1e6,
  tokenRequests: 1e6,
  operatorEvents: 1e6,
  refreshes: 1e6,
  cardChecks: 1e6,
  logins: 1e6,
  pages: 1e6,
  searches: 1e6,
  exports: 1e6,
}

/** The default retention, under a law of its own. */
export const ERASURE: ErasureSettings = {
  noticeHours: 0,
  holdDays: 0,
  holdKey: null,
  terms: { ledger: { years: 8, law: 'Some Act' }, policies: { years: 8, law: 'Some Act' } },
}

export type Installation = Awaited<ReturnType<typeof openInstallation>>

let contract: ReturnType<typeof createContractCheck> | undefined

/** The secrets that a process derives from its keys. */
export const partsWith = (keys: Pick<ParsedKeys, 'signingKeys' | 'masterKeys' | 'hashKeys'>, clock: Clock) => ({
  vault: createVault(keys),
  tokens: createTokens({ keys: keys.signingKeys, issuer: ORIGIN, audience: `${ORIGIN}/v1`, clock }),
  walletTokens: createTokens({ keys: keys.signingKeys, issuer: ORIGIN, audience: `${ORIGIN}/wallet/v1`, clock }),
  cards: createCardTokens({ keys: keys.signingKeys }),
})

type Cloning = Parameters<typeof cloneDatabase>[0]

/** An installation that exists already. */
export type Existing = { database: TestDatabase; keys: ParsedKeys; storageFolder: string }

async function newInstallation(cloning: Cloning): Promise<Existing> {
  const storageFolder = await mkdtemp(join(tmpdir(), 'banyan-files-'))
  return { database: await cloneDatabase(cloning), keys: testKeys(), storageFolder }
}

/** The production app on a database of its own, or on an existing one, with clocks that can be set. */
export async function openInstallation(cloning: Cloning = {}, existing?: Existing) {
  const { database, keys, storageFolder } = existing ?? (await newInstallation(cloning))
  const clock = { at: undefined as Date | undefined, now: () => clock.at ?? new Date() }
  const asOf = new AsyncLocalStorage<Date>()
  const calendar = {
    at: undefined as Date | undefined,
    now: () => asOf.getStore() ?? calendar.at ?? clock.at ?? IN_FORCE,
    /** Runs work on another day; what runs alongside it keeps its own. */
    on: <T>(day: string, work: () => T): T => asOf.run(new Date(`${day}T12:00:00+05:30`), work),
  }
  const log = createLog(process.env['TEST_LOG'] ?? 'error') // says why a response is a 500
  const metrics = createMetrics()
  const unreadableLog = createLog('silent') // tests spoil many values
  const stopWatching = watchUnreadable({ log: unreadableLog, metrics })
  const { walletTokens, ...keyed } = partsWith(keys, clock)
  const deps: Deps = {
    production: true,
    db: database.db,
    ...keyed,
    clock,
    calendar,
    consentRules: createConsentRules(database.db, { findGiven, findSelfGiven }), // read when a test asks for it
    limits: LIMITS,
    deadlines: DEADLINES,
    rates: createRateLimits(database.db, LIMITS),
    uses: createCredentialUses(database.db, clock),
    walletLimits: createWalletLimits(database.db), // read when a test asks for it
    erasure: ERASURE,
    targets: TARGETS,
    storage: await createFolderStorage({ folder: storageFolder }),
    typesetter: createTypesetter({ templates: TEMPLATES, ...UNHURRIED }),
    inspector: createPdfInspector(),
  }
  const revocations = createRevocations(database.db, log)
  await revocations.start()
  const webOrigins = createWebOrigins(database.db) // read when a test asks for it
  const settings: AppSettings = {
    origin: ORIGIN,
    version: '0.0.0',
    walletTokens,
    operator: operatorInTests(clock),
    login: null,
    trustedProxies: 0,
    adminApiKeys: keys.adminApiKeys,
    revocations,
    webOrigins,
    cardChecks: createCardChecks(database.db, clock, { pendingMax: Infinity }),
    // Without a limit, because nothing writes them unless a test does.
    audit: { reads: createReadLog(database.db, { pendingMax: Infinity }), requirePurpose: false },
    log,
    metrics,
    readinessKept_ms: 0, // tests break what it looks at
  }
  const app = buildTestApp(deps, settings)
  contract ??= createContractCheck(app.document()) // one code, one document
  const nodes: { call: CallFunction; close: () => Promise<unknown> }[] = []
  const close = async () => {
    stopWatching()
    for (const node of nodes) await node.close()
    await app.close()
    await revocations.stop()
    await deps.typesetter.stop()
    await deps.inspector.stop()
    await database.close()
    await rm(storageFolder, { recursive: true })
  }
  return {
    app,
    calendar,
    checkContract: contract,
    clock,
    close,
    database,
    deps,
    keys,
    log,
    metrics,
    /** Its other processes, which its files share. */
    nodes,
    settings,
    storageFolder,
    unreadableLog,
  }
}
