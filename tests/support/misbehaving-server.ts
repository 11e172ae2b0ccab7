import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

/** What the server does to a request, named by the first part of its path; with `-once` only to the first one there. */
export const BEHAVIOURS = {
  hang: 'says nothing',
  stall: 'says nothing more after its headers',
  half: 'breaks off in the middle of the body',
  cut: 'closes the connection without a response',
  html: 'sends the page of somebody else',
  empty: 'sends 204',
  redirect: 'sends the client elsewhere',
  newer: 'has members, states and types that the client does not know',
  clock: 'is a year behind',
  slow: 'sends a byte, and another one',
  plain: 'does what it should',
} as const
export type Behaviour = keyof typeof BEHAVIOURS

const YEAR_S = 366 * 24 * 3600
const PIECE_BYTES = 40
export const MISBEHAVED_USER_ID = '012345678901'

type Seen = { method: string; path: string; headers: IncomingMessage['headers'] }

/**
 * A service that misbehaves: `urlOf('half')` is the address of one that breaks off. It needs no database, so whatever the
 * client is written in, it can be walked through every kind of call.
 */
export async function openMisbehavingNetwork() {
  const seen: Seen[] = []
  let opened = 0
  const server = createServer((request, response) => {
    request.resume()
    const [, name = '', path = ''] = /^\/([a-z-]+\.\d+)(\/.*)$/.exec(String(request.url)) ?? []
    const [behaviour = 'plain', once] = name.split('.')[0]?.split('-') ?? []
    const isFirst = !seen.some((one) => one.path.startsWith(`/${name}/`))
    seen.push({ method: String(request.method), path: String(request.url), headers: request.headers })
    const now = once === undefined || isFirst ? (behaviour as Behaviour) : 'plain'
    void respond(now, { method: String(request.method), path, response }).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close().closeAllConnections())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    /** A new address, whose requests are counted on their own. */
    urlOf: (behaviour: Behaviour | `${Behaviour}-once`) => `${origin}/${behaviour}.${++opened}`,
    /** The requests that reached this address, without those for a token if they are not what is looked for. */
    seenAt: (url: string, part = '') =>
      seen.filter(({ path }) => path.startsWith(`${new URL(url).pathname}/`) && path.includes(part)),
  }
}

type Context = { method: string; path: string; response: ServerResponse }

async function respond(behaviour: Behaviour, { method, path, response }: Context): Promise<void> {
  const { status, type, body } = properResponse(method, path, behaviour)
  const headers = { 'content-type': type, 'content-length': String(body.length), etag: '"1"' }
  switch (behaviour) {
    case 'hang':
      return
    case 'stall':
      return response.writeHead(status, headers).flushHeaders()
    case 'half':
      return void response.writeHead(status, headers).write(body.subarray(0, 9), () => response.destroy())
    case 'cut':
      return void response.destroy()
    case 'html':
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in to the network</h1>')
    case 'empty':
      return void response.writeHead(204).end()
    case 'redirect':
      return void response.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' }).end()
    case 'slow':
      response.writeHead(status, headers)
      for (let at = 0; at < body.length; at += PIECE_BYTES) {
        response.write(body.subarray(at, at + PIECE_BYTES))
        await sleep(1, undefined, { ref: false })
      }
      return void response.end()
    case 'clock':
      response.sendDate = false
      headers['date' as 'etag'] = new Date(Date.now() - YEAR_S * 1_000).toUTCString()
      return void response.writeHead(status, headers).end(body)
    case 'newer':
    case 'plain':
      return void response.writeHead(status, headers).end(body)
  }
}

/** A token as the service signs them, for those who read only what it says. */
function tokenOf(issuedAt: number, lifetimeS: number): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${part({ alg: 'EdDSA' })}.${part({ iat: issuedAt, exp: issuedAt + lifetimeS })}.c2ln`
}

function properResponse(method: string, path: string, behaviour: Behaviour) {
  const issuedAt = Math.floor(Date.now() / 1_000) - (behaviour === 'clock' ? YEAR_S : 0)
  const newer =
    behaviour === 'newer' ? { loyalty: { tier: 'GOLD' }, amount_in_points: 12.5, status: 'HIBERNATING' } : {}
  const at = '2026-04-01T09:30:00'
  const transaction = { transaction_id: 'txn_1', amount: 50_000, balance_after: 50_000, created_at: at }
  const event = {
    id: 'evt_1',
    type: behaviour === 'newer' ? 'policy.hibernated' : 'policy.status_changed',
    timestamp: `${at}.123Z`,
    subject: 'pol_1',
    platform_id: null,
    data: { user_id: MISBEHAVED_USER_ID, from: 'APPROVED', to: 'ISSUED', ...newer },
  }
  const pair = {
    access_token: tokenOf(issuedAt, 900),
    refresh_token: 'refresh-2',
    access_token_expires_at: issuedAt + 900,
    refresh_token_expires_at: issuedAt + 30 * 24 * 3600,
  }
  const json = (body: object, status = 200) => ({
    status,
    type: 'application/json',
    body: Buffer.from(JSON.stringify({ ...body, ...newer })),
  })
  if (path.endsWith('/oauth/token'))
    return json({ access_token: tokenOf(issuedAt, 3600), token_type: 'Bearer', expires_in: 3600 })
  if (path.endsWith('/auth/token/refresh')) return json(pair)
  if (path.startsWith('/v1/events')) return json({ data: [event], next: 'evt_1', has_more: false })
  if (path.includes('/documents/'))
    return method === 'GET'
      ? { status: 200, type: 'application/pdf', body: Buffer.from(`%PDF-1.7\n${'x'.repeat(200)}\n%%EOF\n`) }
      : json({ document_type: 'policy_certificate', uploaded_at: at })
  if (path.endsWith('/credits')) return json(transaction, 201)
  if (path.startsWith('/v1/webhook_endpoints'))
    return json({ id: 'whk_1', url: 'https://p.example', created_at: at }, 201)
  if (/^\/v1\/users(\?|$)/.test(path))
    return json({ data: [{ user_id: MISBEHAVED_USER_ID, created_at: at }], total: 1, offset: 0, limit: 50 })
  return json({ user_id: MISBEHAVED_USER_ID, first_name: 'Asha', created_at: at })
}
