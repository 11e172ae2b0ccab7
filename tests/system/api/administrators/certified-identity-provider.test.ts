import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import CertifiedProvider, { type Context } from 'oidc-provider'
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js'
import type { OidcSettings } from '../../../../src/settings/read-oidc.ts'
import { openLoginApp } from '../../../support/administrators.ts'
import { openTestApp } from '../../../support/app.ts'

const t = await openTestApp({ own: true })

const KEYS = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
}

type Variant = {
  algorithm?: keyof typeof KEYS
  /** The only way in which clients authenticate at the token endpoint. */
  method?: 'client_secret_basic' | 'client_secret_post'
  clientId?: string
  secret?: string
  /** What the ID token says of the person besides who it is. */
  claims?: Record<string, unknown>
  /** Settings of the program. */
  settings?: Partial<OidcSettings>
}

/** Logs an owner in at a certified provider that is configured so; returns the response of the callback and the session. */
async function logInAt({
  algorithm = 'ES256',
  method = 'client_secret_basic',
  clientId = 'banyan',
  secret = 'sandbox',
  claims = { roles: ['owner'] },
  settings = {},
}: Variant) {
  let provider: CertifiedProvider | undefined
  let redirectUri = ''
  const server = createServer((request, response) => {
    provider ??= new CertifiedProvider(issuer, configuration())
    if (request.url?.startsWith('/people/'))
      void provider.interactionFinished(request, response, { login: { accountId: 'somebody' } })
    else void provider.callback()(request, response)
  })
  await once(server.listen(0, 'localhost'), 'listening')
  after(() => server.close())
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const key = KEYS[algorithm]().privateKey.export({ format: 'jwk' })
  const configuration = () => ({
    adapter: createMemoryAdapter(),
    jwks: { keys: [{ ...key, kid: 'one', alg: algorithm, use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clientAuthMethods: [method],
    enabledJWA: { idTokenSigningAlgValues: [algorithm] },
    clients: [
      {
        client_id: clientId,
        client_secret: secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: method,
        id_token_signed_response_alg: algorithm,
      },
    ],
    scopes: ['openid', 'profile', 'email'],
    claims: { openid: ['sub', ...Object.keys(claims)], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_context: Context, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...claims }) }),
    loadExistingGrant: async ({ oidc: { client, session, provider: of } }: Context) => {
      const grant = new of.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    interactions: { url: (_context: Context, { uid }: { uid: string }) => `/people/${uid}` },
    features: { devInteractions: { enabled: false } },
  })
  const site = await openLoginApp(t, { issuer, clientId, clientSecret: secret, ...settings })
  redirectUri = `${site.origin}/v1/auth/oidc/callback`
  const browser = site.openBrowser()
  const response = await browser.go(await browser.callbackUrl('sandbox-owner'))
  return { ...response, session: (await browser.fetch('GET', '/v1/auth/session')).body as { role?: string } }
}

const VARIANTS: Record<string, Variant> = {
  'takes Basic alone at its token endpoint, with a secret that must be encoded': { secret: 'a b+%:&=/?' },
  'takes the secret in the body alone': { method: 'client_secret_post' },
  'signs with PS256': { algorithm: 'PS256' },
  'signs with EdDSA': { algorithm: 'EdDSA' },
  'names the claim of roles by a URL': {
    claims: { 'https://example.com/roles': ['owner'] },
    settings: { roleClaim: 'https://example.com/roles' },
  },
  'puts roles below a client id with dots': {
    clientId: 'banyan.web.app',
    claims: { resource_access: { 'banyan.web.app': { roles: ['owner'] } } },
    settings: { roleClaim: 'resource_access.banyan.web.app.roles' },
  },
}

describe('an owner logs in at a certified provider that', () => {
  for (const [name, variant] of Object.entries(VARIANTS)) {
    it(name, async () => {
      const { status, text, session } = await logInAt(variant)
      assert.deepEqual([status, session.role], [302, 'owner'], text)
    })
  }

  it('has another secret: nobody, and the error names what to correct', async () => {
    const { status, text, session } = await logInAt({ settings: { clientSecret: 'another' } })
    assert.equal(status, 400, text)
    assert.match(text, /invalid_client/)
    assert.equal(session.role, undefined)
  })
})
