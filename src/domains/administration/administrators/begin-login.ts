import { Type } from 'typebox'
import { checkBegunHere } from '../../../access/same-origin.ts'
import { Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { errorPage } from './error-page.ts'
import { noIdentityProvider, withPublicErrors } from './errors.ts'
import { loginFlow } from './login-flow.ts'
import { loginOperation, REDIRECT, tags } from './records.ts'
import { PAGES, returnTarget } from './return-target.ts'

export const beginLogin = loginOperation('GET /auth/oidc/login', {
  access: 'beginLogin',
  limit: 'logins',
  tags,
  summary: 'Log in at the identity provider',
  description:
    'For browsers: redirects to the identity provider (OpenID Connect, authorization code with PKCE), which redirects back to `/v1/auth/oidc/callback`. A login must be completed within ten minutes. It must begin on our own pages or in the address bar, not by a link from another site: `Sec-Fetch-Site`, in which browsers report that, must be `same-origin`, `none` or absent. Returns 404 if this installation has no identity provider.',
  querystring: Type.Object(
    {
      return_to: Type.Optional(
        Text({
          maxLength: 500,
          description: 'Our page to open afterwards: `/docs`, `/dashboard` or a page below one of them',
          examples: ['/docs'],
        }),
      ),
    },
    { additionalProperties: false },
  ),
  anyAccept: true,
  errorPage,
  setsCookie: true,
  response: REDIRECT,
  problems: ['forbidden', 'not_found'],
  checkFirst: checkBegunHere,
  validate: ({ query }) => errorsOfReturn((query as { return_to?: unknown }).return_to),
  read: async ({ deps: { login, vault, clock }, query, reply }) => {
    if (!login) throw noIdentityProvider()
    const { url, flow } = await withPublicErrors(login.provider.begin())
    const returnTo = returnTarget(query.return_to ?? '') ?? PAGES[0]
    return reply.header('set-cookie', loginFlow(vault, clock).cookieOf({ ...flow, returnTo })).redirect(url)
  },
})

/** Returns an error unless the login returns to one of our pages. */
function errorsOfReturn(text: unknown): FieldError[] {
  if (typeof text !== 'string' || returnTarget(text) !== undefined) return []
  const detail = `Must be ${PAGES.join(', ')} or a path below one of them, such as /docs/errors.`
  return [{ pointer: 'query:return_to', code: 'format', detail }]
}
