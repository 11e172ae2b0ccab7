import type { Clock } from '../kernel/clock.ts'
import { sameSecret } from '../kernel/crypto/secrets.ts'
import type { Vault } from '../kernel/crypto/vault.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { withCaller } from '../kernel/current-caller.ts'
import type { Exchange, Request, Route } from '../kernel/http/exchange.ts'
import type { PeriodicTask } from '../kernel/jobs/periodic.ts'
import { forbidden, ProblemError, unavailable } from '../kernel/problem-error.ts'
import { isUsedBy, noSession, sessionSecretIn, useSession } from './administrator-sessions.ts'
import { admitCounted, bodyCost, countEntries, countUnannouncedBody } from './body-cost.ts'
import type { Caller } from './caller.ts'
import { allows } from './ip-allow-list.ts'
import { allowPage, checkCallerOfPage, checkSecretOfPage, createPageStep, isPreflight } from './cross-origin.ts'
import type { AdminKey } from '../settings/keys.ts'
import { nameCaller, noteRejection } from './logged-caller.ts'
import { type AccessRow, type AccessRule, findLimit } from './matrix.ts'
import { listCallers, mayCall, wrongCaller } from './permissions.ts'
import type { RateLimits } from './rate-limits.ts'
import type { Revocations } from './revocations.ts'
import { checkSameOrigin } from './same-origin.ts'
import { invalidToken, type Tokens } from './tokens.ts'
import type { WebOrigins } from './web-origins.ts'

declare module '../kernel/http/exchange.ts' {
  interface Request {
    caller: Caller
    /** Whose record the path leads to, where it does not name the user itself; the audit says whose data were read. */
    ownerId?: string
    /** Throws 401 when the caller's token has been revoked since the request began: a body can take long to arrive. */
    checkNotRevoked: () => void
  }
}

export type CredentialUses = {
  /** Records a use of a valid credential, or of an access token issued for it. */
  note: (credentialId: string) => void
  write: () => Promise<void>
  writingTask: PeriodicTask
}

type AccessSettings = {
  db: Queryable
  clock: Clock
  tokens: Tokens
  walletTokens: Tokens
  revocations: Revocations
  /** The origin of our own pages. */
  origin: string
  webOrigins: WebOrigins
  rates: RateLimits
  uses: CredentialUses
  vault: Vault
  adminApiKeys: AdminKey[]
  /** Returns true while new requests of a caller would be served too late. */
  isOverloadedBy: (caller: string) => boolean
}

/** Verified by the operation itself, because a header alone is not enough: until then anyone can be the caller. */
const VERIFIED_BY_HANDLER = new Set<AccessRow['credential']>(['basic', 'signature', 'none'])

/** Secrets of partners and administrators that are no tokens. */
const SECRETS = new Set<AccessRow['credential']>(['basic', 'admin_key'])

/** Maximum size of a body that is read before its sender is known; real ones have less than 1 KiB. */
const ANONYMOUS_BODY_BYTES_MAX = 4 * 1_024

const WRONG_NETWORK = 'The credential of this access token may not be used from this IP address. See its ip_allow_list.'

const ANYONE: Caller = { kind: 'anyone' }

export type Access = ReturnType<typeof createAccess>

/** Creates the steps that authenticate a caller, hold it to the role matrix and to the limits of its requests and bodies. */
export function createAccess(settings: AccessSettings) {
  const { tokens, walletTokens, revocations, rates, uses, vault, adminApiKeys } = settings

  /** Finds out who calls, and whether they may. Throws 401, 403 or 429. A promise only where the database has to be asked. */
  function admit(exchange: Exchange): void | Promise<void> {
    const { request } = exchange
    trimUserId(request)
    request.checkNotRevoked = checkNotRevoked
    const { access } = request.route.config
    if (typeof access === 'object' && SECRETS.has(access.credential)) checkSecretOfPage(request)
    if (isForAnyone(access)) {
      request.caller = ANYONE
      return admitAnonymous(exchange)
    }
    const caller = identifyCaller(request, access)
    if (!(caller instanceof Promise)) return admitCaller(exchange, access, caller)
    return caller.then((identified) => admitCaller(exchange, access, identified))
  }

  /**
   * Looks at the caller again after the body was read. Throws 401 when the token was revoked until then, 429 when the records of a bulk
   * exceed its limit, 503 when it waits for others of its own.
   */
  function checkAgain(exchange: Exchange): void {
    const { request } = exchange
    if (request.route.config.isProbe) return
    if (request.body !== undefined) request.checkNotRevoked()
    countEntries(exchange, rates)
    if (settings.isOverloadedBy(senderName(request))) throw unavailable()
  }

  /** Runs an operation on behalf of its caller, whose share of the connections it uses. */
  function asCaller<T>(request: Request, work: () => T): T {
    const { isProbe, isBatched } = request.route.config
    return isProbe || isBatched ? work() : withCaller(senderName(request), work)
  }

  function checkNotRevoked(this: Request): void {
    if (revocations.isRevoked(this.caller)) throw revokedToken()
  }

  function identifyCaller(request: Request, { credential }: AccessRow): Caller | Promise<Caller> {
    const { headers } = request
    if (credential === 'admin_key') return adminKeyCaller(request)
    if (credential === 'wallet_bearer') return walletTokens.verify(headers.authorization)
    // Browsers send cookies by themselves, so an explicit credential takes precedence.
    const usesSession = credential === 'session' || headers.authorization === undefined
    const secret = usesSession ? sessionSecretIn(headers) : undefined
    if (secret === undefined && credential === 'session') throw noSession()
    if (secret === undefined) return tokens.verify(headers.authorization)
    checkSameOrigin(request)
    return sessionCaller(request, secret)
  }

  async function sessionCaller(request: Request, secret: string): Promise<Caller> {
    const undo = countGuess(settings, request)
    const caller = await useSession(settings, { secret, isUsed: isUsedBy(request.headers) })
    undo()
    return caller
  }

  /** Counts by a hash of the network, because busy keys are shared through the database. */
  function admitAnonymous({ request, reply }: Exchange): void {
    const limit = findLimit(request.route.config)
    if (limit === undefined) return
    const address = vault.blindIndex('anonymous_address', request.sender.address.network).toString('base64')
    admitCounted(reply, rates.countAnonymous(limit, address))
  }

  function admitCaller({ request, reply }: Exchange, row: AccessRow, caller: Caller): void {
    nameCaller(request, caller)
    if (revocations.isRevoked(caller)) throw revokedToken()
    checkCallerOfPage(request, caller)
    if (caller.kind === 'platform' || caller.kind === 'provider') {
      if (caller.ipAllowList && !allows(caller.ipAllowList, request.sender.address)) throw forbidden(WRONG_NETWORK)
      if (caller.person === undefined) uses.note(caller.credentialId)
    }
    admitCounted(reply, rates.countRequest(caller, bodyCost(request)))
    countUnannouncedBody({ request, reply }, rates, caller)
    if (!mayCall(caller, row)) throw wrongCaller(caller.kind, listCallers(row))
    request.caller = caller
  }

  function adminKeyCaller(request: Request): Caller {
    const key = request.headers['admin-api-key']
    const undo = typeof key === 'string' ? countGuess(settings, request) : undefined
    // Compares every key, so that timing does not reveal a near match.
    const [matching] = adminApiKeys.filter((known) => typeof key === 'string' && sameSecret(known.key, key))
    if (matching) {
      undo?.()
      return { kind: 'admin_key', name: matching.name }
    }
    throw new ProblemError('unauthenticated', 'The administrator key is missing or invalid.', {
      headers: { 'www-authenticate': 'AdminApiKey' },
    })
  }

  const notePage = createPageStep(settings)
  return { notePage, isPreflight, allowPage, admit, checkAgain, asCaller, noteRejection }
}

/**
 * Counts a cookie or an administrator key before it is looked at, because guesses are limited; returns what reverts the count of a
 * right one, which costs nothing. Throws 429 after too many wrong ones.
 */
function countGuess({ vault, rates }: AccessSettings, { sender }: Request): () => void {
  const address = vault.blindIndex('token_address', sender.address.network).toString('base64')
  rates.countUnknown(address)
  return () => rates.undoUnknown(address)
}

const revokedToken = () => invalidToken('The access token has been revoked.')

/** Returns true for a route whose callers are not known when it begins. */
const isForAnyone = (access: AccessRule | undefined): access is undefined | 'anyone' | AccessRow =>
  access === undefined || access === 'anyone' || VERIFIED_BY_HANDLER.has(access.credential)

const senderName = (request: Request): string => request.callerName ?? `address:${request.sender.address.network}`

/**
 * Bounds the bodies of callers who are not known yet. Throws when a route has no row of the role matrix, or does not know its
 * caller and has no limit.
 */
export function checkRoutes(routes: readonly Route[]): void {
  const named = (listed: Route[]) => listed.map(({ method, url }) => `${method} ${url}`).join(', ')
  const withoutRow = routes.filter(({ config }) => config.access === undefined)
  if (withoutRow.length > 0) throw new Error(`routes without a row of the role matrix: ${named(withoutRow)}`)
  const anonymous = routes.filter(({ config: { access } }) => access !== 'anyone' && isForAnyone(access))
  const withoutLimit = anonymous.filter(({ config }) => config.limit === undefined)
  if (withoutLimit.length > 0) throw new Error(`routes without a known caller or a limit: ${named(withoutLimit)}`)
  for (const route of anonymous) route.bodyLimit = ANONYMOUS_BODY_BYTES_MAX
}

/** Trims a user id, as `docs/partners/values.md#requests` promises, before anything reads it. */
function trimUserId(request: Request): void {
  const params = request.params as { user_id?: string } | undefined
  if (params?.user_id !== undefined) params.user_id = params.user_id.trim()
}
