import type { IncomingMessage } from 'node:http'
import { malformedRequest, ProblemError } from '../problem-error.ts'
import { parseMediaType } from './body.ts'
import type { Request } from './exchange.ts'

const JSON_ONLY = ['application/json']
/** Always offered: a caller that accepts problems gets a response of some kind. */
const PROBLEM_TYPE = 'application/problem+json'

/** Headers that may occur only once: a proxy in front of us may have read the other one. */
const ONLY_ONCE = new Set(['authorization', 'content-type', 'host'])
/** A host and its port (RFC 9110, 7.2); whether the name resolves does not matter. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i

/** Checks what is decided before authentication: request head, encodings, URL and accepted types. */
export function checkHead(request: Request): void {
  const { headers, route, url } = request
  const error = headError(request.raw)
  if (error !== undefined) throw malformedRequest(error)
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new ProblemError('expectation_failed', 'The only supported expectation is 100-continue.')
  }
  if (headers['content-encoding'] !== undefined && headers['content-encoding'].toLowerCase() !== 'identity') {
    throw new ProblemError('unsupported_media_type', 'Compressed or otherwise encoded bodies are not supported.')
  }
  if (url.includes('#')) throw malformedRequest('The URL contains a fragment (#).')
  if (url.includes('%00')) throw malformedRequest('The URL contains U+0000.')
  const { anyAccept, produces = JSON_ONLY } = route.config
  if (!anyAccept && preferredType(headers.accept, [...produces, PROBLEM_TYPE]) === undefined) {
    throw new ProblemError('not_acceptable', `Supported response types: ${produces.join(', ')}.`)
  }
  dropTypeOfEmptyBody(request)
}

/**
 * Returns why a request head could be understood differently by a proxy in front of us; undefined when it could not.
 */
function headError({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Unsupported HTTP version. Use HTTP/1.1 or HTTP/1.0.'
  if (headers.host === undefined && httpVersion === '1.1') return 'The Host header is missing.'
  if (!HOST.test(headers.host ?? '')) return 'The Host header is not a valid host.'
  const repeated = repeatedHeader(rawHeaders)
  if (repeated !== undefined) return `The header ${repeated} is repeated. Send it once.`
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    return 'Unsupported transfer coding. Use chunked.'
  }
  return undefined
}

/** Returns the first header that is repeated and must not be; names and values alternate in `rawHeaders`. */
function repeatedHeader(rawHeaders: string[]): string | undefined {
  const names: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (!ONLY_ONCE.has(name)) continue
    if (names.includes(name)) return name
    names.push(name)
  }
  return undefined
}

/** Drops the type of an empty body where no body of that type is read: `curl -d ''` announces a form. */
function dropTypeOfEmptyBody({ headers, route }: Request): void {
  if (headers['content-length'] !== '0' || headers['content-type'] === undefined) return
  if (!route.reader.types.includes(parseMediaType(headers['content-type']))) delete headers['content-type']
}

/**
 * Returns the media type the caller prefers of those offered (RFC 9110, 12.5.1), the first of equals; undefined when
 * none is acceptable. The most specific range wins. Parameters other than `q` are ignored: a caller who accepts
 * `application/json; charset=utf-8` gets JSON.
 */
export function preferredType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === '' || accept === '*/*' || accept === offered[0]) return offered[0]
  const ranges = accept.split(',').map(parseRange)
  const weights = offered.map((type) => findWeight(type, ranges))
  const highest = Math.max(0, ...weights)
  return highest === 0 ? undefined : offered[weights.indexOf(highest)]
}

type MediaRange = { range: string; weight: number }

const WEIGHT = /^q=(0(?:\.\d*)?|1(?:\.0*)?)$/

function parseRange(text: string): MediaRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weights = parameters.flatMap((parameter) => WEIGHT.exec(parameter)?.[1] ?? [])
  return { range, weight: Number(weights[0] ?? 1) }
}

function findWeight(type: string, ranges: MediaRange[]): number {
  const bySpecificity = [type, `${type.split('/', 1)[0]}/*`, '*/*']
  for (const wanted of bySpecificity) {
    const weights = ranges.filter(({ range }) => range === wanted).map(({ weight }) => weight)
    if (weights.length > 0) return Math.max(...weights)
  }
  return 0
}
