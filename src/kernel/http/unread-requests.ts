import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from '../id.ts'
import type { Log } from '../log.ts'
import { malformedRequest, ProblemError } from '../problem-error.ts'
import type { Reply, Request } from './exchange.ts'
import { STATUS_CODES } from './node-http.ts'
import { problemHeaders, PROBLEM_TYPE, toProblemBody } from './problems.ts'

/**
 * Connections the client leaves open after an error response are destroyed after this, and with them handlers that wait
 * for a body.
 */
const LINGER_MS = 2_000

/** Node's errors for incomplete requests. Anything else is not HTTP. */
const PROBLEM_BY_CODE: Record<string, ProblemError> = {
  ERR_HTTP_REQUEST_TIMEOUT: new ProblemError('request_timeout', 'The request took too long to arrive.'),
  HPE_HEADER_OVERFLOW: new ProblemError('headers_too_large', 'The URL and the headers are too large.'),
}

/** A routed request; `status` is set when it was responded to outside its route. */
type PendingRequest = { request: Request; reply: Reply; status?: number }

/** Called when the connection was closed after a part of the response was sent; `done` of the door is not called then. */
export type OnSent = (request: Request, reply: Reply) => void

type UnreadSettings = { origin: string; log: Log; onSent?: OnSent | undefined }

/** Rejects and logs requests that never complete; logs responses that the client abandoned. */
export function trackUnread({ origin, log, onSent }: UnreadSettings) {
  /** The last request of each connection, after those before it whose responses are not finished: oldest first. */
  const pendingBySocket = new WeakMap<Socket, PendingRequest[]>()
  const responded = new WeakSet<Socket>()

  function logAborted(pending: readonly PendingRequest[]): void {
    for (const one of pending) {
      if (isFullySent(one)) continue
      const { request, reply } = one
      const { headersSent } = reply.raw
      if (headersSent) onSent?.(request, reply)
      const route = request.route.url
      const status = one.status ?? (headersSent ? reply.statusCode : undefined)
      const { id: request_id, method, callerName: caller, credentialId: credential } = request
      log.warn({ request_id, method, route, status, caller, credential }, 'request aborted')
    }
  }

  return {
    /**
     * Returns true when the caller got an error because the request could not be read. Whatever arrives after that is not
     * executed: after the process was suspended, a whole request can follow the 408 that its idle connection got.
     */
    isResponded: ({ socket }: IncomingMessage): boolean => responded.has(socket),

    /** Adds one listener per connection: one per request was the most expensive step of this server, 1.5 µs. */
    note(request: Request, reply: Reply): void {
      const { socket } = request.raw
      const pending = pendingBySocket.get(socket)
      if (!pending) {
        const first = [{ request, reply }]
        pendingBySocket.set(socket, first)
        return void socket.once('close', () => logAborted(first))
      }
      // Responses end in this order. Those behind an unfinished one would be kept as long as a pipelined connection lives.
      while (pending[0] && isFullySent(pending[0])) pending.shift()
      pending.push({ request, reply })
    },

    /** Responds to an unreadable request line, oversized headers, or a head or body that arrived too slowly. */
    respond(error: Error & { code?: string }, socket: Socket): void {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      const problem = PROBLEM_BY_CODE[error.code ?? ''] ?? malformedRequest('The request is not valid HTTP.')
      const { status } = problem
      const last = pendingBySocket.get(socket)?.at(-1)
      const unread = last?.request.raw.complete ? undefined : last // a complete request did not cause the error
      if (unread?.reply.raw.headersSent) return socket.destroySoon() // one request has one response
      const requestId = unread?.request.id ?? newId('req')
      if (unread) unread.status = status
      else log.warn({ request_id: requestId, status }, 'unreadable request')
      responded.add(socket)
      const respond = () => {
        socket.end(encodeProblem(problem, { origin, requestId, sent: unread?.reply.sent }))
        setTimeout(() => socket.destroy(), LINGER_MS).unref()
      }
      // Those before it on the connection have their responses first, or the caller would take this for one of them.
      if (last && !unread && !isFullySent(last)) last.reply.raw.once('finish', respond)
      else respond()
    },
  }
}

const isFullySent = ({ reply }: PendingRequest) => reply.raw.writableFinished

type ErrorContext = { origin: string; requestId: string; sent: Reply['sent'] | undefined }

/** What the response would have said to a browser about the page that sent the request. */
const OF_PAGE = /^(?:vary|access-control-.*)$/

function encodeProblem(problem: ProblemError, { sent = {}, ...context }: ErrorContext): string {
  const body = JSON.stringify(toProblemBody(problem, context))
  const headers = {
    ...problemHeaders(context),
    ...Object.fromEntries(Object.entries(sent).filter(([name]) => OF_PAGE.test(name))),
    'content-type': PROBLEM_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`, ...lines, '', body].join('\r\n')
}
