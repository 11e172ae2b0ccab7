import type { Exchange, Reply, Request } from '../kernel/http/exchange.ts'
import { isByMediaType, isReadOnly } from '../kernel/http/takes-key.ts'
import type { Caller } from './caller.ts'
import { rateLimited } from '../kernel/problem-error.ts'
import type { CountedUse, RateLimits } from './rate-limits.ts'

const KIB = 1024
/** How much of a body counts as one request: JSON is parsed and validated, an upload is encrypted and hashed. */
const JSON_UNIT_BYTES = 8 * KIB
const UPLOAD_UNIT_BYTES = 256 * KIB

/** Returns how many requests a request counts as, by the announced length of its body. */
export function bodyCost(request: Request): number {
  if (isReadOnly(request) || isUnannounced(request)) return 1 // the body of a read is not read
  const bytes = Number(request.headers['content-length'] ?? 0)
  return bytes < JSON_UNIT_BYTES ? 1 : 1 + Math.floor(bytes / bodyUnit(request)) // the unit of JSON is the smallest
}

/**
 * Counts a body of unknown length while it is read, against the limit of its caller. One that costs more than the limit
 * is admitted when the caller has sent nothing else.
 */
export function countUnannouncedBody({ request, reply }: Exchange, rates: RateLimits, caller: Caller): void {
  if (!isUnannounced(request)) return
  const unit_bytes = bodyUnit(request)
  let bytes = 0
  let counted = 0
  request.countBody = (more) => {
    bytes += more
    const cost = Math.floor(bytes / unit_bytes) - counted
    if (cost === 0) return
    counted += cost
    admitCounted(reply, rates.countMore(caller, cost))
  }
}

/** How many records of a bulk count as one more request. */
const BULK_UNIT_ENTRIES = 5

/** Counts the records that a bulk makes, each of which is validated, encrypted and written, however few bytes it has. */
export function countEntries({ request, reply }: Exchange, rates: RateLimits): void {
  const { bulk } = request.route.config
  const entries = bulk && (request.body as Record<string, unknown> | undefined)?.[bulk]
  const cost = Array.isArray(entries) ? Math.floor(entries.length / BULK_UNIT_ENTRIES) : 0
  if (cost > 0) admitCounted(reply, rates.countMore(request.caller, cost))
}

/** Has a response say what is left of a limit, if there is one. Throws 429 beyond it. */
export function admitCounted(reply: Reply, counted: CountedUse | undefined): void {
  if (counted === undefined) return
  if (counted.wait_s > 0) throw rateLimited(counted)
  reply.headers(counted.headers)
}

const isUnannounced = ({ headers }: Request) => headers['transfer-encoding'] !== undefined

const bodyUnit = ({ route: { schema } }: Request) => (isByMediaType(schema.body) ? UPLOAD_UNIT_BYTES : JSON_UNIT_BYTES)
