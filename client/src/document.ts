import { ConnectionError, TimeoutError } from './errors.ts'
import type { DocumentStream, Operation } from './operation.ts'
import { type Limit, OUT_OF_TIME } from './waiting.ts'

/** Returns the media type of what is read as it arrives; undefined for JSON. */
export const documentTypeOf = (returns: Operation['returns']): string | undefined =>
  returns === 'pdf' ? 'application/pdf' : returns === 'csv' ? 'text/csv' : undefined

/** Returns the document of a response. The limit of its call holds until it has been read, and is closed then. */
export function documentOf(response: Response, limit: Limit): DocumentStream {
  const { headers } = response
  limit.isKept = true
  const [, filename] = /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '') ?? []
  const body = response.body ? limitedBody(response.body, limit) : undefined
  return {
    get body() {
      if (!body) throw new TypeError('This runtime has no streams: take bytes()')
      return body
    },
    etag: headers.get('etag') ?? undefined,
    filename,
    bytes: async () => new Uint8Array(await (body ? new Response(body).arrayBuffer() : wholeBody(response, limit))),
  }
}

/** The same bytes; the stream fails when the limit ends, even while nothing comes. */
function limitedBody(body: ReadableStream<Uint8Array>, limit: Limit): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    start(controller) {
      limit.signal.addEventListener('abort', () => {
        limit.close()
        controller.error(failureOf(limit))
        reader.cancel().catch(() => {})
      })
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (limit.signal.aborted) return
        if (!done) return controller.enqueue(value)
        limit.close()
        controller.close()
      } catch (error) {
        if (limit.signal.aborted) return
        limit.close()
        controller.error(failureOf(limit, error))
      }
    },
    cancel(reason) {
      limit.close()
      return reader.cancel(reason)
    },
  })
}

async function wholeBody(response: Response, limit: Limit): Promise<ArrayBuffer> {
  try {
    return await limit.race(() => response.arrayBuffer())
  } catch (error) {
    throw failureOf(limit, error)
  } finally {
    limit.close()
  }
}

function failureOf({ signal, reason }: Limit, cause?: unknown): unknown {
  if (!signal.aborted) return new ConnectionError('The document broke off', { cause })
  return reason === OUT_OF_TIME ? new TimeoutError('The call took longer than its timeout') : reason
}
