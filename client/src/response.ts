import { type DocumentStream, notModified, type Operation, type Redirect } from './operation.ts'
import { decode } from './wire.ts'

export type ResponseFacts = {
  status: number
  /** The version of the record. */
  etag: string | undefined
  requestId: string | undefined
  /** True when an earlier attempt, or call with the same key, had done it already. */
  replayed: boolean
}

/** Held beside the records, so that a record has no members but its own. */
const facts = new WeakMap<object, ResponseFacts>()

/** Returns what the response said beside the record: status, ETag, request id. Undefined for a copy of a record. */
export const responseOf = (record: object): ResponseFacts | undefined => facts.get(record)

/** Returns the result of a response that is no error. */
export async function resultOf({ returns }: Operation, response: Response): Promise<unknown> {
  const { status, headers } = response
  if (status === 304) return notModified
  if (returns === 'redirect') return redirectOf(response)
  const result = returns === 'pdf' ? documentOf(response) : jsonIn(await response.text(), returns === 'json')
  if (typeof result === 'object' && result !== null)
    facts.set(result, {
      status,
      etag: headers.get('etag') ?? undefined,
      requestId: headers.get('x-request-id') ?? undefined,
      replayed: headers.get('idempotent-replayed') === 'true',
    })
  return result
}

function jsonIn(text: string, isAsWritten: boolean): unknown {
  const json: unknown = JSON.parse(text)
  return isAsWritten ? json : decode(json)
}

function documentOf(response: Response): DocumentStream {
  const { headers, body } = response
  const [, filename] = /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '') ?? []
  if (!body) throw new TypeError('The document has no content')
  return {
    body,
    etag: headers.get('etag') ?? undefined,
    filename,
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
  }
}

function redirectOf({ headers }: Response): Redirect {
  return { location: headers.get('location') ?? '', setCookie: headers.getSetCookie() }
}
