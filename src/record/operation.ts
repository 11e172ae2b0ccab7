import type { FastifyContextConfig, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Static, TSchema, TUnknown } from 'typebox'
import type { Deps } from './deps.ts'
import { matrix, type OperationName } from '../access/matrix.ts'
import { addNamed, ref } from '../kernel/http/schemas.ts'
import type { App, Exchange } from '../kernel/http/server.ts'
import type { FieldError } from '../kernel/problem-error.ts'
import { handleWrite, type WriteContext, type Writing } from './handle-write.ts'

/** A request as its operation sees it: the validated input, and what the operation depends on. */
export type Call<
  C = Deps,
  P extends TSchema = TUnknown,
  Q extends TSchema = TUnknown,
  B extends TSchema = TUnknown,
> = Exchange & {
  deps: C
  params: Static<P>
  query: Static<Q>
  body: Static<B>
}

/** What callers send and receive: validates the input, and describes the operation in the OpenAPI document. */
type Described<P, Q, B> = {
  tags: string[]
  summary: string
  description?: string
  params?: P
  querystring?: Q
  body?: B
  headers?: TSchema
  /** The media types of the body; `application/json` unless set. */
  consumes?: readonly string[]
  /** By status. A schema with a component name is referenced by it. */
  response: Record<number, object>
}

/** Rules of the server for the operation; `access` names its row of the role matrix. */
type Rules<C, K> = Omit<FastifyContextConfig, 'access' | 'checkTargetFirst' | 'validate'> & {
  access: OperationName
  /** Throws when the request is refused whatever its input is. */
  checkFirst?: (request: FastifyRequest) => void
  /** Returns errors of the input that a schema cannot express. The body can have any shape. */
  validate?: (request: FastifyRequest, deps: C) => FieldError[]
  /**
   * Throws 404 when the record in the path is not the caller's. Runs only when the input has errors, before they are
   * reported; otherwise the operation's own read finds out.
   */
  checkTargetFirst?: (call: K) => Promise<unknown>
  /** Installs the reader of a body that is not JSON. */
  readsBody?: (app: App, deps: C) => void
}

/** Reads the record in the path, where it names one; `read` returns the response. */
type Reading<K, Target> = {
  /** Finds the record in the path, or throws 404. Runs before errors of the input are reported, and before `read`. */
  target?: (call: K) => Promise<Target>
  read: (call: K & { target: Target }) => unknown
}

type Definition<C, K, P, Q, B, Target, Result, Body> = Described<P, Q, B> &
  Rules<C, K> &
  (Reading<K, Target> | Writing<K, Target, Result, Body>)

/** An operation of the API, to be mounted where its dependencies are known. */
export type Operation<C> = (app: App, deps: C) => void | PromiseLike<unknown>

type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/**
 * Defines an operation of the API as one value. A request passes these steps, top to bottom: the credential and the
 * caller's limit (`access`), `checkFirst`, the body, the form of the path (422), the rest of the input (404 by
 * `checkTargetFirst` or `target`, else 422 with every error), `target`, then `read`, or `decide`, the write and `present`.
 */
export const operationIn =
  <C extends WriteContext>() =>
  <
    P extends TSchema = TUnknown,
    Q extends TSchema = TUnknown,
    B extends TSchema = TUnknown,
    Target = undefined,
    Result = never,
    Body = unknown,
  >(
    address: Route,
    definition: Definition<C, Call<C, P, Q, B>, P, Q, B, Target, Result, Body>,
  ): Operation<C> =>
  (app, deps) => {
    type K = Call<C, P, Q, B>
    const [method, url] = address.split(' ') as [HTTPMethods, string]
    const { schema, rules } = parted<C>(definition)
    const callOf = (request: FastifyRequest, reply?: FastifyReply): K =>
      ({ deps, request, reply, params: request.params, query: request.query, body: request.body }) as unknown as K
    const checkTarget = definition.checkTargetFirst ?? definition.target
    const { validate, access, ...others } = rules
    const config: FastifyContextConfig = {
      ...others,
      access: matrix[access],
      ...(validate && { validate: (request: FastifyRequest) => validate(request, deps) }),
      ...(checkTarget && { checkTargetFirst: (request: FastifyRequest) => checkTarget(callOf(request)) }),
    }
    const handler = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const call = callOf(request, reply)
      return 'read' in definition ? readWith(definition, call) : handleWrite(definition, call)
    }
    const { checkFirst, readsBody } = definition
    const onRequest = checkFirst && { onRequest: async (request: FastifyRequest) => checkFirst(request) }
    const route = { method, url, schema, config, handler, ...onRequest }
    addNamed(app, schema)
    if (!readsBody) return void app.route(route)
    return app.register(async (scope) => {
      readsBody(scope, deps)
      scope.route(route)
    })
  }

export const operation = operationIn<Deps>()

type Step =
  | keyof Reading<never, never>
  | keyof Writing<never, never, never, never>
  | 'checkFirst'
  | 'checkTargetFirst'
  | 'readsBody'

/** What of a definition is its route's schema, and what `operationIn` runs itself; the rest are rules of the server. */
const DESCRIBED: Record<keyof Described<never, never, never>, true> = {
  tags: true,
  summary: true,
  description: true,
  params: true,
  querystring: true,
  body: true,
  headers: true,
  consumes: true,
  response: true,
}
const STEPS: Record<Step, true> = {
  checkFirst: true,
  checkTargetFirst: true,
  target: true,
  version: true,
  read: true,
  serializeBy: true,
  decide: true,
  present: true,
  replay: true,
  readsBody: true,
}

function parted<C>(definition: { response: Record<number, object> }) {
  const entries = Object.entries<unknown>(definition)
  const described = Object.fromEntries(entries.filter(([name]) => name in DESCRIBED))
  const rules = entries.filter(([name]) => !(name in DESCRIBED) && !(name in STEPS))
  const response = Object.entries(definition.response).map(([status, schema]) => [status, byName(schema)])
  return {
    schema: { ...described, response: Object.fromEntries(response) as Record<string, object> },
    rules: Object.fromEntries(rules) as Omit<Rules<C, never>, 'readsBody' | 'checkTargetFirst'>,
  }
}

const byName = (schema: object) => ('$id' in schema ? ref(schema as TSchema) : schema)

async function readWith<K extends object, Target>({ target, read }: Reading<K, Target>, call: K): Promise<unknown> {
  return read({ ...call, target: (await target?.(call)) as Target })
}

/** Mounts operations on a server, in order; the list of a domain's operations is its table of contents. */
export async function mount<C>(app: App, deps: C, operations: readonly Operation<C>[]): Promise<void> {
  for (const each of operations) await each(app, deps)
}
