import { Type } from 'typebox'
import { ADMINISTRATORS } from '../../../access/caller.ts'
import { pageOf, PagingQuery, statusQuery } from '../../../kernel/http/paging.ts'
import { Nullable, OneOf, PathId, record, ref, StatusInput, Text, Timestamp } from '../../../kernel/http/schemas.ts'
import { PAGES } from './return-target.ts'
import { ADMINISTRATOR_STATUSES } from './states.ts'

const Role = () => OneOf(ADMINISTRATORS, { description: 'Role, assigned by the identity provider at each login' })

const administrator = {
  id: 'adm_06bnv3kq0r3cj8m3w0h2d8y6xg',
  name: 'Asha Example',
  role: 'owner',
  status: 'ACTIVE',
  last_seen_at: '2026-04-01T09:30:00',
}

const AdministratorName = () =>
  Nullable(Type.String({ description: 'Name from the identity provider; `null` if it sends none' }))

const Administrator = record(
  'Administrator',
  {
    id: Type.String(),
    name: AdministratorName(),
    role: Role(),
    status: OneOf(ADMINISTRATOR_STATUSES),
    last_seen_at: Timestamp('Last use of a session, to the minute'),
  },
  { description: 'An administrator of this installation, created at the first login', examples: [administrator] },
)

const AdministratorSession = record(
  'AdministratorSession',
  {
    id: Type.String(),
    role: Role(),
    created_at: Timestamp('Time of the login'),
    last_seen_at: Timestamp('Last use of the session, to the minute'),
    expires_at: Timestamp('Time when the session ends if it is not used again'),
  },
  {
    description: 'An active session',
    examples: [
      {
        id: 'ads_06bnv3m2r8f1s4k7q9t3v6w0y2',
        role: 'owner',
        created_at: '2026-04-01T09:00:00',
        last_seen_at: '2026-04-01T09:30:00',
        expires_at: '2026-04-01T10:00:00',
      },
    ],
  },
)

const CurrentSession = record(
  'CurrentSession',
  {
    administrator_id: Type.String({ description: 'The administrator' }),
    name: AdministratorName(),
    role: Role(),
    expires_at: Timestamp('Time when the session ends if it is not used again'),
  },
  {
    description: 'The administrator who is logged in',
    examples: [
      {
        administrator_id: administrator.id,
        name: administrator.name,
        role: administrator.role,
        expires_at: '2026-04-01T10:00:00',
      },
    ],
  },
)

export const records = [Administrator, AdministratorSession, CurrentSession]

const tags = ['Administrators']

const REDIRECT = { 302: { description: 'Redirects to `Location`', type: 'null' } }

/** For pages, which get whatever a browser had in the address bar. */
export const AnyQuery = Type.Object({}, { additionalProperties: true })

export const beginLoginSchema = {
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
  response: REDIRECT,
}

export const finishLoginSchema = {
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
  response: REDIRECT,
}

export const readSessionSchema = {
  tags,
  summary: 'Read the current session',
  description:
    'Returns the administrator of the session cookie, or of an access token issued through it. Returns 404 for a token made on the command line.',
  response: { 200: ref(CurrentSession) },
}

export const createSessionTokenSchema = {
  tags,
  summary: 'Exchange the session for an access token',
  description:
    'The token is valid for 15 minutes, but no longer than the session: logging out ends it within a second. Accepts the session cookie only.',
  response: {
    200: Type.Object(
      {
        access_token: Type.String(),
        token_type: Type.Literal('Bearer'),
        expires_in: Type.Integer({ description: 'Seconds' }),
      },
      {
        description: 'An access token of an administrator',
        examples: [{ access_token: 'eyJhbGciOi…', token_type: 'Bearer', expires_in: 900 }],
      },
    ),
  },
}

export const logOutSchema = {
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
}

const AdministratorPath = Type.Object({ administrator_id: PathId('The administrator') })

export const listAdministratorsSchema = {
  tags,
  summary: 'List administrators',
  description: 'Everyone who has ever logged in, newest first.',
  querystring: statusQuery(ADMINISTRATOR_STATUSES),
  response: { 200: pageOf(Type.Array(ref(Administrator))) },
}

export const setAdministratorStatusSchema = {
  tags,
  summary: 'Disable or enable an administrator',
  description:
    'DISABLED ends all sessions and access tokens of the administrator within a second and prevents logins; after ACTIVE, the administrator can log in again. Administrators cannot disable themselves.',
  params: AdministratorPath,
  body: StatusInput(ADMINISTRATOR_STATUSES, 'DISABLED'),
  response: { 200: ref(Administrator) },
}

export const listAdministratorSessionsSchema = {
  tags,
  summary: 'List the sessions of an administrator',
  description: 'Active sessions, newest first.',
  params: AdministratorPath,
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(AdministratorSession))) },
}

export const endAdministratorSessionSchema = {
  tags,
  summary: 'End a session of an administrator',
  description: 'Its access tokens end within a second. Returns `ended: false` if there is no such session.',
  params: Type.Object({ administrator_id: PathId('The administrator'), session_id: PathId('The session') }),
  response: {
    200: Type.Object(
      { ended: Type.Boolean({ description: 'False if there is no such session, which is not an error' }) },
      { examples: [{ ended: true }] },
    ),
  },
}
