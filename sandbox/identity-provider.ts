import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from 'oidc-provider'
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js'
import { escapeHtml } from '../src/kernel/http/pages.ts'

type Person = { name: string; email: string; roles: string[] }

/**
 * The people, by the `sub` of their ID token. The claim `roles` holds their rights; `desk` and `support` are people of the partners
 * that every start creates (`src/settings/sandbox-partners.ts`).
 */
const PEOPLE: Record<string, Person> = {
  'sandbox-owner': { name: 'Asha Example', email: 'asha@example.com', roles: ['owner'] },
  'sandbox-operator': { name: 'Ravi Example', email: 'ravi@example.com', roles: ['operator'] },
  'sandbox-viewer': { name: 'Meera Example', email: 'meera@example.com', roles: ['viewer'] },
  'sandbox-desk': { name: 'Kiran Example', email: 'kiran@insurer.example', roles: ['desk'] },
  'sandbox-support': { name: 'Nila Example', email: 'nila@partner.example', roles: ['support'] },
}

/** What the people may do, for those who choose one. */
const WORDS: Record<string, string> = {
  owner: 'owner: everything',
  operator: 'operator: daily work and partners',
  viewer: 'viewer: reads',
  desk: 'desk of the demo’s insurer',
  support: 'support of the demo’s platform',
}

/** The credentials of the client; public, like everything in the sandbox. */
const CLIENT = { client_id: 'banyan', client_secret: 'sandbox' }
const SCOPES = ['openid', 'profile', 'email']
const DAY_SECONDS = 86_400

type IdentityProviderSettings = {
  /** The URL of the sandbox, without a path. */
  sandboxOrigin: string
  /** The URL of the program that people log in to. */
  appOrigin: string
}

/** Mounts an OpenID Connect provider with five people and no passwords: clicking on a name logs in as that person. */
export async function identityProviderRoutes(app: FastifyInstance, settings: IdentityProviderSettings): Promise<void> {
  let provider: ReturnType<typeof openProvider> | undefined
  /** Opened at the first request, because loading it takes a second. */
  const openOnce = () => (provider ??= openProvider(settings))

  /** The provider reads the request itself, and does not know the path it is mounted at. */
  const pass = async (request: FastifyRequest, reply: FastifyReply) => {
    const { respond } = await openOnce()
    reply.hijack()
    const { raw } = request
    Object.assign(raw, { originalUrl: raw.url, url: raw.url?.slice('/oidc'.length) })
    await respond(raw, reply.raw)
    return reply
  }

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))

    scope.get<{ Params: { uid: string } }>('/oidc/people/:uid', ({ params }, reply) =>
      reply.type('text/html; charset=utf-8').send(peoplePage(params.uid)),
    )

    scope.post<{ Params: { uid: string; person: string } }>('/oidc/people/:uid/:person', async (request, reply) => {
      const { person } = request.params
      if (!Object.hasOwn(PEOPLE, person)) return reply.code(404).send({ error: 'there is no such person' })
      const { provider } = await openOnce()
      reply.hijack()
      await provider.interactionFinished(request.raw, reply.raw, { login: { accountId: person } })
      return reply
    })

    scope.all('/oidc/*', pass)
  })
}

async function openProvider(settings: IdentityProviderSettings) {
  const { default: Provider } = await import('oidc-provider')
  const provider = new Provider(`${settings.sandboxOrigin}/oidc`, configurationOf(settings))
  return { provider, respond: provider.callback() }
}

function configurationOf({ appOrigin }: IdentityProviderSettings): Record<string, unknown> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { ...privateKey.export({ format: 'jwk' }), kid: randomBytes(6).toString('hex'), alg: 'ES256', use: 'sig' }
  return {
    adapter: createMemoryAdapter(), // the same as without one, but nothing is printed about it
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: [
      {
        ...CLIENT,
        redirect_uris: [`${appOrigin}/v1/auth/oidc/callback`],
        post_logout_redirect_uris: ['/docs', '/dashboard'].map((path) => `${appOrigin}${path}`),
        id_token_signed_response_alg: 'ES256',
      },
    ],
    scopes: SCOPES,
    claims: { openid: ['sub', 'roles'], profile: ['name'], email: ['email'] },
    conformIdTokenClaims: false, // so that the claims are in the ID token
    findAccount: (_context: Context, id: string) => {
      const person = PEOPLE[id]
      return person && { accountId: id, claims: () => ({ sub: id, ...person }) }
    },
    loadExistingGrant: grantConsent,
    interactions: { url: (_context: Context, { uid }: { uid: string }) => `/oidc/people/${uid}` },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true, logoutSource: askToLogOut },
    },
    renderError: (context: Context, { error, error_description: detail }: Record<string, string>) => {
      context.type = 'html'
      context.body = page('Login failed', `<p>${escapeHtml(`${error}: ${detail ?? ''}`)}</p>`)
    },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 3_600,
      Interaction: 600,
      Session: DAY_SECONDS,
      Grant: DAY_SECONDS,
    },
  }
}

/** Grants the scopes without asking for consent. */
async function grantConsent({ oidc: { client, session, provider } }: Context) {
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope(SCOPES.join(' '))
  await grant.save()
  return grant
}

const peoplePage = (uid: string) =>
  page(
    'Who are you?',
    Object.entries(PEOPLE)
      .map(
        ([id, { name, roles }]) =>
          `<form method="post" action="/oidc/people/${encodeURIComponent(uid)}/${id}"><button><b>${name}</b><br>${roles.map((role) => WORDS[role]).join()}</button></form>`,
      )
      .join('\n'),
  )

function askToLogOut(context: Context, form: string): void {
  context.type = 'html'
  context.body = page(
    'Log out here too?',
    `${form}
<button form="op.logoutForm" name="logout" value="yes">Log out</button>
<button form="op.logoutForm">Stay logged in here</button>`,
  )
}

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>:root { color-scheme: light dark } body { font: 1rem/1.5 system-ui; max-width: 24rem; margin: 3rem auto; padding: 0 1rem } button { font: inherit; width: 100%; margin: .25rem 0; padding: .5rem 1rem; text-align: left; cursor: pointer }</style>
<h1>${title}</h1>
<p>This is the sandbox: an identity provider without passwords.</p>
${content}
</html>
`
