import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../kernel/clock.ts'
import { sameSecret } from '../kernel/crypto/secrets.ts'
import type { Vault } from '../kernel/crypto/vault.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { withCaller } from '../kernel/current-caller.ts'
import type { App, Exchange } from '../kernel/http/server.ts'
import type { PeriodicTask } from '../kernel/jobs/periodic.ts'
import { forbidden, ProblemError, rateLimited, unavailable } from '../kernel/problem-error.ts'
import { noSession, sessionSecretIn, useSession } from './administrator-sessions.ts'
import { costOf, countUnannouncedBody } from './body-cost.ts'
import { type Caller, sessionOf } from './caller.ts'
import { allows } from './ip-allow-list.ts'
import type { AdminKey } from '../settings/keys.ts'
import { logRejections, nameCaller } from './logged-caller.ts'
import { type AccessRow, type AccessRule, limitOf } from './matrix.ts'
import type { CountedUse, RateLimits } from './rate-limits.ts'
import type { Revocations } from './revocations.ts'
import { checkSameOrigin } from './same-origin.ts'
import { invalidToken, type Tokens } from './tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
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
  rates: RateLimits
  uses: CredentialUses
  vault: Vault
  adminApiKeys: AdminKey[]
  /** Returns true while new requests of a caller would be served too late. */
  isOverloadedBy: (caller: string) => boolean
}

/** Verified by the operation itself, because a header alone is not enough: until then anyone can be the caller. */
const VERIFIED_BY_HANDLER = new Set<AccessRow['credential']>(['basic', 'signature', 'none'])

/** Maximum size of a body that is read before its sender is known; real ones have less than 1 KiB. */
const ANONYMOUS_BODY_BYTES_MAX = 4 * 1_024

const WRONG_NETWORK = 'The credential of this access token may not be used from this IP address. See its ip_allow_list.'

const ANYONE: Caller = { kind: 'anyone' }

/**
 * Installs authentication and the role matrix for every request, and the limits of requests and bodies that depend on
 * the caller. The app does not start when a route has no row, or does not know its caller and has no limit.
 */
export function installAccess(app: App, settings: AccessSettings): void {
  const { tokens, walletTokens, revocations, rates, uses, vault, adminApiKeys } = settings
  checkRoutes(app)
  app.decorateRequest('caller')
  app.decorateRequest('checkNotRevoked', function (this: FastifyRequest) {
    if (revocations.isRevoked(this.caller)) throw revokedToken()
  })
  logRejections(app)
  app.addHook('onRequest', (request, reply, done) => {
    trimUserId(request)
    const { access } = request.routeOptions.config
    if (request.is404 || access === undefined || access === 'anyone' || VERIFIED_BY_HANDLER.has(access.credential)) {
      request.caller = ANYONE
      return done(admitAnonymous({ request, reply }))
    }
    try {
      const caller = callerOf(request, access)
      if (!(caller instanceof Promise)) return done(admit({ request, reply }, access, caller))
      caller.then((found) => done(admit({ request, reply }, access, found)), done)
    } catch (error) {
      done(error as Error)
    }
  })

  // After the body was read: callbacks of its parser would lose the caller.
  app.addHook('preValidation', (request, _reply, done) => {
    const { isProbe, isShared } = request.routeOptions.config
    if (isProbe) return done()
    if (request.body !== undefined && revocations.isRevoked(request.caller)) return done(revokedToken())
    const name = request.callerName ?? `address:${request.sender.address.network}`
    if (settings.isOverloadedBy(name)) return done(unavailable())
    if (isShared) return done()
    withCaller(name, done)
  })

  function callerOf(request: FastifyRequest, { credential }: AccessRow): Caller | Promise<Caller> {
    const { headers } = request
    if (credential === 'admin_key') return adminKeyCaller(headers['admin-api-key'])
    if (credential === 'wallet_bearer') return walletTokens.verify(headers.authorization)
    // Browsers send cookies by themselves, so an explicit credential takes precedence.
    const usesSession = credential === 'session' || headers.authorization === undefined
    const secret = usesSession ? sessionSecretIn(headers) : undefined
    if (secret === undefined && credential === 'session') throw noSession()
    if (secret === undefined) return tokens.verify(headers.authorization)
    checkSameOrigin(request)
    return sessionCaller(request, secret)
  }

  /** Counts a cookie before it is looked up, because guesses would cost a query each; that of a session costs nothing. */
  async function sessionCaller({ sender }: FastifyRequest, secret: string): Promise<Caller> {
    const address = vault.blindIndex('token_address', sender.address.network).toString('base64')
    rates.countUnknown(address)
    const caller = await useSession(settings, secret)
    rates.undoUnknown(address)
    return caller
  }

  /** Counts by a hash of the network, because busy keys are shared through the database. */
  function admitAnonymous({ request, reply }: Exchange): ProblemError | undefined {
    const limit = request.is404 ? undefined : limitOf(request.routeOptions.config)
    if (limit === undefined) return undefined
    const address = vault.blindIndex('anonymous_address', request.sender.address.network).toString('base64')
    return admitCounted(reply, rates.countAnonymous(limit, address))
  }

  function admit({ request, reply }: Exchange, row: AccessRow, caller: Caller): ProblemError | undefined {
    nameCaller(request, caller)
    if (revocations.isRevoked(caller)) return revokedToken()
    if (caller.kind === 'platform' || caller.kind === 'provider') {
      if (caller.ipAllowList && !allows(caller.ipAllowList, request.sender.address)) return forbidden(WRONG_NETWORK)
      if (caller.person === undefined) uses.note(caller.credentialId)
    }
    const tooFast = admitCounted(reply, rates.countRequest(caller, costOf(request)))
    if (tooFast) return tooFast
    countUnannouncedBody({ request, reply }, rates, caller)
    if (!mayCall(caller, row)) return forbidden()
    request.caller = caller
    return undefined
  }

  function adminKeyCaller(key: string | string[] | undefined): Caller {
    // Compares every key, so that timing does not reveal a near match.
    const [matching] = adminApiKeys.filter((known) => typeof key === 'string' && sameSecret(known.key, key))
    if (matching) return { kind: 'admin_key', name: matching.name }
    throw new ProblemError('unauthenticated', 'The administrator key is missing or invalid.', {
      headers: { 'www-authenticate': 'AdminApiKey' },
    })
  }
}

/** People of a partner have its rights, and what concerns their own session. */
const mayCall = (caller: Caller, { grants, isOfSession }: AccessRow): boolean =>
  caller.kind !== 'anyone' &&
  caller.kind !== 'system' &&
  (grants[caller.kind] !== undefined || (isOfSession === true && sessionOf(caller) !== undefined))

const revokedToken = () => invalidToken('The access token has been revoked.')

function checkRoutes(app: App): void {
  const withoutRow: string[] = []
  const withoutLimit: string[] = []
  app.addHook('onRoute', (route) => {
    const isAnonymous = (access: AccessRule | undefined) =>
      access !== undefined && access !== 'anyone' && VERIFIED_BY_HANDLER.has(access.credential)
    if (isAnonymous(route.config?.access)) route.bodyLimit = ANONYMOUS_BODY_BYTES_MAX
    // Checked when the app is ready: a plugin's own hook may add the row to its routes after this hook.
    app.addHook('onReady', async () => {
      const { access, limit } = route.config ?? {}
      const name = `${String(route.method)} ${route.url}`
      if (access === undefined) withoutRow.push(name)
      else if (isAnonymous(access) && limit === undefined) withoutLimit.push(name)
    })
  })
  app.addHook('onReady', async () => {
    if (withoutRow.length > 0) throw new Error(`routes without a row of the role matrix: ${withoutRow.join(', ')}`)
    if (withoutLimit.length > 0) throw new Error(`routes without a known caller or a limit: ${withoutLimit.join(', ')}`)
  })
}

function admitCounted(reply: FastifyReply, counted: CountedUse | undefined): ProblemError | undefined {
  if (counted === undefined) return undefined
  if (counted.wait_s > 0) return rateLimited(counted)
  reply.headers(counted.headers)
  return undefined
}

/** Trims a user id, as `docs/partners/values.md#requests` promises, before anything reads it. */
function trimUserId(request: FastifyRequest): void {
  const params = request.params as { user_id?: string } | undefined
  if (params?.user_id !== undefined) params.user_id = params.user_id.trim()
}
