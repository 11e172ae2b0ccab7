import { hash } from 'node:crypto'
import { type FieldError, preconditionFailed } from '../problem-error.ts'
import type { Exchange, Request } from './exchange.ts'

/** A record as sent, with its revision. */
export type Versioned<T> = { record: T; revision: number }

/** Returns the strong validator of a record. The revision tells two changes within one second apart. */
export function createEtag({ record, revision }: Versioned<unknown>): string {
  return `"${hash('sha256', `${revision}.${JSON.stringify(record)}`, 'base64url').slice(0, 22)}"`
}

/** What a reader does with the ETag; for descriptions. */
export const READ_AGAIN = 'Send the `ETag` as `If-None-Match` to read the record again only if it has changed.'

/** Responds with a single record and its ETag, or with 304 when the caller has that version. */
export function sendRecord<T>(exchange: Exchange, versioned: Versioned<T>): T {
  return responsePart(exchange, versioned, versioned.record)
}

/**
 * Responds with part of a record that has its own URL, such as its status: under the record's ETag, which `If-Match`
 * needs there.
 */
export function responsePart<T>({ request, reply }: Exchange, versioned: Versioned<unknown>, part: T): T {
  const etag = createEtag(versioned)
  reply.header('etag', etag)
  if (knows(request, etag)) reply.code(304)
  return part
}

/** Returns true when the caller already has the version of this ETag; the response is then a 304. */
export const knows = ({ headers }: Request, etag: string): boolean => matches(headers['if-none-match'], etag)

/** Throws 412 when the caller's `If-Match` names another version than the stored one. */
export function checkFresh(ifMatch: string | undefined, versioned: () => Versioned<unknown>): void {
  if (ifMatch !== undefined) checkFreshTag(ifMatch, createEtag(versioned()))
}

/** `*`, or a list of ETags. */
const ETAGS = /^\s*(?:\*|(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*)\s*$/
const MALFORMED_TAG: FieldError = {
  pointer: 'header:if-match',
  code: 'format',
  detail: 'Send the `ETag` of the record as you received it, with its double quotes, or `*`.',
}

export const tagErrors = ({ headers }: Request): FieldError[] =>
  headers['if-match'] === undefined || ETAGS.test(headers['if-match']) ? [] : [MALFORMED_TAG]

/** Throws 412 when `If-Match` does not match this ETag; undefined when there is no version. */
export function checkFreshTag(ifMatch: string, etag: string | undefined): void {
  if (etag === undefined || !matches(ifMatch, etag)) throw preconditionFailed()
}

/** Takes the weak form of a tag too, which a compressing proxy makes of it: ours names a version, not bytes. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((candidate) => [etag, `W/${etag}`].includes(candidate.trim()))
}
