import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawServerDefault,
} from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newId } from '../id.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type FieldError, malformedRequest, notFound, type ProblemError, unavailable } from '../problem-error.ts'
import { installFraming, JSON_BODY_BYTES_MAX } from './framing.ts'
import { headersOf, installProblems, PROBLEM_TYPE, problemOf } from './problems.ts'
import { followUnread } from './unread-requests.ts'
import { installValidation, plainCompilers } from './validation.ts'

/** A slow client is gone after these; a good one never notices. */
const REQUEST_TIMEOUT_MS = 15_000
const HEADERS_TIMEOUT_MS = 8_000
/** Not a byte in or out: longer than any operation works, and nobody who reads is silent for so long. */
const SILENCE_MS = 30_000
const TIMEOUT_CHECK_INTERVAL_MS = 1_000
const KEEP_ALIVE_MS = 65_000
const PARAM_LENGTH_MAX = 300
/** For answers under way when the server stops; the program has nine seconds for everything. */
const SHUTDOWN_TIMEOUT_MS = 5_000

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Finds the thing that the path names, refusing with 404; run before errors of the rest of the input are told. */
    loadTarget?: (request: FastifyRequest) => Promise<unknown>
    /** Errors that a schema cannot say, told together with the schema's. The body it sees can be of any shape. */
    errors?: (request: FastifyRequest) => FieldError[]
    /** Says the errors of the input in another way than as a 422. */
    toProblem?: (errors: FieldError[]) => ProblemError
    /** The media types in which the response can be had, the usual one first; `application/json` unless said otherwise. */
    produces?: readonly string[]
    /** The `Accept` header is left alone. */
    anyAccept?: boolean
    /** Asks whether the process is there, and so is answered whatever the load is. */
    isProbe?: boolean
    /** All that it sends to the database is shared with other callers, so it needs no lane: 5 % of the hottest reads. */
    isShared?: boolean
    /** Codes this operation can refuse with, beyond those every operation has; shown in the OpenAPI document. */
    refuses?: string[]
    /** Whether the response carries an ETag, where the rules of the OpenAPI document would not guess it. */
    versioned?: boolean
  }
}

type ServerSettings = {
  origin: string
  log: Log
  clock: Clock
  metrics: Metrics
  trustedProxies: number
  /** True while new requests would be answered too late. */
  isOverloaded?: () => boolean
}

/** The HTTP server with everything that knows no business word: limits, framing, validation, problems, log, metrics. */
export function createServer(settings: ServerSettings): App {
  const { origin, log, isOverloaded = () => false } = settings
  let closing = false
  const unread = followUnread({ origin, log })
  const app = Fastify({
    logger: false,
    bodyLimit: JSON_BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: SILENCE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      requireHostHeader: false, // Node would answer without a body; framing asks for it
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    schemaController: plainCompilers,
    // A number of hops, not `true`: that would believe whatever the caller itself writes into X-Forwarded-For.
    trustProxy: (_address, hop) => hop < settings.trustedProxies,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    genReqId: requestIdOf,
    clientErrorHandler: unread.respond,
    frameworkErrors: (error, request, reply) => {
      const thrown = error.code === 'FST_ERR_BAD_URL' ? malformedRequest('The URL is malformed.') : notFound()
      const problem = problemOf(thrown, { origin, requestId: request.id })
      const plain = reply as unknown as FastifyReply
      void plain.code(problem.status).headers(headersOf(request.id)).type(PROBLEM_TYPE).send(JSON.stringify(problem))
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.addHook('preClose', async () => {
    closing = true
    // Who reads a response too slowly is cut off, or nothing after this would be closed in order.
    setTimeout(() => app.server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS).unref()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })
  /** Ends what must not be carried out any more: its caller has its response. */
  const dropAnswered = (request: FastifyRequest, reply: FastifyReply): boolean => {
    if (!unread.isResponded(request)) return false
    reply.hijack()
    request.raw.socket.destroy()
    return true
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (dropAnswered(request, reply)) return
    reply.headers(headersOf(request.id))
    unread.note(request, reply)
    const { isProbe = false } = request.routeOptions.config
    done(closing || (!isProbe && isOverloaded()) ? unavailable() : undefined)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const duration_ms = Math.round(reply.elapsedTime * 10) / 10
    settings.metrics.requestDone({ method: request.method, route, status: reply.statusCode, duration_ms })
    log.info(
      { request_id: request.id, method: request.method, route, status: reply.statusCode, duration_ms },
      'request',
    )
    done()
  })

  installProblems(app, { origin, log })
  installFraming(app)
  // The rest of a body can follow its 408 too.
  app.addHook('preValidation', (request, reply, done) => {
    if (!dropAnswered(request, reply)) done()
  })
  installValidation(app, settings.clock)
  return app
}

const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/

/** The caller's `X-Request-Id` when it looks like one, else one of ours. */
function requestIdOf(raw: { headers: IncomingMessage['headers'] }): string {
  const sent = raw.headers['x-request-id']
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : newId('req')
}
