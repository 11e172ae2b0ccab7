import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { newId } from '../id.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type Exchange, Reply, Request, type Route, type RouteRules } from './exchange.ts'
import { createServer } from './node-http.ts'
import { describe, problemHeaders } from './problems.ts'
import { createRouter } from './router.ts'
import { readSender } from './sender.ts'
import { endTraced, traced } from './trace-requests.ts'
import { readOnAfter } from './unread-body.ts'
import { trackUnread, type OnSent } from './unread-requests.ts'

/** Slow clients are disconnected after these; normal ones never notice. */
const REQUEST_TIMEOUT_MS = 15_000
const HEADERS_TIMEOUT_MS = 8_000
/** No byte in or out: longer than any operation takes, and any active reader is faster. */
const INACTIVITY_MS = 30_000
const TIMEOUT_CHECK_INTERVAL_MS = 1_000
const KEEP_ALIVE_MS = 65_000
/** For responses in progress at shutdown; the whole program has nine seconds. */
const SHUTDOWN_TIMEOUT_MS = 5_000

/** The body of a response: text, bytes, or a stream of which the first part is there. */
export type Payload = string | Uint8Array | AsyncIterator<Uint8Array> | undefined

/** What the steps of a request need of the server. */
export type Connection = {
  isClosing: boolean
  /** Drops a request that must not be executed, because its caller has a response already. */
  dropResponded: (raw: IncomingMessage) => boolean
  send: (exchange: Exchange, payload: Payload) => void
}

/** Runs the steps of a request, and sends its response: at once where nothing has to be awaited. */
export type Serve = (exchange: Exchange, connection: Connection) => Promise<void>

type DoorSettings = {
  routes: readonly Route[]
  /** The rules of a path's missing methods. */
  missing: RouteRules
  /** The detail of a 404 for a path that is no operation. */
  noOperation?: string
  serve: Serve
  origin: string
  log: Log
  metrics: Metrics
  trustedProxies: number
  /** Called with each response that was sent, or of which a part was sent when the connection was closed. */
  onSent?: OnSent | undefined
}

export type Door = {
  server: Server
  /** Responds to one request. */
  handle: (raw: IncomingMessage, response: ServerResponse) => void
  listen: (address: { host: string; port: number }) => Promise<string>
  close: () => Promise<void>
}

/** Creates the HTTP server: limits of time, routing, sending, log, metrics, and the end. What happens in between is the pipeline's. */
export function createDoor(settings: DoorSettings): Door {
  const { serve, origin, log, metrics, trustedProxies, onSent } = settings
  const find = createRouter(settings.routes, { config: settings.missing, noOperation: settings.noOperation })
  const unread = trackUnread({ origin, log, onSent })
  const connection: Connection = { isClosing: false, dropResponded, send }

  function handle(raw: IncomingMessage, response: ServerResponse): void {
    if (dropResponded(raw)) return
    const match = find(raw.method ?? '', raw.url ?? '')
    const request = new Request(raw, { ...match, id: readRequestId(raw), sender: readSender(raw, trustedProxies) })
    const reply = new Reply(response, problemHeaders({ origin, requestId: request.id }))
    const exchange = { request, reply }
    unread.note(request, reply)
    response.once('finish', () => endTraced(exchange, () => finished(exchange)))
    traced(exchange, () => serve(exchange, connection)).catch((error: unknown) => abandon(exchange, error))
  }

  /** What cannot even be sent, such as a header that Node refuses, must not end the process. */
  function abandon({ request, reply }: Exchange, error: unknown): void {
    log.error({ request_id: request.id, route: request.route.url, error: describe(error) }, 'unexpected error')
    reply.raw.destroy()
  }

  function dropResponded(raw: IncomingMessage): boolean {
    const isResponded = unread.isResponded(raw)
    if (isResponded) raw.socket.destroy()
    return isResponded
  }

  function send(exchange: Exchange, payload: Payload): void {
    const { request, reply } = exchange
    const { raw: response, sent, statusCode } = reply
    if (dropResponded(request.raw)) return
    if (statusCode === 413 || (request.route.reader.isStreamed && request.body !== undefined)) readOnAfter(exchange)
    if (connection.isClosing) sent['connection'] = 'close'
    const length = payloadLength(payload)
    if (length !== undefined && statusCode !== 204 && !(statusCode === 304 && length === 0)) {
      sent['content-length'] ??= String(length)
    }
    response.writeHead(statusCode, sent)
    if (typeof payload === 'object' && 'next' in payload) {
      if (request.method === 'HEAD') void payload.return?.()
      else return void sendParts(response, payload)
    }
    response.end(request.method === 'HEAD' ? undefined : payload)
  }

  function finished({ request, reply }: Exchange): void {
    const { id: request_id, method, problemCode: code, callerName: caller, credentialId: credential, tried } = request
    const route = request.route.url
    const status = reply.statusCode
    const duration_ms = Math.round((performance.now() - request.startedAt) * 10) / 10
    metrics.requestDone({ method, route, status, duration_ms })
    const network = request.sender.address.logged
    log.info({ request_id, method, route, status, code, caller, credential, tried, network, duration_ms }, 'request')
    onSent?.(request, reply)
  }

  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      requireHostHeader: false, // Node's own response has no body; the pipeline checks it
    },
    handle,
  )
  server.setTimeout(INACTIVITY_MS)
  server.on('clientError', (error, socket) => unread.respond(error, socket as Socket))
  // Node would return 417 by itself, without a body.
  server.on('checkExpectation', (raw, response) => void server.emit('request', raw, response))

  return {
    server,
    handle,
    listen: async ({ host, port }) => {
      server.listen({ host, port })
      await once(server, 'listening')
      const { address, family, port: opened } = server.address() as AddressInfo
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${opened}`
    },
    close: async () => {
      connection.isClosing = true
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      // Cuts off slow readers, which would otherwise block an orderly shutdown.
      setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS).unref()
      await closed
    },
  }
}

/** Undefined for a stream, which has set its length itself where it is known. */
function payloadLength(payload: Payload): number | undefined {
  if (payload === undefined) return 0
  return typeof payload === 'string' ? Buffer.byteLength(payload) : (payload as Partial<Uint8Array>).byteLength
}

/** Begins to read a stream: an error before its first part can still become a response. */
export async function begun(stream: AsyncIterable<Uint8Array>): Promise<AsyncIterator<Uint8Array>> {
  const parts = stream[Symbol.asyncIterator]()
  const first = await parts.next()
  let isFirst = true
  return {
    next: () => (isFirst ? ((isFirst = false), Promise.resolve(first)) : parts.next()),
    return: (value) => parts.return?.(value) ?? Promise.resolve({ done: true, value }),
  }
}

/** Sends as fast as the caller reads; a stream that breaks off closes the connection, so that nobody takes a part for the whole. */
async function sendParts(response: ServerResponse, parts: AsyncIterator<Uint8Array>): Promise<void> {
  const closed = new Promise<void>((resolve) => response.once('close', resolve))
  try {
    for (let part = await parts.next(); !part.done && !response.destroyed; part = await parts.next()) {
      if (!response.write(part.value)) await Promise.race([once(response, 'drain'), closed])
    }
    if (response.destroyed) await parts.return?.()
    else response.end()
  } catch {
    response.destroy()
  }
}

const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/

/** Returns the caller's `X-Request-Id` if it is well-formed, else a new id. */
function readRequestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : newId('req')
}
