import type { Log } from '../log.ts'
import { safeMessage } from '../safe-message.ts'
import { PROBLEMS, ProblemError } from '../problem-error.ts'
import { contentPolicy } from './content-policy.ts'
import { preferredType } from './framing.ts'
import type { Exchange } from './exchange.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** What errors of a page are offered as; the problem, unless a page is preferred. */
const ERROR_TYPES = ['application/problem+json', 'text/html']

/** The page that explains the codes; a problem's `type` points into it. */
export const PROBLEMS_PATH = '/docs/errors'

/**
 * Makes an error the response of a request, as an RFC 9457 problem, and returns its body. Anything but a `ProblemError` is logged and
 * becomes a bare 500.
 */
export function respondWithProblem(error: unknown, { request, reply }: Exchange, { origin, log }: Settings): string {
  const problem = toProblemError(request.route.config.errorFor?.(error) ?? error, request, log)
  request.problemCode = problem.code
  reply.code(problem.status).headers(problem.headers)
  const { errorPage } = request.route.config
  if (errorPage && preferredType(request.headers.accept, ERROR_TYPES) === 'text/html') {
    const { html, policy } = errorPage(problem)
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy)
    return html
  }
  reply.type(PROBLEM_TYPE)
  return JSON.stringify(toProblemBody(problem, { origin, requestId: request.id }))
}

type Settings = { origin: string; log: Log }

export function toProblemBody(problem: ProblemError, context: { origin: string; requestId: string }) {
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

function toProblemError(error: unknown, { id, route }: Exchange['request'], log: Log): ProblemError {
  if (!(error instanceof ProblemError)) {
    log.error({ request_id: id, route: route.url, error: describe(error) }, 'unexpected error')
    return new ProblemError('internal', 'An internal error occurred.')
  }
  if (error.cause !== undefined)
    log.warn({ request_id: id, code: error.code, cause: describe(error.cause) }, 'request failed')
  return error
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
    message: isQuoting ? undefined : plain(error instanceof Error ? safeMessage(error) : message),
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
export const problemHeaders = ({ origin, requestId }: { origin: string; requestId: string }) => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  ...(origin.startsWith('https:') && { 'strict-transport-security': `max-age=${YEAR_SECONDS}; includeSubDomains` }),
})
