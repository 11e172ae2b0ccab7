import type { FastifyReply, FastifyRequest } from 'fastify'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
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
  HPE_HEADER_OVERFLOW: new ProblemError(
    'headers_too_large',
    'The address and the headers are larger than what is read.',
  ),
}

/** A request whose route was found already; `status` is there when it was answered past the route. */
type UnderWay = { raw: IncomingMessage; id: string; status?: number }

/** Answers and logs what never becomes a whole request, and logs the responses that nobody waited for. */
export function followUnread({ origin, log }: { origin: string; log: Log }) {
  const underWayOn = new WeakMap<Socket, UnderWay>()
  const responded = new WeakSet<Socket>()

  return {
    /**
     * True when the caller was told that the request could not be read. What arrives after that is not carried out: after a
     * process stood still, a whole request can follow the 408 that its connection got for being silent.
     */
    isResponded: ({ raw }: FastifyRequest): boolean => responded.has(raw.socket),

    note(request: FastifyRequest, reply: FastifyReply): void {
      const { id, raw, method } = request
      const underWay: UnderWay = { raw, id }
      underWayOn.set(raw.socket, underWay)
      reply.raw.once('close', () => {
        if (reply.raw.writableFinished) return
        const route = request.routeOptions.url ?? 'none'
        const status = underWay.status ?? (reply.raw.headersSent ? reply.statusCode : undefined)
        log.warn({ request_id: id, method, route, status }, 'broken off')
      })
    },

    /** For an unreadable request line, oversized headers, a head or a body that came too slowly. */
    respond(error: Error & { code?: string }, socket: Socket): void {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      const problem = PROBLEM_BY_CODE[error.code ?? ''] ?? malformedRequest('The request could not be read.')
      const { status } = problem
      const last = underWayOn.get(socket)
      const unread = last?.raw.complete ? undefined : last // of a whole one the error is not
      const requestId = unread?.id ?? newId('req')
      if (unread) unread.status = status
      else log.warn({ request_id: requestId, status }, 'not read')
      responded.add(socket)
      socket.end(bytesOf(problem, { origin, requestId }))
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    },
  }
}

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
