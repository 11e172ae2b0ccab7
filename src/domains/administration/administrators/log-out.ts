import { Type } from 'typebox'
import { SESSION_COOKIE, sessionCaller, sessionSecretIn } from '../../../access/administrator-sessions.ts'
import { actorFrom } from '../../../access/caller.ts'
import { nameCaller } from '../../../access/logged-caller.ts'
import { checkSameOrigin } from '../../../access/same-origin.ts'
import { noHostCookie } from '../../../kernel/http/cookies.ts'
import { Nullable, OneOf } from '../../../kernel/http/schemas.ts'
import { applyWithRetry, type Deps } from '../../../record/index.ts'
import { endSessionOfCookie } from './end-session.ts'
import { type IdentityProvider, ProviderUnavailable } from './identity-provider.ts'
import { ID_TOKEN, loginOperation, type Session, tags } from './records.ts'
import { PAGES } from './return-target.ts'
import { findAdministrator } from './store.ts'

export const logOut = loginOperation('POST /auth/logout', {
  access: 'logOut',
  limit: 'logins',
  tags,
  summary: 'Log out',
  description:
    'Ends the session of the cookie, and its access tokens within a second. To end the session at the identity provider too, open `end_session_url` in the browser. Returns 200 even without a session.',
  body: Type.Object(
    {
      return_to: Type.Optional(OneOf(PAGES, { description: 'Our page to return to from there; defaults to `/docs`' })),
    },
    { examples: [{ return_to: '/docs' }] },
  ),
  setsCookie: true,
  response: {
    200: Type.Object(
      {
        success: Type.Boolean(),
        end_session_url: Nullable(
          Type.String({ description: 'URL to log out at the identity provider; `null` if it has none' }),
        ),
      },
      { examples: [{ success: true, end_session_url: 'https://login.example.com/logout' }] },
    ),
  },
  problems: ['forbidden'],
  // Not `decide`: the cookie, not the caller, says whose session ends.
  read: async ({ deps, request, reply, ...call }) => {
    const { db, login, origin } = deps
    const secret = sessionSecretIn(request.headers)
    if (secret !== undefined) checkSameOrigin(request)
    const session = await applyWithRetry(deps, actorFrom(request), (author) => endSessionOfCookie(db, secret, author))
    if (session) nameCaller(request, sessionCaller(session))
    // Only a cookie that was sent: a form of another site comes without it, and would log the person out.
    if (secret !== undefined) reply.header('set-cookie', noHostCookie(SESSION_COOKIE))
    // The body may be missing.
    const body = call.body as typeof call.body | null | undefined
    const returnUrl = `${origin}${body?.return_to ?? PAGES[0]}`
    const isKnownThere = session !== undefined && login !== null
    return {
      success: true,
      end_session_url: isKnownThere ? await endSessionUrl(deps, login.provider, { session, returnUrl }) : null,
    }
  },
})

/** Where the browser logs out of the identity provider too; null when that is unavailable or has no such URL. */
async function endSessionUrl(
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  provider: IdentityProvider,
  { session, returnUrl }: { session: Session; returnUrl: string },
): Promise<string | null> {
  const { key } = await findAdministrator(db, vault, session.administratorId)
  const idToken = ID_TOKEN.unseal(key, session, session.sealed)
  return provider.logOutUrl(idToken, returnUrl).catch((error: unknown) => {
    if (error instanceof ProviderUnavailable) return null
    throw error
  })
}
