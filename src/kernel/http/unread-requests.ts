import type { FastifyReply, FastifyRequest } from 'fastify'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { newId } from '../id.ts'
import type { Log } from '../log.ts'
import { malformedRequest, ProblemError } from '../problem-error.ts'
import { headersOf, PROBLEM_TYPE, problemOf } from './problems.ts'

/** Who was answered here and does not close the connection loses it, and with it the handler that waits for a body. */
const LINGER_MS = 2_000

/** What Node says of a request that does not become whole. Anything else is not HTTP. */
const PROBLEM_BY_CODE: Record<string, ProblemError> = {
  ERR_HTTP_REQUEST_TIMEOUT: new ProblemError('request_timeout', 'The request took too long to arrive.'),
  HPE_HEADER_OVERFLOW: new ProblemError('headers_too_large', 'The URL and the headers are too large.'),
}

/**
 * A request whose route was found already; `status` is there when it was answered past the route. `before` came on the same
 * connection and is not answered yet.
 */
type UnderWay = { request: FastifyRequest; reply: FastifyReply; before: UnderWay | undefined; status?: number }

/** Answers and logs what never becomes a whole request, and logs the responses that nobody waited for. */
export function followUnread({ origin, log }: { origin: string; log: Log }) {
  const underWayOn = new WeakMap<Socket, UnderWay>()
  const responded = new WeakSet<Socket>()

  function tellBrokenOff(last: UnderWay | undefined): void {
    for (let one = last; one; one = one.before) {
      if (isAnsweredWhole(one)) continue
      const { request, reply } = one
      const route = request.routeOptions.url ?? 'none'
      const status = one.status ?? (reply.raw.headersSent ? reply.statusCode : undefined)
      log.warn({ request_id: request.id, method: request.method, route, status }, 'request aborted')
    }
  }

  return {
    /**
     * True when the caller was told that the request could not be read. What arrives after that is not carried out: after a
     * process stood still, a whole request can follow the 408 that its connection got for being silent.
     */
    isResponded: ({ raw }: FastifyRequest): boolean => responded.has(raw.socket),

    /** One listener a connection: one a request was the dearest thing that is done for each of them here, 1.5 µs. */
    note(request: FastifyRequest, reply: FastifyReply): void {
      const { socket } = request.raw
      const last = underWayOn.get(socket)
      if (!last) socket.once('close', () => tellBrokenOff(underWayOn.get(socket)))
      underWayOn.set(socket, { request, reply, before: last && isAnsweredWhole(last) ? undefined : last })
    },

    /** For an unreadable request line, oversized headers, a head or a body that came too slowly. */
    respond(error: Error & { code?: string }, socket: Socket): void {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      const problem = PROBLEM_BY_CODE[error.code ?? ''] ?? malformedRequest('The request is not valid HTTP.')
      const { status } = problem
      const last = underWayOn.get(socket)
      const unread = last?.request.raw.complete ? undefined : last // of a whole one the error is not
      if (unread?.reply.raw.headersSent) return socket.destroySoon() // by its head; one request has one response
      const requestId = unread?.request.id ?? newId('req')
      if (unread) unread.status = status
      else log.warn({ request_id: requestId, status }, 'unreadable request')
      responded.add(socket)
      socket.end(bytesOf(problem, { origin, requestId }))
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    },
  }
}

const isAnsweredWhole = ({ reply }: UnderWay) => reply.raw.writableFinished

function bytesOf(problem: ProblemError, context: { origin: string; requestId: string }): string {
  const body = JSON.stringify(problemOf(problem, context))
  const headers = {
    ...headersOf(context.requestId),
    'content-type': PROBLEM_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`, ...lines, '', body].join('\r\n')
}
