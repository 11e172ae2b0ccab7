import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** How the next login goes wrong, or is otherwise unusual. */
type Behaviour = {
  /** Members of the ID token, in place of the right ones; undefined removes one. */
  claims?: Record<string, unknown>
  /** Of the callback URL. */
  callback?: Record<string, string>
  /** Replaces the ID token by what this makes of it. */
  reshape?: (idToken: string) => string
  /** Signs with a key that is not published. */
  foreignKey?: boolean
  userinfo?: Record<string, unknown>
  /** The response of the token endpoint instead. */
  tokenStatus?: number
  /** Publishes no logout endpoint. */
  noLogout?: boolean
}

/**
 * An identity provider that logs everyone in immediately, and behaves as a test says. It checks nothing: that is our
 * part.
 */
export async function startIdentityProviderDouble() {
  const ours = await generateKeyPair('ES256')
  const foreign = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(ours.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const asked: string[] = []
  let behaviour: Behaviour = {}
  let nonce = ''

  async function idToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const usual = { iss: issuer, aud: 'banyan', sub: 'somebody', iat: now, exp: now + 300, nonce, roles: ['owner'] }
    const { privateKey } = behaviour.foreignKey ? foreign : ours
    const signed = await new SignJWT({ ...usual, ...behaviour.claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(privateKey)
    return behaviour.reshape?.(signed) ?? signed
  }

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
    ...(!behaviour.noLogout && { end_session_endpoint: `${issuer}/logout` }),
  })

  const responses: Record<string, (response: ServerResponse, query: URLSearchParams) => Promise<void> | void> = {
    '/.well-known/openid-configuration': (response) => json(response, metadata()),
    '/jwks': (response) => json(response, { keys: [jwk] }),
    '/userinfo': (response) => json(response, { sub: behaviour.claims?.['sub'] ?? 'somebody', ...behaviour.userinfo }),
    '/auth': (response, query) => {
      nonce = query.get('nonce') ?? ''
      const back = new URL(query.get('redirect_uri') ?? '')
      const usual = { code: 'a-code', state: query.get('state') ?? '', iss: issuer }
      back.search = new URLSearchParams({ ...usual, ...behaviour.callback }).toString()
      response.writeHead(302, { location: back.href }).end()
    },
    '/token': async (response) => {
      const tokens = { access_token: 'an-access-token', token_type: 'Bearer', id_token: await idToken() }
      json(
        response,
        behaviour.tokenStatus ? { error: 'server_error', ...behaviour.userinfo } : tokens,
        behaviour.tokenStatus,
      )
    },
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer)
    asked.push(pathname)
    void (responses[pathname] ?? (() => void response.writeHead(404).end()))(response, searchParams)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  }
  after(async () => (server.listening ? stop() : undefined))

  return {
    issuer,
    /** The paths that were requested. */
    asked,
    stop,
    behave: (next: Behaviour) => {
      behaviour = next
      asked.length = 0
    },
  }
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
