import type { FastifyReply, FastifyRequest } from 'fastify'
import { sameSecret } from '../kernel/crypto/secrets.ts'
import { inLane } from '../kernel/db/lanes.ts'
import type { App } from '../kernel/http/server.ts'
import type { Periodic } from '../kernel/jobs/periodic.ts'
import { forbidden, ProblemError, unavailable } from '../kernel/problem-error.ts'
import { type AdministratorSessions, noSession, sessionSecretIn } from './administrator-sessions.ts'
import { actorOf, type Caller } from './caller.ts'
import { allows } from './ip-allow-list.ts'
import type { AdminKey } from './keys.ts'
import type { AccessRow } from './matrix.ts'
import { networkOf } from './network-of.ts'
import { type RateLimits, tooMany } from './rate-limits.ts'
import type { Revocations } from './revocations.ts'
import { checkSameOrigin } from './same-origin.ts'
import type { Tokens } from './tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** When credentials were last used. */
export type CredentialUses = {
  /** Notes that a credential, or an access token that it was exchanged for, was shown and was good. */
  note: (credentialId: string) => void
  write: () => Promise<void>
  writing: Periodic
}

type AccessSettings = {
  tokens: Tokens
  walletTokens: Tokens
  revocations: Revocations
  sessions: AdministratorSessions
  rates: RateLimits
  uses: CredentialUses
  adminApiKeys: AdminKey[]
  /** True while new requests of a caller would be answered too late. */
  isLaneFull: (lane: string) => boolean
}

type Exchange = { request: FastifyRequest; reply: FastifyReply }

/** These are looked at by the operation itself, because it needs more than a header. */
const VERIFIED_BY_HANDLER = new Set<AccessRow['credential']>(['basic', 'signature', 'none'])

const WRONG_NETWORK =
  'The credential of this access token may not be used from this network address. See its ip_allow_list.'

const ANYONE: Caller = { kind: 'anyone' }

/** Decides for every request who calls and whether the role matrix lets them; a route without a row does not start. */
export function installAccess(app: App, settings: AccessSettings): void {
  const { tokens, walletTokens, revocations, sessions, rates, uses, adminApiKeys } = settings
  const withoutRow: string[] = []
  app.addHook('onRoute', (route) => {
    // Looked at when the app is ready: a plugin's own hook may give its routes their row after this one has run.
    app.addHook(
      'onReady',
      async () => void (route.config?.access ?? withoutRow.push(`${String(route.method)} ${route.url}`)),
    )
  })
  app.addHook('onReady', async () => {
    if (withoutRow.length > 0) throw new Error(`routes without a row of the role matrix: ${withoutRow.join(', ')}`)
  })

  app.decorateRequest('caller')
  app.addHook('onRequest', (request, reply, done) => {
    trimUserId(request)
    const { access } = request.routeOptions.config
    if (request.is404 || access === undefined || access === 'anyone' || VERIFIED_BY_HANDLER.has(access.credential)) {
      request.caller = ANYONE
      return done()
    }
    try {
      const caller = callerOf(request, access)
      if (!(caller instanceof Promise)) return done(admit({ request, reply }, access, caller))
      caller.then((found) => done(admit({ request, reply }, access, found)), done)
    } catch (error) {
      done(error as Error)
    }
  })

  // After the body was read: what its parser calls back is in no lane.
  app.addHook('preValidation', (request, _reply, done) => {
    const { isProbe, isShared } = request.routeOptions.config
    if (isProbe) return done()
    const { caller } = request
    const lane = caller.kind === 'anyone' ? `address:${networkOf(request.ip)}` : actorOf(caller)
    if (settings.isLaneFull(lane)) return done(unavailable())
    if (isShared) return done()
    inLane(lane, done)
  })

  function callerOf(request: FastifyRequest, { credential }: AccessRow): Caller | Promise<Caller> {
    const { headers } = request
    if (credential === 'admin_key') return holderOf(headers['admin-api-key'])
    if (credential === 'wallet_bearer') return walletTokens.verify(headers.authorization)
    // Browsers add cookies by themselves, so whatever is sent on purpose goes before.
    const isBySession = credential === 'session' || headers.authorization === undefined
    const secret = isBySession ? sessionSecretIn(headers) : undefined
    if (secret === undefined && credential === 'session') throw noSession()
    if (secret === undefined) return tokens.verify(headers.authorization)
    checkSameOrigin(request)
    return sessions.use(secret)
  }

  function admit({ request, reply }: Exchange, row: AccessRow, caller: Caller): ProblemError | undefined {
    if (revocations.isRevoked(caller)) {
      return new ProblemError('unauthenticated', 'The access token has been revoked.', {
        headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
      })
    }
    if (caller.kind === 'platform' || caller.kind === 'provider') {
      if (caller.ipAllowList && !allows(caller.ipAllowList, request.ip)) return forbidden(WRONG_NETWORK)
      uses.note(caller.credentialId)
    }
    const counted = rates.countRequest(caller)
    if (counted) {
      if (counted.wait_s > 0) return tooMany(counted)
      reply.headers(counted.headers)
    }
    if (caller.kind === 'anyone' || caller.kind === 'system' || row.grants[caller.kind] === undefined)
      return forbidden()
    request.caller = caller
    return undefined
  }

  function holderOf(key: string | string[] | undefined): Caller {
    // Every key is compared, so that the time does not tell which one was nearly right.
    const [matching] = adminApiKeys.filter((known) => typeof key === 'string' && sameSecret(known.key, key))
    if (matching) return { kind: 'admin_key', name: matching.name }
    throw new ProblemError('unauthenticated', 'The administrator key is missing or invalid.', {
      headers: { 'www-authenticate': 'AdminApiKey' },
    })
  }
}

/** Outer white space of a user id does not count (contract 2.1); it goes before anything looks at the id. */
function trimUserId(request: FastifyRequest): void {
  const params = request.params as { user_id?: string } | undefined
  if (params?.user_id !== undefined) params.user_id = params.user_id.trim()
}
