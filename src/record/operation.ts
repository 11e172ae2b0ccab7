import type { Static, TSchema, TUnknown } from 'typebox'
import type { Deps } from './deps.ts'
import { matrix, type OperationName } from '../access/matrix.ts'
import { ref } from '../kernel/http/schemas.ts'
import type { BodyReader } from '../kernel/http/body.ts'
import type { Exchange, Reply, Request, RouteRules } from '../kernel/http/exchange.ts'
import type { Routes } from '../kernel/http/router.ts'
import type { FieldError } from '../kernel/problem-error.ts'
import { handleWrite, type WriteContext, type Writing } from './handle-write.ts'
import { csvErrors, CsvList, inCsvToo, isList, findItemSchema, wantsCsv } from './list-in-csv.ts'

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
type Rules<C, K> = Omit<RouteRules, 'access' | 'checkTargetFirst' | 'validate'> & {
  access: OperationName
  /** Throws when the request is refused whatever its input is. */
  checkFirst?: (request: Request) => void
  /** Returns errors of the input that a schema cannot express. The body can have any shape. */
  validate?: (request: Request, deps: C) => FieldError[]
  /**
   * Throws 404 when the record in the path is not the caller's. Runs only when the input has errors, before they are
   * reported; otherwise the operation's own read finds out.
   */
  checkTargetFirst?: (call: K) => Promise<unknown>
  /** Returns the reader of a body that is not JSON, or whose bytes count. */
  readsBody?: (deps: C) => BodyReader
}

/** Reads the record in the path, where it names one; `read` returns the response. */
type Reading<K, Target> = {
  /** Finds the record in the path, or throws 404. Runs before errors of the input are reported, and before `read`. */
  target?: (call: K) => Promise<Target>
  read: (call: K & { target: Target }) => unknown
  /** A list whose CSV has more columns than its pages: their item, and a read of pages of it. */
  csv?: { item: object; read: (call: K) => unknown }
}

type Definition<C, K, P, Q, B, Target, Result, Body, Prepared> = Described<P, Q, B> &
  Rules<C, K> &
  (Reading<K, Target> | Writing<K, Target, Result, Body, Prepared>)

/** An operation of the API, to be mounted where its dependencies are known. */
export type Operation<C> = (routes: Routes, deps: C) => void

type Address = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/**
 * Defines an operation of the API as one value. A request passes these steps, top to bottom: the credential and the
 * caller's limit (`access`), `checkFirst`, the body, the form of the path (422), the rest of the input (404 by
 * `checkTargetFirst` or `target`, else 422 with every error), `target`, then `read`, or `prepare`, `decide`, the write and `present`.
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
    Prepared = undefined,
  >(
    address: Address,
    definition: Definition<C, Call<C, P, Q, B>, P, Q, B, Target, Result, Body, Prepared>,
  ): Operation<C> =>
  (routes, deps) => {
    type K = Call<C, P, Q, B>
    const isListed = 'read' in definition && isList(definition)
    const { schema, rules } = parted<C>(isListed ? { ...definition, ...inCsvToo(definition) } : definition)
    const createCall = (request: Request, reply?: Reply): K =>
      ({ deps, request, reply, params: request.params, query: request.query, body: request.body }) as unknown as K
    const checkTarget = definition.checkTargetFirst ?? definition.target
    const { validate = () => [], access, ...others } = rules
    const validateList = (request: Request) => [...validate(request, deps), ...csvErrors(request)]
    const config: RouteRules = {
      ...others,
      access: matrix[access],
      ...(isListed
        ? { validate: validateList }
        : rules.validate && { validate: (request: Request) => validate(request, deps) }),
      ...(checkTarget && { checkTargetFirst: (request: Request) => checkTarget(createCall(request)) }),
    }
    const csv = 'read' in definition ? definition.csv : undefined
    const item = isListed ? (csv?.item ?? findItemSchema(definition)) : {}
    const handler = (request: Request, reply: Reply): unknown => {
      const call = createCall(request, reply)
      if (!('read' in definition)) return handleWrite(definition, call)
      if (!isListed || !wantsCsv(request)) return readWith(definition, call)
      return new CsvList(call, { item, read: csv?.read ?? ((page) => readWith(definition, page)) })
    }
    const reader = definition.readsBody?.(deps)
    routes.add(address, { schema, config, checkFirst: definition.checkFirst, ...(reader && { reader }) }, handler)
  }

export const operation = operationIn<Deps>()

type Step =
  | keyof Reading<never, never>
  | keyof Writing<never, never, never, never, never>
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
  csv: true,
  prepare: true,
  serializeBy: true,
  change: true,
  present: true,
  newMembers: true,
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
export function mount<C>(routes: Routes, deps: C, operations: readonly Operation<C>[]): void {
  for (const each of operations) each(routes, deps)
}
