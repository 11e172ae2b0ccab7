import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { malformedRequest, payloadTooLarge, ProblemError } from '../problem-error.ts'
import type { Request } from './exchange.ts'
import { parseJsonObject } from './json.ts'

export const JSON_BODY_BYTES_MAX = 256 * 1024

const JSON_TYPE = 'application/json'
const MERGE_PATCH = 'application/merge-patch+json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Reads the bodies of a route. */
export type BodyReader = {
  /** The media types that it reads; a body of any other is a 415. */
  types: readonly string[]
  read: (request: Request, mediaType: string) => unknown
  /** Called for a request without a body, where that matters. */
  none?: (request: Request) => unknown
  /** Returns before the body has arrived: the rest is read after the response. */
  isStreamed?: boolean
}

/** Methods without a body, and those that no route has. */
const hasBody = (method: string): boolean => ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method)

/**
 * Reads the body of a request with the reader of its route: undefined, a value or a promise of it. Rejects with 400, 413, 415, or 429
 * when the body of a caller grows too large.
 */
export function readBody(request: Request): unknown {
  const { headers, method, route } = request
  if (!hasBody(method)) return undefined
  if (headers['content-type'] === undefined && isEmpty(headers)) return route.reader.none?.(request)
  const mediaType = parseMediaType(headers['content-type'])
  if (!route.reader.types.includes(mediaType)) throw unsupportedMediaType(request)
  return route.reader.read(request, mediaType)
}

const isEmpty = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'

/** Returns the media type of a `Content-Type`, without its parameters. */
export function parseMediaType(contentType: string | undefined): string {
  if (contentType === undefined || contentType === JSON_TYPE) return contentType ?? ''
  const end = contentType.indexOf(';')
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}

/** Creates the 415 that names the media types the operation reads. */
function unsupportedMediaType({ route: { schema } }: Request): ProblemError {
  const { content = { [JSON_TYPE]: true } } = (schema.body ?? {}) as { content?: object }
  const types = schema.consumes ?? Object.keys(content)
  return new ProblemError(
    'unsupported_media_type',
    `Send the body as ${types.join(' or ')}, and name that media type in Content-Type.`,
  )
}

type ReadBytes = (request: Request, bytes: Buffer) => unknown

const NO_BYTES = Buffer.alloc(0)

/** A reader of JSON; `read` gets the bytes. */
const createReader = (read: ReadBytes): BodyReader => ({
  types: [JSON_TYPE, MERGE_PATCH],
  read: async (request, mediaType) => {
    const bytes = await readBytes(request)
    if (mediaType === MERGE_PATCH && bytes.length > 0) checkIsPatch(request)
    checkCharset(request.headers['content-type'])
    request.countBody?.(bytes.length)
    return read(request, bytes)
  },
})

/** One object, or nothing. */
export const jsonBody = createReader((_request, bytes) => (bytes.length === 0 ? undefined : parseJsonObject(bytes)))

/** JSON whose bytes count, as signatures need it; those of a request without a body, too. */
export const rawBody = (read: ReadBytes): BodyReader => ({
  ...createReader(read),
  none: (request) => void read(request, NO_BYTES),
})

/** A form, as OAuth clients send it, besides JSON. */
export const formBody = (read: (fields: string) => unknown): BodyReader => ({
  types: [FORM_TYPE, ...jsonBody.types],
  read: async (request, mediaType) => {
    if (mediaType !== FORM_TYPE) return jsonBody.read(request, mediaType)
    const bytes = await readBytes(request)
    checkCharset(request.headers['content-type'])
    return read(bytes.toString())
  },
})

/** Throws 415 for a merge patch where nothing is patched. */
function checkIsPatch({ method }: Request): void {
  if (method === 'PATCH') return
  throw new ProblemError('unsupported_media_type', 'Only PATCH reads a merge patch. Send the body as application/json.')
}

/** Throws 415 for a charset other than UTF-8: the body would be misread. */
export function checkCharset(contentType: string | undefined): void {
  if (contentType === undefined || !contentType.includes(';')) return
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new ProblemError('unsupported_media_type', 'Unsupported charset. Send the body as UTF-8.')
  }
}

/**
 * Reads the whole body. It ends with its last announced byte: waiting for the end of the stream costs more than the rest. The parser
 * of HTTP never passes on more.
 */
function readBytes({ raw, headers, route: { bodyLimit } }: Request): Promise<Buffer> {
  const announced = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  if (announced !== undefined && announced > bodyLimit) throw tooLarge(bodyLimit)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const whole = () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length))
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > bodyLimit) return reject(tooLarge(bodyLimit))
      chunks.push(chunk)
      if (length === announced) whole()
    })
    raw.once('end', whole)
    raw.once('error', () => reject(brokenOff()))
  })
}

const tooLarge = (bytes: number) =>
  payloadTooLarge(`The body is too large: this operation reads at most ${bytes / 1_024} KiB.`)

export const brokenOff = () => malformedRequest('The connection was closed before the body was complete.')

/**
 * Streams a body, and counts its bytes as they come. The default iterator would destroy the stream when it is left early, so that the
 * rest could not be read.
 */
export async function* countedBytes(payload: IncomingMessage, count?: (bytes: number) => void): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      count?.(bytes.length)
      yield bytes
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error
    throw brokenOff()
  }
}
