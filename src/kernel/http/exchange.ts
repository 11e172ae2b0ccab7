import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FieldError, ProblemCode, ProblemError } from '../problem-error.ts'
import type { Span } from '../tracing.ts'
import type { BodyReader } from './body.ts'
import type { Sender } from './sender.ts'

type Head = { id: string; route: Route; params: unknown; query: unknown; sender: Sender }

/** A request: its head as it came, the route that it belongs to, and what the steps of the pipeline have found out about it. */
export class Request {
  readonly startedAt = performance.now()
  readonly raw: IncomingMessage
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly id: string
  readonly route: Route
  /** Read once, before anything else: a connection that is gone does not say any more where it came from. */
  readonly sender: Sender
  params: unknown
  query: unknown
  body: unknown = undefined
  /** The caller as the log names it: a kind and an id, never a name. Undefined while nobody is authenticated. */
  callerName: string | undefined = undefined
  /** The id of the credential, session or challenge that was presented, where it is known. */
  credentialId: string | undefined = undefined
  /** How a rejected caller tried to authenticate. */
  tried: string | undefined = undefined
  /** Counts bytes of a body of unknown length as they are read. Throws 429 when there are too many. */
  countBody: ((bytes: number) => void) | undefined = undefined
  /** The code of the error that was sent. */
  problemCode: ProblemCode | undefined = undefined
  /** Undefined without tracing. */
  span: Span | undefined = undefined

  constructor(raw: IncomingMessage, { id, route, params, query, sender }: Head) {
    this.raw = raw
    this.method = raw.method ?? ''
    this.url = raw.url ?? ''
    this.headers = raw.headers
    this.id = id
    this.route = route
    this.params = params
    this.query = query
    this.sender = sender
  }
}

type HeaderValue = string | number | string[]

/** What the response to a request will have besides its body. */
export class Reply {
  statusCode = 200
  readonly raw: ServerResponse
  /** The headers by name, in lower case. */
  readonly sent: Record<string, HeaderValue>

  constructor(raw: ServerResponse, headers: Record<string, HeaderValue>) {
    this.raw = raw
    this.sent = headers
  }

  code(status: number): this {
    this.statusCode = status
    return this
  }

  header(name: string, value: HeaderValue): this {
    const { sent } = this
    // A response sets each cookie in a header of its own.
    if (name === 'set-cookie' && sent[name] !== undefined) sent[name] = [sent[name], value].flat().map(String)
    else if (name === 'vary' && sent[name] !== undefined) sent[name] = `${String(sent[name])}, ${String(value)}`
    else sent[name] = value
    return this
  }

  headers(all: Readonly<Record<string, HeaderValue>>): this {
    for (const name in all) this.header(name, all[name] as HeaderValue)
    return this
  }

  type(mediaType: string): this {
    return this.header('content-type', mediaType)
  }

  /** The response then has no body. */
  redirect(url: string): void {
    this.code(302).header('location', url)
  }

  /** Returns a signal that aborts when the connection is closed before the whole response was sent. */
  abortSignal(): AbortSignal {
    const closed = new AbortController()
    this.raw.once('close', () => closed.abort())
    return closed.signal
  }
}

/** A request with its reply. */
export type Exchange = { request: Request; reply: Reply }

/**
 * Responds to a request: returns the body of the response, as text, bytes or a stream where the reply's media type says what it
 * is, else as a value that becomes JSON.
 */
export type Handler = (request: Request, reply: Reply) => unknown

/** The input and the output of an operation, as JSON Schema and for the OpenAPI document. */
export type RouteSchema = {
  params?: object
  querystring?: object
  headers?: object
  body?: object
  /** The media types of the body; `application/json` unless set. */
  consumes?: readonly string[]
  /** By status. */
  response?: Record<number | string, object>
  operationId?: string
  tags?: readonly string[]
  summary?: string
  description?: string
}

/** The rules of a route for the steps of the pipeline. */
export interface RouteRules {
  /** Loads the record the path names, or throws 404; runs before other input errors are reported. */
  checkTargetFirst?: (request: Request) => Promise<unknown>
  /** Returns errors that a schema cannot express, reported together with the schema's. The body can have any shape. */
  validate?: (request: Request) => FieldError[]
  /** Reports input errors other than as a 422. */
  toProblem?: (errors: FieldError[]) => ProblemError
  /** Returns any other error as callers of this route read it. */
  errorFor?: (error: unknown) => unknown
  /** The media types of the response, the default one first; `application/json` unless set. */
  produces?: readonly string[]
  /** The page of an error, for browsers; others get the problem. */
  errorPage?: (problem: ProblemError) => { html: string; policy: string }
  /** Ignores the `Accept` header. */
  anyAccept?: boolean
  /** A health probe, served under any load. */
  isProbe?: boolean
  /** All its statements are shared with other callers, so it is not counted for one: 5 % of the hottest reads. */
  isBatched?: boolean
  /** The member of the body that lists the records a bulk makes: they count for the caller's limit. */
  bulk?: string
  /** Error codes of this operation beyond those of every operation; shown in the OpenAPI document. */
  problems?: readonly ProblemCode[]
  /** A success has the ETag of the record; a read then knows `If-None-Match`. */
  versioned?: boolean
  /** A success can set or delete a cookie. */
  setsCookie?: boolean
}

/** An operation or a page, as it is mounted. */
export type Route = {
  method: string
  /** With parameters as `:name`; `none` for what no route serves. */
  url: string
  schema: RouteSchema
  config: RouteRules
  /** The OpenAPI document does not list it. */
  isHidden: boolean
  /** Throws when the request is refused whatever its input is; runs before its body is read. */
  checkFirst: ((request: Request) => void) | undefined
  reader: BodyReader
  /** The size of its body in bytes, where the reader has no limit of its own. */
  bodyLimit: number
  handler: Handler
}
