import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after } from 'node:test'
import type { Administrator } from '../../src/access/caller.ts'
import type { RateLimits } from '../../src/access/rate-limits.ts'
import type { Tokens } from '../../src/access/tokens.ts'
import { buildApp } from '../../src/app.ts'
import type { Deps } from '../../src/deps.ts'
import { provisionWallet } from '../../src/domains/money/wallets/provision-wallet.ts'
import { type Database, connectDatabase } from '../../src/kernel/db/database.ts'
import type { App } from '../../src/kernel/http/server.ts'
import { startQueue, type Queue } from '../../src/kernel/jobs/queue.ts'
import type { Log } from '../../src/kernel/log.ts'
import { createOutbox, type StartedJob } from '../../src/record/relay.ts'
import { recorded } from './cluster.ts'
import type { openContract } from './contract.ts'
import { type DatabaseServer, TIMEOUT_FACTOR } from './database.ts'
import { type Existing, type Installation, LIMITS, openInstallation } from './installation.ts'
import { closeAtEnd, isProcessShared } from './process-end.ts'

export { DEFAULT_LIMITS, LIMITS, ORIGIN } from './installation.ts'

// biome-ignore lint: a test reads what it asked for, and the contract check has looked at it already
export type Body = any // oxlint-disable-line typescript/no-explicit-any

/** `body` is set when the response is JSON, `bytes` always. */
export type TestResponse = {
  status: number
  body: Body
  headers: Record<string, string | undefined>
  text: string
  bytes: Buffer
}

type Call = {
  token?: string
  adminKey?: string
  body?: unknown
  headers?: Record<string, string>
  /** The caller's IP address. */
  remoteAddress?: string
}

export type TestApp = Awaited<ReturnType<typeof openTestApp>>

type Opening = {
  /**
   * True for a file that needs a database or an app to itself: it changes tables or limits, runs a worker, listens, or
   * counts existing records. Others share one with the files of their process; they live on platforms of their own.
   */
  own?: boolean
  /** The database's location; by default the server of the run. */
  server?: DatabaseServer
  /** The factor of the database's time limits: 1, as in production, for a file that is about them. */
  timeoutFactor?: number
  /** An installation to open instead of a new one. */
  existing?: Existing
}

let shared: Promise<Installation> | undefined

async function openShared(): Promise<Installation> {
  const opened = await openInstallation()
  closeAtEnd(opened.close)
  return opened
}

/** The production app with clocks that can be set. Everything a file opens is closed when the file's tests are done. */
export async function openTestApp({ own = false, server, timeoutFactor = TIMEOUT_FACTOR, existing }: Opening = {}) {
  const isOwn = own || !isProcessShared()
  const opening = isOwn ? openInstallation({ server, timeoutFactor }, existing) : (shared ??= openShared())
  const queues: Queue[] = []
  const nodes: (() => Promise<unknown>)[] = []
  // Registered before anything is awaited: after an await the hook would belong to another file.
  after(async () => {
    const { calendar, clock, close } = await opening
    clock.at = calendar.at = undefined // as the next file expects them
    for (const closeNode of nodes) await closeNode()
    for (const queue of queues) await queue.stop()
    if (isOwn) await close()
  })
  const installation = await opening
  const { app, calendar, checkContract, clock, database, deps, log, metrics, settings } = installation
  const { tokens } = deps
  const { walletTokens } = settings
  const outbox = createOutbox(database.db)
  const started: StartedJob[] = []
  const call = caller(app, checkContract)

  /** Returns every job that the events until now start, in order; nothing runs them. */
  async function startedJobs(name: string): Promise<Record<string, unknown>[]> {
    while (await outbox.handOver(async (jobs) => void started.push(...jobs)));
    return started.filter(({ job }) => job === name).map(({ data }) => data)
  }

  /** The queue of this database, as a worker has it. */
  async function openOwnQueue(settings: { monitor_s?: number; log?: Log } = {}): Promise<Queue> {
    const queue = await startQueue({ url: database.appUrl, log, metrics, ...settings })
    queues.push(queue)
    return queue
  }

  /**
   * Another process of the installation on the same database: over its own connection path, or with statements watched.
   */
  async function openNode({
    url = database.appUrl,
    sharing = database.db.sharing,
    poolSize = 8,
    statementsPerCaller = 100,
    watched = (db: Database) => db,
    limits = LIMITS,
    requirePurpose = false,
    reads = settings.audit.reads,
    erasure = deps.erasure,
    vault = deps.vault,
    tokens = deps.tokens,
    walletTokens = settings.walletTokens,
    cards = deps.cards,
    uses = deps.uses,
    clock: ownClock = deps.clock,
    log: ownLog = log,
    rates = (_db: Database): RateLimits => deps.rates,
    isOutdated = (): boolean => false,
  } = {}) {
    const db = watched(
      recorded(
        connectDatabase({ url, poolSize, statementsPerCaller, sharing, timeoutFactor, onLostConnection: () => {} }),
      ),
    )
    const node = await buildApp(
      { ...deps, clock: ownClock, db, vault, tokens, cards, limits, uses, erasure, rates: rates(db) },
      { ...settings, walletTokens, log: ownLog, isOutdated, audit: { reads, requirePurpose } },
    )
    nodes.push(async () => {
      await node.close()
      await db.close()
    })
    return { db, app: node, tokens, call: caller(node, checkContract) }
  }

  /**
   * More processes of this installation, as far as connections and queues go: calls to different ones do not wait for
   * each other, and only the database decides their order. They are connected and have responded once.
   */
  const openNodes = (count: number): Promise<CallFunction[]> => {
    const open = async () => {
      const node = await openNode({ poolSize: 2 })
      await node.call('GET', '/v1/platforms', { token: administratorToken(tokens, 'viewer') })
      return node.call
    }
    return Promise.all(Array.from({ length: count }, open))
  }

  return {
    app,
    call,
    calendar,
    clock,
    deps,
    keys: installation.keys,
    log,
    metrics,
    audit: settings.audit,
    openNode,
    openNodes,
    startQueue: openOwnQueue,
    startedJobs,
    storageFolder: installation.storageFolder,
    walletTokens,
    ...database,
    get owner() {
      return administratorToken(tokens, 'owner')
    },
    get operator() {
      return administratorToken(tokens, 'operator')
    },
    get viewer() {
      return administratorToken(tokens, 'viewer')
    },
    ...(await scenes(call, installation)),
    ...walletScenes({ call, deps, walletTokens }),
  }
}

export type CallFunction = (method: string, url: string, call?: Call) => Promise<TestResponse>

/** Sends a request as a partner would and checks the response against the OpenAPI document. */
function caller(app: App, checkContract: ReturnType<typeof openContract>): CallFunction {
  return async (method, url, { token, adminKey, body, headers = {}, remoteAddress } = {}) => {
    const injected = await app.inject({
      ...(remoteAddress !== undefined && { remoteAddress }),
      method: method as 'GET',
      url,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(adminKey !== undefined && { 'admin-api-key': adminKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    })
    const isJson = /json/.test(String(injected.headers['content-type']))
    const response = {
      status: injected.statusCode,
      body: isJson && injected.body !== '' ? injected.json() : undefined,
      headers: injected.headers as TestResponse['headers'],
      text: injected.body,
      bytes: injected.rawPayload,
    }
    checkContract(method, url, response)
    return response
  }
}

/** Issued anew for each use: a test can set the clock back, and a token of later is refused. */
const administratorToken = (tokens: Tokens, role: Administrator) =>
  tokens.issueToAdministrator({ role, subject: `test-${role}` }).token

export type TestPlatform = { id: string; token: string; credentialId: string; basicToken: string }
export type TestProvider = TestPlatform & { code: string }
export type TestUser = { id: string; token: string; phone: string }

export const ADDRESS = {
  line1: '12 MG Road',
  city: 'Bengaluru',
  state: 'Karnataka',
  country: 'India',
  pincode: '560001',
}

export const ONBOARDING = {
  title: 'MS',
  first_name: 'Asha',
  last_name: 'Example',
  dob: '1990-05-17',
  gender: 'FEMALE',
  email: 'asha@example.com',
  address: 'Flat 4, Lake View, Pune 411001',
  bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
}

const money = (value: number) => ({ currency: 'INR', value })

export const PLAN = {
  plan_code: 'FAMILY_5L',
  term_months: 12,
  premium_amounts: { annual: money(12_045), daily: money(33), sponsor_contribution: money(6_022.5) },
}

/** The tokens of an offer are used for as long, by the installation's clock. */
const MOMENT_MS = 60_000

/** A benefit of a provider, for the users of a platform. */
export type Offer = { platform: TestPlatform; provider: TestProvider; benefit: string }

/**
 * The steps that lead to a scene, each through the API itself. Everything but an offer is new each time, so tests do not affect
 * each other.
 */
async function scenes(call: CallFunction, { deps: { clock, tokens }, calendar }: Installation) {
  const offers = new Map<string, { at_ms: number; offer: Promise<Offer> }>()
  const owner = () => tokens.issueToAdministrator({ role: 'owner', subject: 'test-scenes' }).token

  async function made(method: string, url: string, options: Call): Promise<Body> {
    const response = await call(method, url, options)
    assert(response.status < 300, `${method} ${url} returned ${response.status}: ${response.text}`)
    return response.body
  }

  async function tokenFor(basicToken: string): Promise<string> {
    const body = { grant_type: 'client_credentials' }
    return (await made('POST', '/v1/oauth/token', { headers: { authorization: `Basic ${basicToken}` }, body }))
      .access_token
  }

  async function credentialFor(path: string) {
    const { basic_token: basicToken, credential_id: credentialId } = await made('POST', `${path}/credentials`, {
      token: owner(),
    })
    return { token: await tokenFor(basicToken), credentialId: credentialId as string, basicToken: basicToken as string }
  }

  async function platform(input: object = {}): Promise<TestPlatform> {
    const { id } = await made('POST', '/v1/platforms', { token: owner(), body: { name: 'Acme Benefits', ...input } })
    return { id, ...(await credentialFor(`/v1/platforms/${id}`)) }
  }

  async function provider(): Promise<TestProvider> {
    const code = `PROVIDER_${randomInt(1e9)}`
    const { id } = await made('POST', '/v1/benefit_providers', {
      token: owner(),
      body: { name: 'Suraksha General', code },
    })
    return { id, code, ...(await credentialFor(`/v1/benefit_providers/${id}`)) }
  }

  async function user(of: TestPlatform, input: object = {}): Promise<TestUser> {
    const phone = String(randomInt(1e9, 1e10))
    const body = { phone_country_code: '+91', phone_number: phone, ...input }
    const { user_id: id, access_token: token } = await made('POST', '/v1/auth/token', { token: of.token, body })
    return { id, token, phone }
  }

  async function onboardedUser(of: TestPlatform): Promise<TestUser> {
    const made_ = await user(of)
    await made('POST', `/v1/users/${made_.id}/complete_onboarding`, { token: of.token, body: ONBOARDING })
    return made_
  }

  async function dependants(of: TestUser, names = ['Ravi']): Promise<string[]> {
    const list = names.map((first_name) => ({ first_name, last_name: 'Example', date_of_birth: '2015-08-02' }))
    const { data } = await made('POST', `/v1/users/${of.id}/dependants/bulk`, {
      token: of.token,
      body: { dependants: list },
    })
    return data.map((dependant: { id: string }) => dependant.id)
  }

  async function sponsor(of: TestPlatform): Promise<string> {
    const body = {
      name: 'Banyan Textiles',
      pan: 'AAACB1234C',
      address: ADDRESS,
      sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
    }
    const { id } = await made('POST', '/v1/sponsors', { token: of.token, body })
    await made('PUT', `/v1/sponsors/${id}/status`, { token: owner(), body: { status: 'ACTIVE' } })
    return id
  }

  async function benefit(of: TestPlatform, from: TestProvider, plans: object[] = [PLAN]): Promise<string> {
    const body = { name: 'Family health cover', benefit_provider_id: from.id, sponsor_id: await sponsor(of), plans }
    return (await made('POST', '/v1/benefits', { token: owner(), body })).id
  }

  /**
   * One for all tests of the file that ask for these plans, which is eight requests less for a test that only adds users. A test that
   * changes or counts what is here has its own.
   */
  function offer(plans: object[] = [PLAN]): Promise<Offer> {
    const [asked, at_ms] = [JSON.stringify(plans), clock.now().getTime()]
    const found = offers.get(asked)
    if (found && Math.abs(found.at_ms - at_ms) < MOMENT_MS) return found.offer
    const made_ = found ? found.offer.then(withNewTokens) : makeOffer(plans)
    offers.set(asked, { at_ms, offer: made_ })
    return made_
  }

  async function makeOffer(plans: object[]): Promise<Offer> {
    const [of, from] = [await platform(), await provider()]
    return { platform: of, provider: from, benefit: await benefit(of, from, plans) }
  }

  const withNewTokens = async ({ platform: of, provider: from, benefit: id }: Offer): Promise<Offer> => ({
    platform: { ...of, token: await tokenFor(of.basicToken) },
    provider: { ...from, token: await tokenFor(from.basicToken) },
    benefit: id,
  })

  /** Enrols on the first day of the term, so that it may be long ago or far ahead. */
  async function policy(of: TestPlatform, holder: TestUser, benefitId: string, input: object = {}): Promise<string> {
    const body = {
      benefit_id: benefitId,
      plan_code: PLAN.plan_code,
      start_date: '2026-04-01',
      dependant_ids: [],
      ...input,
    }
    const enrol = () => made('POST', `/v1/users/${holder.id}/insurance_policies`, { token: of.token, body })
    return (await calendar.on(body.start_date, enrol)).id
  }

  async function consultation(of: TestPlatform, holder: TestUser, from: TestProvider): Promise<string> {
    const body = { benefit_provider_id: from.id }
    return (await made('POST', `/v1/users/${holder.id}/consultations`, { token: of.token, body })).id
  }

  return { made, platform, provider, user, onboardedUser, dependants, sponsor, benefit, offer, policy, consultation }
}

type WalletSceneContext = { call: CallFunction; deps: Deps; walletTokens: Tokens }
export type TestWallet = { id: string; userId: string; token: string }

/** Wallets without sign-in and provisioning, which have tests of their own. */
function walletScenes({ call, deps, walletTokens }: WalletSceneContext) {
  /** Returns a wallet access token as the OTP sign-in does. */
  async function walletToken(of: { id: string }, holder: { id: string }): Promise<string> {
    const user = { userId: holder.id, platformId: of.id, epoch: 1, sessionId: 'ses_test' }
    return walletTokens.issueToWalletUser(user).token
  }

  /** Creates a provisioned wallet in the given status. */
  type Status = 'ACTIVE' | 'BLOCKED'
  async function wallet(of: { id: string }, holder: { id: string }, status: Status = 'ACTIVE'): Promise<TestWallet> {
    const token = await walletToken(of, holder)
    const made = await call('POST', '/wallet/v1/wallet', { token })
    assert.equal(made.status, 201, made.text)
    const operator = {
      createWallet: async () => ({ outcome: 'held' as const, wallet: { status, sequence: 1 } }),
      findWallet: async () => undefined,
      isCircuitOpen: () => false,
      isHalfOpen: () => false,
    }
    await provisionWallet({ ...deps, operator, callbackUrl: 'http://operator.test' }, holder.id)
    return { id: made.body.partner_wallet_id, userId: holder.id, token }
  }

  return { walletToken, wallet }
}
