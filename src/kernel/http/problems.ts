import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../log.ts'
import { messageOf } from '../message-of.ts'
import {
  malformedRequest,
  notFound,
  payloadTooLarge,
  PROBLEMS,
  type ProblemCode,
  ProblemError,
} from '../problem-error.ts'
import { contentPolicy } from './content-policy.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** The page that explains the codes; a problem's `type` points into it. */
export const PROBLEMS_PATH = '/docs/errors'

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that was sent. */
    problemCode: ProblemCode | undefined
  }
}

/** Turns every error into an RFC 9457 response. Anything but a `ProblemError` is logged and becomes a bare 500. */
export function installProblems(app: FastifyInstance, settings: { origin: string; log: Log }): void {
  app.decorateRequest('problemCode', undefined)
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendProblem(toProblemError(error, request, settings.log), request, reply),
  )
  app.setNotFoundHandler((request, reply) => sendProblem(notFound(), request, reply))

  function sendProblem(problem: ProblemError, request: FastifyRequest, reply: FastifyReply) {
    request.problemCode = problem.code
    return reply
      .code(problem.status)
      .headers(problem.headers)
      .type(PROBLEM_TYPE)
      .send(JSON.stringify(problemOf(problem, { origin: settings.origin, requestId: request.id })))
  }
}

export function problemOf(problem: ProblemError, context: { origin: string; requestId: string }) {
  return {
    type: `${context.origin}${PROBLEMS_PATH}#${problem.code}`,
    title: PROBLEMS[problem.code].title,
    status: problem.status,
    detail: problem.detail,
    instance: `urn:banyan:request:${context.requestId}`,
    code: problem.code,
    request_id: context.requestId,
    ...problem.members,
    ...(problem.errors ? { errors: problem.errors } : {}),
  }
}

const FASTIFY_CODES: Record<string, (request: FastifyRequest) => ProblemError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions: { bodyLimit } }) =>
    payloadTooLarge(`The body is too large: this operation reads at most ${bodyLimit / 1_024} KiB.`),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => malformedRequest('The length of the body differs from Content-Length.'),
  ECONNRESET: () => malformedRequest('The connection was closed before the body was complete.'),
}

/** A plugin's 403 is about a path that it does not serve. */
const BY_STATUS: Record<number, () => ProblemError> = { 403: notFound, 404: notFound }

/** Returns true for an error of the framework or one of its plugins that the request has caused. */
const isOfFramework = ({ code, statusCode = 500 }: FastifyError): boolean =>
  typeof code === 'string' && code.startsWith('FST_') && statusCode >= 400 && statusCode < 500

function toProblemError(error: FastifyError, request: FastifyRequest, log: Log): ProblemError {
  if (error instanceof ProblemError) {
    if (error.cause !== undefined)
      log.warn({ request_id: request.id, code: error.code, cause: describe(error.cause) }, 'request failed')
    return error
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType(request)
  const known = FASTIFY_CODES[error.code]
  if (known) return known(request)
  if (isOfFramework(error)) return BY_STATUS[error.statusCode ?? 0]?.() ?? malformedRequest('The request is malformed.')
  log.error({ request_id: request.id, route: request.routeOptions.url, error: describe(error) }, 'unexpected error')
  return new ProblemError('internal', 'An internal error occurred.')
}

/** Creates the 415 that names the media types the operation reads. */
function unsupportedMediaType({ routeOptions: { schema } }: FastifyRequest): ProblemError {
  const { content = { 'application/json': true } } = (schema?.body ?? {}) as { content?: object }
  const types = schema?.consumes ?? Object.keys(content)
  return new ProblemError(
    'unsupported_media_type',
    `Send the body as ${types.join(' or ')}, and name that media type in Content-Type.`,
  )
}

const CAUSES_MAX = 3

/**
 * Returns what may be logged of an error, or of what a library throws instead of one: its kind, code, statement, location and cause.
 * Messages of the database and of the parser of JSON can quote personal data and are left out, as are causes that are no
 * errors, such as a parsed response.
 */
export function describe(error: unknown, causes = CAUSES_MAX): Record<string, unknown> {
  if (typeof error !== 'object' || error === null) return { kind: typeof error }
  const { name, code, statement, constraint, table, queue, message, stack, cause } = error as Record<string, unknown>
  const isDatabase = constraint !== undefined || table !== undefined || /^[0-9A-Z]{5}$/.test(String(code))
  const isQuoting = isDatabase || error instanceof SyntaxError // of JSON, which quotes what it could not read
  return {
    name: plain(name) ?? 'object',
    code: plain(code),
    statement: plain(statement),
    constraint: plain(constraint),
    table: plain(table),
    queue: plain(queue),
    message: isQuoting ? undefined : plain(error instanceof Error ? messageOf(error) : message),
    at: locationsIn(plain(stack)),
    cause: cause instanceof Error && causes > 0 ? describe(cause, causes - 1) : undefined,
  }
}

const LOCATIONS_MAX = 5

/** Returns where an error was thrown. A stack repeats the message before that, in as many lines as it has. */
export const locationsIn = (stack: string | undefined): string[] | undefined =>
  stack
    ?.split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at .*(:\d+\)?|\(<anonymous>\))$/.test(line))
    .slice(0, LOCATIONS_MAX)

/** Undefined for anything but text, whose content is unknown. */
const plain = (value: unknown) => (typeof value === 'string' ? value : undefined)

const POLICY = contentPolicy()
const YEAR_SECONDS = 31_536_000

/** Returns the headers of every response; a page replaces the policy with its own. */
export const headersOf = ({ origin, requestId }: { origin: string; requestId: string }) => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  ...(origin.startsWith('https:') && { 'strict-transport-security': `max-age=${YEAR_SECONDS}; includeSubDomains` }),
})
