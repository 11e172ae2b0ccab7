import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import {
  noSession,
  SESSION_COOKIE,
  SESSION_SECONDS,
  sessionCaller,
  sessionSecretIn,
} from '../../../access/administrator-sessions.ts'
import { type Administrator as Role, actorFrom } from '../../../access/caller.ts'
import { nameCaller } from '../../../access/logged-caller.ts'
import { matrix } from '../../../access/matrix.ts'
import { checkBegunHere, checkSameOrigin } from '../../../access/same-origin.ts'
import type { Deps } from '../../../deps.ts'
import { unixSecondsOf } from '../../../kernel/clock.ts'
import { cookieIn, hostCookie, noHostCookie } from '../../../kernel/http/cookies.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { type FieldError, forbidden, notFound } from '../../../kernel/problem-error.ts'
import { type By, commit, perform, responding } from '../../../record/index.ts'
import { endSession } from './end-session.ts'
import { loginFailed, noIdentityProvider, noRole, withPublicErrors } from './errors.ts'
import { endSessionUrl } from './end-session-url.ts'
import { finishLogin } from './finish-login.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { logOut } from './log-out.ts'
import { FLOW_COOKIE, loginFlow } from './login-flow.ts'
import { presentAdministrator, presentCurrentSession, presentSession } from './present.ts'
import { PAGES, returnTarget } from './return-target.ts'
import * as schemas from './schemas.ts'
import { setAdministratorStatus } from './set-administrator-status.ts'
import { findAdministrator, findSession, listAdministrators, listSessions } from './store.ts'

/** The identity provider of the administrators, and the mapping of its claims to roles. */
export type Login = { provider: IdentityProvider; roleOf: (claims: object) => Role | undefined }

/** `login` is null where no provider is configured. */
type Context = Deps & { origin: string; login: Login | null }

export function administratorRoutes(app: App, context: Context): void {
  for (const schema of schemas.records) app.addSchema(schema)
  loginRoutes(app, context)
  sessionRoutes(app, context)
  ownerRoutes(app, context)
}

/** Redirects the dashboard, which has no pages of its own yet, to the documentation, where administrators try operations. */
export function dashboardRoutes(app: App, config: FastifyContextConfig): void {
  const [docs, dashboard] = PAGES
  const page = { schema: { hide: true, querystring: schemas.AnyQuery }, config: { ...config, anyAccept: true } }
  for (const url of [dashboard, `${dashboard}/*`]) app.get(url, page, (_request, reply) => reply.redirect(docs))
}

/** Mounts the login in the browser. */
function loginRoutes(app: App, context: Context): void {
  const { vault, clock, login, origin } = context
  const flows = loginFlow(vault, clock)
  const forBrowsers = { anyAccept: true, versioned: false, limit: 'logins' as const }

  app.get(
    '/auth/oidc/login',
    {
      schema: schemas.beginLoginSchema,
      config: {
        access: matrix.beginLogin,
        setsCookie: true,
        ...forBrowsers,
        errors: errorsOfReturn,
        refuses: ['forbidden', 'not_found'],
      },
      onRequest: async (request) => checkBegunHere(request),
    },
    async ({ query }, reply) => {
      if (!login) throw noIdentityProvider()
      const { url, flow } = await withPublicErrors(login.provider.begin())
      const returnTo = returnTarget(query.return_to ?? '') ?? PAGES[0]
      return reply.header('set-cookie', flows.cookieOf({ ...flow, returnTo })).redirect(url)
    },
  )

  app.get(
    '/auth/oidc/callback',
    {
      schema: schemas.finishLoginSchema,
      config: {
        access: matrix.finishLogin,
        setsCookie: true,
        ...forBrowsers,
        refuses: ['login_failed', 'forbidden', 'not_found'],
      },
    },
    async (request, reply) => {
      if (!login) throw noIdentityProvider()
      const flow = flows.read(cookieIn(request.headers.cookie, FLOW_COOKIE) ?? '')
      if (!flow) throw loginFailed('No login was started in this browser within the last ten minutes. Log in again.')
      const identity = await withPublicErrors(login.provider.finish(new URL(request.url, origin), flow))
      const role = login.roleOf(identity.claims)
      if (!role) throw noRole()
      const by = actorFrom(request)
      const { issuer } = login.provider
      const finish = (now: By) => finishLogin(context, { issuer, identity, role }, now)
      const { secret, caller } = await commit(context, by, finish)
      nameCaller(request, caller)
      // The login replaces any session the browser had.
      await commit(context, by, (now) => logOut(context.db, sessionSecretIn(request.headers), now))
      const cookies = [flows.noCookie, hostCookie(SESSION_COOKIE, secret, SESSION_SECONDS)]
      return reply.header('set-cookie', cookies).redirect(flow.returnTo)
    },
  )
}

/** Mounts the caller's own session. */
function sessionRoutes(app: App, context: Context): void {
  const { db, vault, clock, tokens, login, origin } = context

  const current = async ({ caller }: FastifyRequest) => {
    if (!('subject' in caller)) throw forbidden()
    if (caller.sessionId === undefined) throw notFound()
    const session = await findSession(db, caller.sessionId, clock.now())
    if (!session) throw noSession()
    return session
  }

  app.get(
    '/auth/session',
    {
      schema: schemas.readSessionSchema,
      config: { access: matrix.readSession, refuses: ['not_found'], versioned: false },
    },
    async (request) => {
      const session = await current(request)
      return presentCurrentSession(await findAdministrator(db, vault, session.administratorId), session)
    },
  )

  app.post(
    '/auth/session/token',
    { schema: schemas.createSessionTokenSchema, config: { access: matrix.createSessionToken } },
    async (request) => {
      const { id, administratorId: subject, role, endsAt } = await current(request)
      const session = { id, expiresAt: unixSecondsOf(endsAt) }
      const issued = tokens.issueToAdministrator({ role, subject, session })
      return { access_token: issued.token, token_type: 'Bearer' as const, expires_in: issued.expiresInSeconds }
    },
  )

  app.post(
    '/auth/logout',
    {
      schema: schemas.logOutSchema,
      config: { access: matrix.logOut, setsCookie: true, limit: 'logins', refuses: ['forbidden'] },
    },
    async (request, reply) => {
      const secret = sessionSecretIn(request.headers)
      if (secret !== undefined) checkSameOrigin(request)
      const session = await commit(context, actorFrom(request), (by) => logOut(db, secret, by))
      if (session) nameCaller(request, sessionCaller(session))
      // Only a cookie that was sent: a form of another site comes without it, and would log the person out.
      if (secret !== undefined) reply.header('set-cookie', noHostCookie(SESSION_COOKIE))
      const returnUrl = `${origin}${request.body?.return_to ?? PAGES[0]}`
      const isKnownThere = session !== undefined && login !== null
      return {
        success: true,
        end_session_url: isKnownThere ? await endSessionUrl(context, login.provider, { session, returnUrl }) : null,
      }
    },
  )
}

/** Mounts the management of administrators by owners. */
function ownerRoutes(app: App, context: Context): void {
  const { db, vault, clock } = context
  const loadTarget = (request: FastifyRequest) => findAdministrator(db, vault, param(request, 'administrator_id'))

  app.get(
    '/administrators',
    { schema: schemas.listAdministratorsSchema, config: { access: matrix.listAdministrators } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await listAdministrators(db, vault, { statuses: request.query.status, page })
      return paged({ request, reply }, { ...page, total }, rows.map(presentAdministrator))
    },
  )

  app.put(
    '/administrators/:administrator_id/status',
    {
      schema: schemas.setAdministratorStatusSchema,
      config: { access: matrix.setAdministratorStatus, loadTarget, refuses: ['not_found'] },
    },
    (request, reply) => {
      const { administrator_id: administratorId } = request.params
      return perform(context, {
        request,
        reply,
        turn: administratorId,
        decide: (by) => setAdministratorStatus(context, { administratorId, ...request.body }, by),
        present: (administrator) => responding(presentAdministrator(administrator)),
      })
    },
  )

  app.get(
    '/administrators/:administrator_id/sessions',
    {
      schema: schemas.listAdministratorSessionsSchema,
      config: { access: matrix.listAdministratorSessions, loadTarget, refuses: ['not_found'] },
    },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const of = { administratorId: request.params.administrator_id, now: clock.now(), page }
      const { rows, total } = await listSessions(db, of)
      return paged({ request, reply }, { ...page, total }, rows.map(presentSession))
    },
  )

  app.delete(
    '/administrators/:administrator_id/sessions/:session_id',
    {
      schema: schemas.endAdministratorSessionSchema,
      config: { access: matrix.endAdministratorSession, loadTarget, refuses: ['not_found'] },
    },
    (request, reply) => {
      const { administrator_id: administratorId, session_id: sessionId } = request.params
      return perform(context, {
        request,
        reply,
        turn: sessionId,
        decide: (by) => endSession(db, { administratorId, sessionId }, by),
        present: (ended) => responding({ ended }),
      })
    },
  )
}

/** Returns an error unless the login returns to one of our pages. */
function errorsOfReturn({ query }: FastifyRequest): FieldError[] {
  const { return_to: text } = query as { return_to?: unknown }
  if (typeof text !== 'string' || returnTarget(text) !== undefined) return []
  const detail = `Must be ${PAGES.join(', ')} or a path below one of them, such as /docs/errors.`
  return [{ pointer: 'query:return_to', code: 'format', detail }]
}
