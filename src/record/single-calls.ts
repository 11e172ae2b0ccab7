import type { IncomingMessage, ServerResponse } from 'node:http'
import { actorOf, type Caller } from '../access/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { withCaller } from '../kernel/current-caller.ts'
import { Reply, Request, type Route } from '../kernel/http/exchange.ts'
import { Routes } from '../kernel/http/router.ts'
import type { Sender } from '../kernel/http/sender.ts'
import { createValidation } from '../kernel/http/validation.ts'
import { parseAddress } from '../kernel/network.ts'
import type { FieldError } from '../kernel/problem-error.ts'

/** A call of an operation from within the program: the address of the operation, and its input. */
export type SingleCall = {
  /** As the operation names it, such as `POST /users/:user_id/dependants/bulk`. */
  address: string
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: object
  /** An idempotency key, where the operation takes one. */
  key?: string
}

/** The caller that calls are made for, and the request. */
export type OnBehalf = { caller: Caller; requestId: string }

export type SingleCalls = ReturnType<typeof createSingleCalls>

/** Mounts operations; with `checksOnly` among its dependencies, they decide and write nothing. */
type MountWith<C> = (routes: Routes, deps: C & { checksOnly?: true }) => void

/**
 * Calls operations without a socket: the same steps as a request has after its caller is known (`src/pipeline.ts`), so what an
 * operation checks, writes and leaves behind is the same however it was called. What comes before is not checked: who may call, and
 * the limits. Throws what the operation throws.
 */
export function createSingleCalls<C>(mountWith: MountWith<C>, deps: C, calendar: Clock) {
  const validation = createValidation(calendar)
  const mounted = (more: { checksOnly?: true }) => {
    const routes = new Routes()
    mountWith(routes, { ...deps, ...more })
    return new Map(routes.all.map((route) => [`${route.method} ${route.url}`, route]))
  }
  const [writing, checking] = [mounted({}), mounted({ checksOnly: true })]

  async function send(table: ReadonlyMap<string, Route>, of: OnBehalf, call: SingleCall): Promise<unknown> {
    const request = toRequest(table, of, call)
    const errors = validation.errorsIn(request)
    if (errors.length > 0) await validation.reject(request, errors)
    const reply = new Reply({} as ServerResponse, {})
    return withCaller(actorOf(of.caller), async () => request.route.handler(request, reply))
  }

  return {
    /** Calls an operation; returns the body of its response. */
    call: (of: OnBehalf, call: SingleCall): Promise<unknown> => send(writing, of, call),
    /** The same, but nothing is written: it throws what would be thrown now. */
    check: (of: OnBehalf, call: SingleCall): Promise<unknown> => send(checking, of, call),
    /** Returns the errors of the input alone, without looking at what is stored. */
    errorsIn: (of: OnBehalf, call: SingleCall): FieldError[] => validation.errorsIn(toRequest(checking, of, call)),
  }
}

/** Nobody sent it. */
const PROGRAM: Sender = { address: parseAddress(undefined), scheme: 'http', host: '' }

function toRequest(
  table: ReadonlyMap<string, Route>,
  { caller, requestId: id }: OnBehalf,
  { address, params = {}, query = {}, body, key }: SingleCall,
): Request {
  const route = table.get(address)
  if (!route) throw new Error(`no operation is mounted at ${address}`)
  const url = route.url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const raw = { method: route.method, url, headers: key === undefined ? {} : { 'idempotency-key': key } }
  const request = new Request(raw as unknown as IncomingMessage, { id, route, params, query, sender: PROGRAM })
  request.caller = caller
  request.checkNotRevoked = () => {}
  request.body = body
  return request
}
