import { Type } from 'typebox'
import { pageOf, PagingQuery, statusQuery } from '../../kernel/http/paging.ts'
import { Nullable, OneOf, PathId, record, ref, StatusInput, Text, Timestamp } from '../../kernel/http/schemas.ts'
import { PAGES } from './return-target.ts'
import { ADMINISTRATOR_STATUSES, ROLES } from './states.ts'

const Role = () => OneOf(ROLES, { description: 'What it may do; the identity provider says so at the login' })

const administrator = {
  id: 'adm_06bnv3kq0r3cj8m3w0h2d8y6xg',
  name: 'Asha Example',
  role: 'owner',
  status: 'ACTIVE',
  last_seen_at: '2026-04-01T09:30:00',
}

const AdministratorName = () =>
  Nullable(Type.String({ description: 'What the identity provider calls the person; `null` where it does not say' }))

const Administrator = record(
  'Administrator',
  {
    id: Type.String(),
    name: AdministratorName(),
    role: Role(),
    status: OneOf(ADMINISTRATOR_STATUSES),
    last_seen_at: Timestamp('When it last used a session, to the minute'),
  },
  { description: 'Somebody who runs this installation, known since the first login', examples: [administrator] },
)

const AdministratorSession = record(
  'AdministratorSession',
  {
    id: Type.String(),
    role: Role(),
    created_at: Timestamp('When it logged in'),
    last_seen_at: Timestamp('When the session was last used, to the minute'),
    expires_at: Timestamp('When it ends if it is not used any more'),
  },
  {
    description: 'A session that has not ended',
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
    expires_at: Timestamp('When the session ends if it is not used any more'),
  },
  {
    description: 'Who is logged in',
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

/** A redirect of the browser. */
const REDIRECT = { 302: { description: 'The browser goes on to `Location`', type: 'null' } }

export const beginLoginSchema = {
  tags,
  summary: 'Log in at the identity provider',
  description:
    'For browsers: leads to the identity provider of this installation (OpenID Connect, authorization code with PKCE), which leads back to `/v1/auth/oidc/callback`. A login takes at most ten minutes. 404 where the installation has no identity provider.',
  querystring: Type.Object(
    {
      return_to: Type.Optional(
        Text({
          maxLength: 500,
          description: 'The page of ours to go to afterwards, `/docs`, `/dashboard` or below one of them',
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
  summary: 'Come back from the identity provider',
  description:
    'For browsers: begins a session of 8 hours, 30 minutes without use, kept in a cookie, and leads to the page that the login began with. 400 when the browser has begun no login, or what comes back does not prove who it is; 403 for somebody without a role here, or who is disabled.',
  querystring: Type.Object(
    {
      code: Type.Optional(Type.String({ description: 'What the identity provider is asked with who it is' })),
      state: Type.Optional(Type.String({ description: 'Of the login that was begun' })),
      iss: Type.Optional(Type.String({ description: 'The identity provider (RFC 9207)' })),
      error: Type.Optional(Type.String({ description: 'Why there is no code' })),
    },
    { additionalProperties: true },
  ),
  response: REDIRECT,
}

export const readSessionSchema = {
  tags,
  summary: 'Read who is logged in',
  description:
    'The administrator of the cookie, or of an access token that was made with it. 404 for a token that was made on the host.',
  response: { 200: ref(CurrentSession) },
}

export const createSessionTokenSchema = {
  tags,
  summary: 'Exchange the session for an access token',
  description:
    'It lives 15 minutes, and no longer than the session: logging out ends it within a second. Takes the cookie alone.',
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
    'Ends the session of the cookie, and its access tokens within a second. The session at the identity provider ends when the browser then goes to `end_session_url`. 200 without a session too.',
  body: Type.Object(
    {
      return_to: Type.Optional(
        OneOf(PAGES, { description: 'The page of ours to come back to from there; `/docs` unless said otherwise' }),
      ),
    },
    { examples: [{ return_to: '/docs' }] },
  ),
  response: {
    200: Type.Object(
      {
        success: Type.Boolean(),
        end_session_url: Nullable(
          Type.String({ description: 'Where the browser logs out of the identity provider; `null` where it cannot' }),
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
  description: 'Whoever has logged in once, newest first.',
  querystring: statusQuery(ADMINISTRATOR_STATUSES),
  response: { 200: pageOf(Type.Array(ref(Administrator))) },
}

export const setAdministratorStatusSchema = {
  tags,
  summary: 'Disable or enable an administrator',
  description:
    'A DISABLED one is logged out everywhere within a second, access tokens too, and does not get in again. Enabled, it logs in anew. Nobody disables itself.',
  params: AdministratorPath,
  body: StatusInput(ADMINISTRATOR_STATUSES, 'DISABLED'),
  response: { 200: ref(Administrator) },
}

export const listAdministratorSessionsSchema = {
  tags,
  summary: 'List the sessions of an administrator',
  description: 'Those that have not ended, newest first.',
  params: AdministratorPath,
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(AdministratorSession))) },
}

export const endAdministratorSessionSchema = {
  tags,
  summary: 'End a session of an administrator',
  description: 'Its access tokens end within a second. Ending what is not there answers `ended: false`.',
  params: Type.Object({ administrator_id: PathId('The administrator'), session_id: PathId('The session') }),
  response: {
    200: Type.Object(
      { ended: Type.Boolean({ description: 'False when there was no such session; that is not an error' }) },
      { examples: [{ ended: true }] },
    ),
  },
}
