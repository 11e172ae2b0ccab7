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
  /** How clients may authenticate at the token endpoint, as the metadata say; not said unless set. */
  methods?: string[]
  /** The only way that it accepts; with any other it responds invalid_client. */
  accepts?: 'client_secret_basic' | 'client_secret_post' | 'none of them'
  /** Its key is another one since this login, under the same id or another. */
  newKey?: { kid: string }
  /** Bytes of padding in the response of the token endpoint. */
  padding?: number
  /** Publishes no logout endpoint. */
  noLogout?: boolean
}

/**
 * An identity provider that logs everyone in immediately, and behaves as a test says. It checks nothing: that is our
 * part.
 */
export async function startIdentityProviderDouble() {
  let ours = await generateKeyPair('ES256')
  let kid = 'one'
  const foreign = await generateKeyPair('ES256')
  const jwk = async () => ({ ...(await exportJWK(ours.publicKey)), kid, alg: 'ES256', use: 'sig' })
  const asked: string[] = []
  const tried: string[] = []
  let behaviour: Behaviour = {}
  let nonce = ''

  async function idToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const usual = { iss: issuer, aud: 'banyan', sub: 'somebody', iat: now, exp: now + 300, nonce, roles: ['owner'] }
    const { privateKey } = behaviour.foreignKey ? foreign : ours
    const signed = await new SignJWT({ ...usual, ...behaviour.claims })
      .setProtectedHeader({ alg: 'ES256', kid })
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
    ...(behaviour.methods && { token_endpoint_auth_methods_supported: behaviour.methods }),
    ...(!behaviour.noLogout && { end_session_endpoint: `${issuer}/logout` }),
  })

  type Respond = (response: ServerResponse, query: URLSearchParams, authorization?: string) => Promise<void> | void
  const padding = () => (behaviour.padding === undefined ? {} : { padding: 'x'.repeat(behaviour.padding) })
  const responses: Record<string, Respond> = {
    '/.well-known/openid-configuration': (response) => json(response, metadata()),
    '/jwks': (response) => jwk().then((key) => json(response, { keys: [key] })),
    '/userinfo': (response) => json(response, { sub: behaviour.claims?.['sub'] ?? 'somebody', ...behaviour.userinfo }),
    '/auth': (response, query) => {
      nonce = query.get('nonce') ?? ''
      const back = new URL(query.get('redirect_uri') ?? '')
      const usual = { code: 'a-code', state: query.get('state') ?? '', iss: issuer }
      back.search = new URLSearchParams({ ...usual, ...behaviour.callback }).toString()
      response.writeHead(302, { location: back.href }).end()
    },
    '/token': async (response, _query, authorization) => {
      const method = authorization?.startsWith('Basic ') ? 'client_secret_basic' : 'client_secret_post'
      tried.push(method)
      if ((behaviour.accepts ?? method) !== method) return json(response, { error: 'invalid_client' }, 401)
      if (behaviour.newKey) [ours, kid] = [await generateKeyPair('ES256'), behaviour.newKey.kid]
      const tokens = { access_token: 'an-access-token', token_type: 'Bearer', id_token: await idToken(), ...padding() }
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
    void (responses[pathname] ?? (() => void response.writeHead(404).end()))(
      response,
      searchParams,
      request.headers.authorization,
    )
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
    /** How the client authenticated at the token endpoint. */
    tried,
    stop,
    behave: (next: Behaviour) => {
      behaviour = next
      asked.length = 0
      tried.length = 0
    },
  }
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
