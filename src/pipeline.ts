import { Readable } from 'node:stream'
import type { Access } from './access/authenticate.ts'
import { readBody } from './kernel/http/body.ts'
import { begun, type Payload, type Connection, type Serve } from './kernel/http/door.ts'
import type { Exchange, Reply } from './kernel/http/exchange.ts'
import { checkHead } from './kernel/http/framing.ts'
import { respondWithProblem } from './kernel/http/problems.ts'
import { type createValidation, notePreference } from './kernel/http/validation.ts'
import type { Log } from './kernel/log.ts'
import { unavailable } from './kernel/problem-error.ts'
import { CsvList } from './record/list-in-csv.ts'
import type { Audit } from './record/read-log.ts'

export type Steps = {
  access: Access
  audit: Audit
  validation: ReturnType<typeof createValidation>
  /** Returns true while new requests would be served too late, or wrong: the program is outdated, or its database has a queue. */
  isUnavailable: () => boolean
  origin: string
  log: Log
}

/**
 * What happens to a request, from its head to its response: these steps, in this order. A step that throws ends it; the statuses are
 * named before it, and the handbook's page of them is made from these lines (`docs/reference/order.md`). The door
 * (`kernel/http/door.ts`) has found the route, and sends the response. A request that awaits nothing is responded to at once, so
 * that what arrives behind it in the same packet cannot overtake it.
 */
export const createPipeline = (steps: Steps): Serve => {
  const { access, audit, validation, isUnavailable } = steps

  return async function serve(exchange: Exchange, { isClosing, dropResponded, send }: Connection): Promise<void> {
    const { request, reply } = exchange
    const { route } = request
    try {
      // First, so that a page may read every error, and what of its head is for it.
      access.notePage(exchange)
      const isPreflight = access.isPreflight(request)
      // 503: the server is closing, outdated, or has waited too long for its database (probes and preflights pass)
      if (isClosing || (!route.config.isProbe && !isPreflight && isUnavailable())) throw unavailable()
      // 400, 406, 415, 417: request line, headers, URL, encodings, and the types that the caller accepts
      checkHead(request)
      // 204: a browser asks whether a page may call that a platform named in its `web_origins`
      if (isPreflight) return send(exchange, access.allowPage(exchange.reply))
      // 401, 429, 403: who calls, from which page, how often, and whether the role may
      const admitted = access.admit(exchange)
      if (admitted) await admitted
      // 503: reads of personal data cannot be recorded at present
      audit.checkRoom(request)
      // 404, 405: no such path, or not by this method; 403, 404: what an operation refuses whatever the input is
      route.checkFirst?.(request)
      // 400, 408, 413, 415, 429: the body is read, and its outer shape checked
      const body = readBody(request)
      request.body = body instanceof Promise ? await body : body
      if (dropResponded(request.raw)) return // the rest of a body can arrive after its 408
      // 401: the token was revoked while the body arrived; 429: the records of a bulk; 503: the caller waits for other requests of its own
      access.checkAgain(exchange)
      // 422: the ids in the path; 404: the record in the path, if anything else is wrong; 422: query, headers and body, every error at once
      const errors = validation.errorsIn(request)
      if (errors.length > 0) await validation.reject(request, errors)
      // 404: the record in the path is not there, or not the caller's; 412: `If-Match`; 409: the stored state; 422: a member that names an unknown record
      const working = access.asCaller(request, () => route.handler(request, reply))
      const result = working instanceof Promise ? await working : working
      audit.noteListed(request, result)
      // 500: a stored record or file that cannot be read
      const payload = isStream(result) ? await begun(result) : toPayload(result, reply)
      notePreference(exchange)
      send(exchange, payload)
    } catch (error) {
      access.noteRejection(request, error)
      send(exchange, respondWithProblem(error, exchange, steps))
    }
  }
}

/** A file, or a list as CSV. */
const isStream = (result: unknown): result is AsyncIterable<Uint8Array> =>
  result instanceof Readable || result instanceof CsvList

/** Text and bytes are sent as they are, anything else as JSON. */
function toPayload(result: unknown, reply: Reply): Payload {
  if (result === undefined || typeof result === 'string' || result instanceof Uint8Array) return result
  reply.sent['content-type'] ??= 'application/json; charset=utf-8'
  return JSON.stringify(result)
}
