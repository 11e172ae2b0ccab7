import { Type } from 'typebox'
import { SESSION_COOKIE, SESSION_SECONDS, sessionSecretIn } from '../../../access/administrator-sessions.ts'
import { actorFrom } from '../../../access/caller.ts'
import { nameCaller } from '../../../access/logged-caller.ts'
import { cookieIn, hostCookie } from '../../../kernel/http/cookies.ts'
import { type Call, applyWithRetry, type Deps } from '../../../record/index.ts'
import { beginSession, subjectHashes } from './begin-session.ts'
import { endSessionOfCookie, endSessions } from './end-session.ts'
import { loginFailed, noIdentityProvider, noRole, withPublicErrors } from './errors.ts'
import { FLOW_COOKIE, loginFlow } from './login-flow.ts'
import { loginOperation, REDIRECT, tags } from './records.ts'
import { errorPage } from './error-page.ts'
import { findRole, findSessionOfCookie } from './store.ts'

export const finishLogin = loginOperation('GET /auth/oidc/callback', {
  access: 'finishLogin',
  limit: 'logins',
  tags,
  summary: 'Complete the login',
  description:
    'For browsers: the identity provider redirects here. Starts a session in a cookie, which ends after 8 hours, or 30 minutes without use, and redirects to the page given at login. Returns 400 if no login was started in this browser or the response cannot be verified, 403 for people without a role and for disabled administrators.',
  querystring: Type.Object(
    {
      code: Type.Optional(Type.String({ description: 'Authorization code' })),
      state: Type.Optional(Type.String({ description: 'State of the login' })),
      iss: Type.Optional(Type.String({ description: 'Issuer: the identity provider (RFC 9207)' })),
      error: Type.Optional(Type.String({ description: 'Error of the identity provider, instead of a code' })),
    },
    { additionalProperties: true },
  ),
  anyAccept: true,
  errorPage,
  setsCookie: true,
  response: REDIRECT,
  problems: ['login_failed', 'forbidden', 'not_found'],
  // Not `decide`: it redirects, and writes twice.
  read: async ({ deps, request, reply }) => {
    const { db, vault, clock, login, origin } = deps
    if (!login) throw noIdentityProvider()
    const flows = loginFlow(vault, clock)
    const flow = flows.read(cookieIn(request.headers.cookie, FLOW_COOKIE) ?? '')
    if (!flow) {
      // A page that was loaded again, by somebody who is logged in.
      if (await hasSession(deps, request)) return reply.redirect(HOME)
      throw loginFailed('No login was started in this browser within the last ten minutes. Log in again.')
    }
    const identity = await withPublicErrors(login.provider.finish(new URL(request.url, origin), flow))
    const given = login.roleOf(identity.claims)
    const role = given && (await findRole(db, given))
    const actor = actorFrom(request)
    const { issuer } = login.provider
    if (!role) {
      const hashes = subjectHashes(vault, { issuer, identity })
      await applyWithRetry(deps, actor, (author) => endSessions(deps, hashes, author))
      throw noRole()
    }
    const { secret, caller } = await applyWithRetry(deps, actor, (author) =>
      beginSession(deps, { issuer, identity, ...role }, author),
    )
    nameCaller(request, caller)
    // The login replaces any session the browser had.
    await applyWithRetry(deps, actor, (author) => endSessionOfCookie(db, sessionSecretIn(request.headers), author))
    const cookies = [flows.noCookie, hostCookie(SESSION_COOKIE, secret, SESSION_SECONDS)]
    return reply.header('set-cookie', cookies).redirect(flow.returnTo)
  },
})

const HOME = '/dashboard'

const hasSession = async ({ db, clock }: Pick<Deps, 'db' | 'clock'>, { headers }: Call['request']): Promise<boolean> =>
  (await findSessionOfCookie(db, sessionSecretIn(headers), clock.now())) !== undefined
