import assert from 'node:assert/strict'
import { type Actor, actorFrom, actorOf } from '../access/caller.ts'
import { describeAccess } from '../access/matrix.ts'
import type { RateLimits } from '../access/rate-limits.ts'
import type { Vault } from '../kernel/crypto/vault.ts'
import { isTimeoutAt, violatedConstraint } from '../kernel/db/database.ts'
import { checkFresh, createEtag, type Versioned } from '../kernel/http/conditional.ts'
import type { Exchange, Request, Route } from '../kernel/http/exchange.ts'
import { isReadOnly, takesKey } from '../kernel/http/takes-key.ts'
import { addErrors } from '../kernel/http/validation.ts'
import { type FieldError, ProblemError } from '../kernel/problem-error.ts'
import { serialize } from '../kernel/bulkhead.ts'
import type { Author, Decision } from './change.ts'
import { applyWithRetry, type Context } from './apply-with-retry.ts'
import {
  findResponse,
  deleteExpired,
  inProgress,
  KEY_FORMAT,
  KEY_CONSTRAINT,
  requestKey,
  type RequestKey,
  type Response,
  toKeyRows,
} from './idempotency.ts'

const KEY_HEADER = 'idempotency-key'
const KEY = new RegExp(KEY_FORMAT.pattern)
const MALFORMED_KEY: FieldError = { pointer: `header:${KEY_HEADER}`, code: 'format', detail: KEY_FORMAT.words }

/** Reports a malformed key together with the other errors of the input, where operations accept one. */
export function addKeyErrors(routes: readonly Route[]): void {
  for (const route of routes) {
    const { config, schema } = route
    const asks = Object.hasOwn(listProperties(schema.headers), KEY_HEADER)
    if (asks || isReadOnly(route) || describeAccess(config)?.takesKeys !== true || !takesKey(schema)) continue
    addErrors(route, keyErrors)
  }
}

const listProperties = (schema: { properties?: object } | undefined): object => schema?.properties ?? {}

function keyErrors({ headers }: Request): FieldError[] {
  const key = headers[KEY_HEADER]
  return typeof key !== 'string' || KEY.test(key) ? [] : [MALFORMED_KEY]
}

export type WriteContext = Context & { vault: Vault; rates: Pick<RateLimits, 'countKey' | 'undoKey'> }

/** Reads and decides, writes once, and presents what was decided. */
export type Writing<K, Target, Result, Body, Prepared> = {
  /**
   * Runs once, before the first try, with nothing locked, and not for a request whose response is stored: calls another company, or
   * makes several writes.
   */
  prepare?: (call: K) => Promise<Prepared>
  /** Finds the record in the path, or throws 404: again for each try, and before errors of the input are reported. */
  target?: (call: K) => Promise<Target>
  /** The version of the target that `If-Match` has to name. */
  version?: (target: Target, call: K) => Versioned<unknown>
  /** The id of the record it changes, if any: writes of this process on one record are serialised. */
  serializeBy?: (call: K) => string | undefined
  change: (
    call: K & { target: Target; prepared: Prepared },
    author: Author,
  ) => Decision<Result> | Promise<Decision<Result>>
  present: (result: Result, call: K) => Response<Body> | Promise<Response<Body>>
  /**
   * Members of the body that a request is recognised without: nodes of 0.2.0 do not know them, and a request and its repetition can
   * reach nodes of both versions.
   */
  newMembers?: readonly string[]
  /** Returns the body of an earlier response to this request as it is now; throws when it must not be shown again. */
  replay?: (body: Body, call: K) => Body | Promise<Body>
}

/**
 * Runs a writing operation of a request: `decide` reads and decides, `present` builds the response. With an
 * `Idempotency-Key`, the response is stored in the operation's own statement; a repeated request gets it with
 * `Idempotent-Replayed`, byte for byte but for what `replay` renews, and nothing is done twice
 * (`docs/partners/retries.md#repeated-requests-one-by-one`). Errors are not stored.
 */
export async function handleWrite<K extends Exchange & { deps: WriteContext }, Target, Result, Body, Prepared>(
  {
    prepare,
    target: find,
    version,
    serializeBy,
    change,
    present,
    newMembers,
    replay = (body) => body,
  }: Writing<K, Target, Result, Body, Prepared>,
  call: K,
): Promise<Body> {
  const { deps: context, request, reply } = call
  const author = actorFrom(request)
  const recordId = serializeBy?.(call)
  let prepared = undefined as Prepared
  // Built once, before the write: a response with a new token must be the one stored.
  const respond = async (now: Author): Promise<Decision<Response<Body>>> => {
    const target = (await find?.(call)) as Target
    if (version) checkFresh(request.headers['if-match'], () => version(target, call))
    const decision = await change({ ...call, target, prepared }, now)
    request.hasChanged = decision.write !== undefined
    return { ...decision, result: await present(decision.result, call) }
  }
  const key = keyFrom(context.vault, { ...author, request, newMembers })
  if (!key) {
    if (prepare) prepared = await prepare(call)
    return sent(call, await applyWithRetry(context, author, respond, { serializeBy: recordId }))
  }

  let countedFor: string | undefined // the user whose key was counted, however often the write is tried
  const keep = (response: Response<Body>, at: Date) => {
    const userId = author.userId ?? userIn(response)
    if (userId !== null && countedFor === undefined) {
      context.rates.countKey(userId)
      countedFor = userId
    }
    return toKeyRows(key, { response, at, userId, clock: context.clock })
  }
  const once = () => applyWithRetry(context, author, respond, { serializeBy: recordId, keep })
  const sentAgain = async (response: Response<Body>) => {
    request.hasChanged = false
    const body = await replay(response.body, call)
    reply.header('idempotent-replayed', 'true')
    return sent(call, { ...response, body })
  }
  const work = async () => {
    if (prepare) {
      const earlier = await findResponse<Body>(context.db, key, context.clock)
      if (earlier) return sentAgain(earlier)
      prepared = await prepare(call)
    }
    try {
      return sent(call, await once())
    } catch (error) {
      const response = await findEarlierResponse<Body>(context, key, error)
      if (!response) return sent(call, await once())
      if (countedFor !== undefined) context.rates.undoKey(countedFor)
      return sentAgain(response)
    }
  }
  return serialize(context.db, `key:${key.hashed[0].hash.toString('base64')}`, work, inProgress)
}

/**
 * Looks for the response of an earlier equal request before an error is returned, because that request may have caused
 * the error. Undefined when the key was used more than a day ago and is free again.
 */
async function findEarlierResponse<Body>(
  context: WriteContext,
  key: RequestKey,
  error: unknown,
): Promise<Response<Body> | undefined> {
  if (isTimeoutAt(error, KEY_CONSTRAINT)) throw inProgress()
  const isKeyTaken = violatedConstraint(error) === KEY_CONSTRAINT
  if (!isKeyTaken && (!(error instanceof ProblemError) || error.code === 'unavailable')) throw error
  const response = await findResponse<Body>(context.db, key, context.clock)
  if (!response && !isKeyTaken) throw error
  if (!response) await deleteExpired(context.db, key, context.clock)
  return response
}

/** Returns the user in a response whose request did not name one, such as a token request's. */
function userIn({ body }: Response<unknown>): string | null {
  const named: unknown = typeof body === 'object' && body !== null && 'user_id' in body ? body.user_id : null
  return typeof named === 'string' ? named : null
}

type Keyed = Actor & { request: Request; newMembers: readonly string[] | undefined }

function keyFrom(vault: Vault, { caller, request, newMembers = [] }: Keyed): RequestKey | undefined {
  const key = request.headers[KEY_HEADER]
  if (typeof key !== 'string' || caller.kind === 'anyone') return undefined
  assert(KEY.test(key), 'a malformed key is refused with the other errors of the input')
  return requestKey(vault, key, {
    caller: actorOf(caller),
    method: request.method,
    addresses: listAddresses(request),
    body: newMembers.length === 0 ? request.body : without(request.body, newMembers),
  })
}

const without = (body: unknown, members: readonly string[]) =>
  Object.fromEntries(Object.entries(body as object).filter(([name]) => !members.includes(name)))

/** Returns the address of a request in its usual spelling, and as it was sent where that differs. */
function listAddresses({ url, params, route }: Request): Parameters<typeof requestKey>[2]['addresses'] {
  const queryAt = url.indexOf('?')
  const sentPath = queryAt === -1 ? url : url.slice(0, queryAt)
  const query = url.slice(sentPath.length + 1)
  const path = Object.entries(params as Record<string, string>).reduce(
    (template, [name, value]) => template.replace(`:${name}`, encodeURIComponent(value)),
    route.url,
  )
  const usual = { path, url: query === '' ? path : `${path}?${query}` }
  return sentPath === path ? [usual] : [usual, { path: sentPath, url }]
}

function sent<Body>({ reply }: Exchange, { status, headers, body }: Response<Body>): Body {
  reply.code(status)
  if (headers) reply.headers(headers)
  return body
}

export const created = <T>(location: string, versioned: Versioned<T>): Response<T> => ({
  status: 201,
  headers: { location, etag: createEtag(versioned) },
  body: versioned.record,
})

export const changed = <T>(versioned: Versioned<T>): Response<T> => ({
  status: 200,
  headers: { etag: createEtag(versioned) },
  body: versioned.record,
})

/** Returns a 200 with part of a record that has its own URL, under the record's ETag. */
export const changedPart = <T>(versioned: Versioned<unknown>, part: T): Response<T> => ({
  ...changed(versioned),
  body: part,
})

export const responding = <T>(body: T, status = 200): Response<T> => ({ status, body })
