import { documentOf, documentTypeOf } from './document.ts'
import { UnreadableError } from './errors.ts'
import { type Done, notModified, type Operation, type Redirect } from './operation.ts'
import type { Limit } from './waiting.ts'
import { decode } from './wire.ts'

export type ResponseFacts = {
  status: number
  /** The version of the record. */
  etag: string | undefined
  requestId: string | undefined
  /** True when an earlier attempt, or call with the same key, had done it already. */
  replayed: boolean
}

/** Held alongside the records, so that a record has no members but its own. */
const facts = new WeakMap<object, ResponseFacts>()

/** Returns what the response said alongside the record: status, ETag, request id. Undefined for a copy of a record. */
export const responseOf = (record: object): ResponseFacts | undefined => facts.get(record)

/** Returns the result of a response that is no error. `limit`: of the call, which a document prolongs until it is read. */
export async function resultOf({ returns }: Operation, response: Response, limit: Limit): Promise<object | symbol> {
  const { status, headers } = response
  if (status === 304) return notModified
  if (returns === 'redirect') return redirectOf(response)
  const seen: ResponseFacts = {
    status,
    etag: headers.get('etag') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    replayed: headers.get('idempotent-replayed') === 'true',
  }
  if (returns === 'nothing') {
    const done: Done = {}
    facts.set(done, seen)
    return done
  }
  const type = headers.get('content-type')?.split(';')[0] ?? 'nothing'
  const expected = documentTypeOf(returns)
  if (expected !== undefined && type !== expected) {
    await response.body?.cancel()
    throw new UnreadableError(`it is ${type}, no ${expected === 'text/csv' ? 'CSV' : 'PDF document'}`, seen)
  }
  const result = expected ? documentOf(response, limit) : jsonIn(await response.text(), { type, seen, returns })
  facts.set(result, seen)
  return result
}

type Read = { type: string; seen: ResponseFacts; returns: Operation['returns'] }

function jsonIn(text: string, { type, seen, returns }: Read): object {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === 'object' && json !== null) return returns === 'json' ? json : (decode(json) as object)
  } catch (cause) {
    const what = cause instanceof RangeError ? 'an amount is no whole number of paise' : `it is ${type}, no JSON`
    throw new UnreadableError(what, seen, cause)
  }
  throw new UnreadableError('it is no object', seen)
}

function redirectOf({ headers }: Response): Redirect {
  return { location: headers.get('location') ?? '', setCookie: headers.getSetCookie() }
}
