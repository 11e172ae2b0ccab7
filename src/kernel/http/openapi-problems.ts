import { Type } from 'typebox'
import { FIELD_ERROR_CODES, type FieldErrorCode } from '../field-error-codes.ts'
import { CONFLICT_REASONS, PROBLEMS, type ProblemCode } from '../problem-error.ts'
import { OneOf, record } from './schemas.ts'

const codes = Object.keys(PROBLEMS) as ProblemCode[]

const FieldError = Type.Object(
  {
    pointer: Type.String({
      description:
        'Location: a JSON Pointer into the body (`/dependants/3/date_of_birth`), or a parameter such as `query:limit`, `path:user_id`, `header:idempotency-key`. Empty for the whole body.',
    }),
    code: OneOf(Object.keys(FIELD_ERROR_CODES) as FieldErrorCode[], { description: 'Stable code, for programs' }),
    detail: Type.String({ description: 'What is wrong and how to fix it, for people' }),
  },
  {
    title: 'FieldError',
    description: 'An error in the input',
    examples: [{ code: 'format', ...FIELD_ERROR_CODES.format.example }],
  },
)

/** Returns the schema of a problem; `states` are those that `invalid_state` can name. */
export const problemOf = (states: readonly string[]) =>
  record(
    'Problem',
    {
      type: Type.String({ format: 'uri', description: 'URL of the documentation of the code' }),
      title: Type.String({ description: 'Title of the code' }),
      status: Type.Integer({ description: 'HTTP status' }),
      detail: Type.String({ description: 'What is wrong in this case, for people; not stable' }),
      instance: Type.String({ format: 'uri', description: 'Identifies this response' }),
      code: OneOf(codes, { description: 'Stable code, for programs' }),
      request_id: Type.String({ description: 'Identifies the request in our log; the same as `X-Request-Id`' }),
      current_state: Type.Optional(OneOf(states, { description: 'For `invalid_state`: the current state' })),
      allowed_transitions: Type.Optional(
        Type.Array(OneOf(states), { description: 'For `invalid_state`: the states that this caller can set' }),
      ),
      reason: Type.Optional(
        OneOf(Object.keys(CONFLICT_REASONS) as (keyof typeof CONFLICT_REASONS)[], {
          description: 'For `conflict`: the reason',
        }),
      ),
      existing_ids: Type.Optional(
        Type.Array(Type.String(), {
          description: 'For `already_exists`: ids of the conflicting records that the caller may know',
        }),
      ),
      error: Type.Optional(
        OneOf(['invalid_client', 'invalid_request', 'unsupported_grant_type'], {
          description: 'At the token endpoint: error code of RFC 6749, 5.2',
        }),
      ),
      errors: Type.Optional(
        Type.Array(FieldError, { description: 'For `validation_failed`: one entry for each error' }),
      ),
    },
    {
      description: 'An error (RFC 9457, application/problem+json)',
      examples: [exampleOfProblem('validation_failed')],
    },
  )

export function exampleOfProblem(code: ProblemCode): Record<string, unknown> {
  const { status, title, example } = PROBLEMS[code]
  return {
    type: `http://localhost:8080/docs/errors#${code}`,
    title,
    status,
    instance: 'urn:banyan:request:req_06bnv3kq0r3cj8m3w0h2d8y6xg',
    code,
    request_id: 'req_06bnv3kq0r3cj8m3w0h2d8y6xg',
    ...example,
  }
}

export const LIMIT_HEADERS = ['RateLimit-Policy', 'RateLimit']

/** The headers of a problem by its status, besides those of every response. */
const HEADERS_BY_STATUS: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After', ...LIMIT_HEADERS],
  503: ['Retry-After'],
}
/** Statuses of responses that are sent after the request was counted; a 401 where the operation verifies the caller. */
const COUNTED = new Set([400, 401, 403, 404, 409, 412, 413, 415, 422, 500, 503])

type Response = { description: string; headers: Record<string, object>; content: Record<string, object> }

/** Returns the responses with these codes, by status: each with a name, its possible codes and their meaning. */
export function problemResponses(
  possible: Iterable<ProblemCode>,
): { status: string; name: string; response: Response }[] {
  const byStatus = Map.groupBy(
    codes.filter((code) => new Set(possible).has(code)),
    (code) => PROBLEMS[code].status,
  )
  return [...byStatus].map(([status, ofStatus]) => ({
    status: String(status),
    name: ofStatus.map(inCapitals).join('Or'),
    response: {
      description: ofStatus
        .map((code) => `\`${code}\`: ${PROBLEMS[code].meaning} ${PROBLEMS[code].remedy}`)
        .join('\n\n'),
      headers: headersNamed('X-Request-Id', ...headersOfProblem(status, ofStatus)),
      content: {
        'application/problem+json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Problem' },
              { required: ['code'], properties: { code: { type: 'string', enum: ofStatus } } },
            ],
          },
          examples: Object.fromEntries(ofStatus.map((code) => [code, { value: exampleOfProblem(code) }])),
        },
      },
    },
  }))
}

const headersOfProblem = (status: number, ofStatus: ProblemCode[]) => [
  ...(ofStatus.includes('idempotency_in_progress') ? ['Retry-After'] : []),
  ...(HEADERS_BY_STATUS[status] ?? []),
  ...(COUNTED.has(status) ? LIMIT_HEADERS : []),
]

/** Returns references to headers that the document describes once. */
export const headersNamed = (...names: string[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Returns `NotFound` for `not_found`. */
const inCapitals = (code: string) => code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
