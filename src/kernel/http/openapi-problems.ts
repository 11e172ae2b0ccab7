import { Type } from 'typebox'
import { FIELD_ERROR_CODES } from '../field-error-codes.ts'
import { CONFLICT_REASONS, PROBLEMS, type ProblemCode } from '../problem-error.ts'
import { Nullable, OneOf, record } from './schemas.ts'

const codes = Object.keys(PROBLEMS) as ProblemCode[]

/** What callers read about a problem code. */
export type ProblemDescription = {
  meaning: string
  /** How the caller can fix it. */
  remedy: string
  /** Example members of the response, besides those of every problem. */
  example: { detail: string; [member: string]: unknown }
}

export type ProblemTexts = {
  problems: Record<ProblemCode, ProblemDescription>
  /** Where an error can be, with examples. */
  pointers: string
  fieldErrorExample: object
}

const toFieldError = ({ pointers, fieldErrorExample }: ProblemTexts) =>
  Type.Object(
    {
      pointer: Type.String({ description: `Location: ${pointers}. Empty for the whole body.` }),
      code: OneOf(FIELD_ERROR_CODES, { description: 'Stable code, for programs' }),
      detail: Type.String({ description: 'What is wrong and how to fix it, for people' }),
    },
    { title: 'FieldError', description: 'An error in the input', examples: [fieldErrorExample] },
  )

/** What problems can name: every state of an `invalid_state`, and every kind of caller of a `forbidden`. */
export type ProblemNames = { states: readonly string[]; callers: readonly string[] }

export const problemSchema = ({ states, callers }: ProblemNames, descriptions: ProblemTexts) =>
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
      required: Type.Optional(
        Type.Array(OneOf(callers), {
          description: 'For `forbidden`, where the kind of caller decides: the kinds that may',
        }),
      ),
      caller: Type.Optional(OneOf(callers, { description: 'For `forbidden`: the kind of the caller of this request' })),
      current_state: Type.Optional(OneOf(states, { description: 'For `invalid_state`: the current state' })),
      allowed_transitions: Type.Optional(
        Type.Array(OneOf(states), { description: 'For `invalid_state`: the states that this caller can set' }),
      ),
      reason: Type.Optional(OneOf(CONFLICT_REASONS, { description: 'For `conflict`: the reason' })),
      existing_ids: Type.Optional(
        Type.Array(Type.String(), {
          description: 'For `already_exists`: ids of the conflicting records that the caller may know',
        }),
      ),
      persons_version: Type.Optional(
        Type.Integer({
          description: 'For `persons_changed`: the current number; send it when you have seen the changes',
        }),
      ),
      limit: Type.Optional(Type.String({ description: 'For `limit_reached` of an amount: the limit' })),
      left_paise: Type.Optional(
        Type.Integer({ description: 'For `limit_reached` of an amount and `refund_exceeds`: what is left, in paise' }),
      ),
      free_on: Type.Optional(
        Nullable(
          Type.String({
            description: 'For `limit_reached` of an amount: the day (India) on which its count begins again',
          }),
        ),
      ),
      missing_paise: Type.Optional(
        Type.Integer({ description: 'For `deposit_short`: what the deposit lacks, in paise' }),
      ),
      held_from: Type.Optional(
        Nullable(
          Type.String({
            description:
              'For `deposit_short`: since when the deposit holds the amount; `null` where it does not hold it today',
          }),
        ),
      ),
      purpose: Type.Optional(
        Type.String({ description: 'For `consent_missing`: the purpose for which the person has to consent first' }),
      ),
      person_ids: Type.Optional(
        Type.Array(Type.String(), {
          description: 'For `consent_missing`: those of 18 or older who have to consent themselves',
        }),
      ),
      error: Type.Optional(
        OneOf(['invalid_client', 'invalid_request', 'unsupported_grant_type'], {
          description: 'At the token endpoint: error code of RFC 6749, 5.2',
        }),
      ),
      errors: Type.Optional(
        Type.Array(toFieldError(descriptions), { description: 'For `validation_failed`: one entry for each error' }),
      ),
    },
    {
      description: 'An error (RFC 9457, application/problem+json)',
      examples: [exampleOfProblem('validation_failed', descriptions.problems)],
    },
  )

export function exampleOfProblem(
  code: ProblemCode,
  descriptions: Record<ProblemCode, ProblemDescription>,
): Record<string, unknown> {
  const { status, title } = PROBLEMS[code]
  return {
    type: `http://localhost:8080/docs/errors#${code}`,
    title,
    status,
    instance: 'urn:banyan:request:req_06bnv3kq0r3cj8m3w0h2d8y6xg',
    code,
    request_id: 'req_06bnv3kq0r3cj8m3w0h2d8y6xg',
    ...descriptions[code].example,
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
  descriptions: Record<ProblemCode, ProblemDescription>,
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
        .map((code) => `\`${code}\`: ${descriptions[code].meaning} ${descriptions[code].remedy}`)
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
          examples: Object.fromEntries(ofStatus.map((code) => [code, { value: exampleOfProblem(code, descriptions) }])),
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
