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
import {
  type FieldError,
  malformedRequest,
  notFound,
  PROBLEMS,
  type ProblemCode,
  type ProblemError,
  unavailable,
} from '../problem-error.ts'
import { traceRequests } from './trace-requests.ts'
import { installFraming, JSON_BODY_BYTES_MAX } from './framing.ts'
import { headersOf, installProblems, PROBLEM_TYPE, problemOf } from './problems.ts'
import { readSender, type Sender } from './sender.ts'
import { readOnAfter } from './unread-body.ts'
import { trackUnread, type OnBrokenOff } from './unread-requests.ts'
import { installValidation, plainCompilers } from './validation.ts'

/** Slow clients are disconnected after these; normal ones never notice. */
const REQUEST_TIMEOUT_MS = 15_000
const HEADERS_TIMEOUT_MS = 8_000
/** No byte in or out: longer than any operation takes, and any active reader is faster. */
const INACTIVITY_MS = 30_000
const TIMEOUT_CHECK_INTERVAL_MS = 1_000
const KEEP_ALIVE_MS = 65_000
/** More than Node reads of all headers, so that a long id is checked like a short one. */
const PARAM_LENGTH_MAX = 16_384
/** For responses in progress at shutdown; the whole program has nine seconds. */
const SHUTDOWN_TIMEOUT_MS = 5_000

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** A request with its reply. */
export type Exchange = { request: FastifyRequest; reply: FastifyReply }

declare module 'fastify' {
  interface FastifyRequest {
    /** Read once, before anything else: a connection that is gone does not say any more where it came from. */
    sender: Sender
    /** The caller as the log names it: a kind and an id, never a name. Undefined while nobody is authenticated. */
    callerName: string | undefined
    /** The id of the credential, session or challenge that was presented, where it is known. */
    credentialId: string | undefined
    /** Counts bytes of a body of unknown length as they are read. Throws 429 when there are too many. */
    countBody: ((bytes: number) => void) | undefined
    /** How a rejected caller tried to authenticate. */
    tried: string | undefined
  }
  interface FastifyContextConfig {
    /** Loads the record the path names, or throws 404; runs before other input errors are reported. */
    checkTargetFirst?: (request: FastifyRequest) => Promise<unknown>
    /**
     * Returns errors that a schema cannot express, reported together with the schema's. The body can have any shape.
     */
    validate?: (request: FastifyRequest) => FieldError[]
    /** Reports input errors other than as a 422. */
    toProblem?: (errors: FieldError[]) => ProblemError
    /** The media types of the response, the default one first; `application/json` unless set. */
    produces?: readonly string[]
    /** Ignores the `Accept` header. */
    anyAccept?: boolean
    /** A health probe, served under any load. */
    isProbe?: boolean
    /** All its statements are shared with other callers, so it is not counted for one: 5 % of the hottest reads. */
    isShared?: boolean
    /** Error codes of this operation beyond those of every operation; shown in the OpenAPI document. */
    problems?: readonly ProblemCode[]
    /** A success has the ETag of the record; a read then knows `If-None-Match`. */
    versioned?: boolean
    /** A success can set or delete a cookie. */
    setsCookie?: boolean
  }
}

type ServerSettings = {
  origin: string
  log: Log
  clock: Clock
  metrics: Metrics
  trustedProxies: number
  /** Returns true while new requests would be served too late, or wrong. */
  isUnavailable?: () => boolean
  onBrokenOff?: OnBrokenOff
}

/**
 * Creates the HTTP server with everything that is not business logic: limits, framing, validation, problems, log,
 * metrics.
 */
export function createServer(settings: ServerSettings): App {
  const { origin, log, onBrokenOff, isUnavailable = () => false } = settings
  let closing = false
  const unread = trackUnread({ origin, log, onBrokenOff })
  const app = Fastify({
    logger: false,
    bodyLimit: JSON_BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: INACTIVITY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      requireHostHeader: false, // Node's own response has no body; framing checks it
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    schemaController: plainCompilers,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    genReqId: requestIdOf,
    clientErrorHandler: unread.respond,
    frameworkErrors: (error, request, reply) => {
      const thrown = error.code === 'FST_ERR_BAD_URL' ? malformedRequest('The URL is malformed.') : notFound()
      const context = { origin, requestId: request.id }
      const problem = problemOf(thrown, context)
      const plain = reply as unknown as FastifyReply
      void plain.code(problem.status).headers(headersOf(context)).type(PROBLEM_TYPE).send(JSON.stringify(problem))
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  for (const name of ['sender', 'callerName', 'credentialId', 'tried', 'countBody'])
    app.decorateRequest(name, undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    request.sender = readSender(request, settings.trustedProxies)
    done()
  })
  traceRequests(app)
  app.addHook('preClose', async () => {
    closing = true
    // Cuts off slow readers, which would otherwise block an orderly shutdown.
    setTimeout(() => app.server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS).unref()
  })
  app.addHook('onSend', (request: FastifyRequest, reply: FastifyReply, _payload, done) => {
    if (reply.statusCode === PROBLEMS.payload_too_large.status) readOnAfter(reply, request.raw)
    if (closing) reply.header('connection', 'close')
    done()
  })
  /** Drops a request that must not be executed, because its caller already has a response. */
  const dropResponded = (request: FastifyRequest, reply: FastifyReply): boolean => {
    if (!unread.isResponded(request)) return false
    reply.hijack()
    request.raw.socket.destroy()
    return true
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (dropResponded(request, reply)) return
    reply.headers(headersOf({ origin, requestId: request.id }))
    unread.note(request, reply)
    const { isProbe = false } = request.routeOptions.config
    done(closing || (!isProbe && isUnavailable()) ? unavailable() : undefined)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const duration_ms = Math.round(reply.elapsedTime * 10) / 10
    settings.metrics.requestDone({ method: request.method, route, status: reply.statusCode, duration_ms })
    const { id: request_id, method, problemCode: code, callerName: caller, credentialId: credential, tried } = request
    const status = reply.statusCode
    const network = request.sender.address.logged
    log.info({ request_id, method, route, status, code, caller, credential, tried, network, duration_ms }, 'request')
    done()
  })

  installProblems(app, { origin, log })
  installFraming(app)
  // The rest of a body can arrive after its 408 too.
  app.addHook('preValidation', (request, reply, done) => {
    if (!dropResponded(request, reply)) done()
  })
  installValidation(app, settings.clock)
  return app
}

const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/

/** Returns the caller's `X-Request-Id` if it is well-formed, else a new id. */
function requestIdOf(raw: { headers: IncomingMessage['headers'] }): string {
  const sent = raw.headers['x-request-id']
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : newId('req')
}
