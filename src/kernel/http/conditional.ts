import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { preconditionFailed } from '../problem-error.ts'

/** A record as it goes out, with the number that counts its changes. */
export type Versioned<T> = { record: T; revision: number }

/** The strong validator of a record: two changes within one second still differ, by the revision. */
export function etagOf({ record, revision }: Versioned<unknown>): string {
  return `"${createHash('sha256')
    .update(`${revision}.${JSON.stringify(record)}`)
    .digest('base64url')
    .slice(0, 22)}"`
}

/** Answers a single record with its ETag, or 304 when the caller has it already. */
export function sendRecord<T>(exchange: { request: FastifyRequest; reply: FastifyReply }, versioned: Versioned<T>): T {
  return responsePart(exchange, versioned, versioned.record)
}

/**
 * The same for what is told of a record at an address of its own: under the record's ETag, which the next `If-Match`
 * there needs.
 */
export function responsePart<T>(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  versioned: Versioned<unknown>,
  part: T,
): T {
  const etag = etagOf(versioned)
  reply.header('etag', etag)
  if (knows(request, etag)) reply.code(304)
  return part
}

/** True when the caller has what this ETag stands for already; the response is then a 304. */
export const knows = ({ headers }: FastifyRequest, etag: string): boolean =>
  matches(headers['if-none-match'], etag, { weakly: true })

/** Refuses with 412 when the caller's `If-Match` names another version than the stored one. */
export function checkFresh(ifMatch: string | undefined, versioned: () => Versioned<unknown>): void {
  if (ifMatch !== undefined) checkFreshTag(ifMatch, etagOf(versioned()))
}

/** The same for an ETag that is known; undefined when there is nothing that could be matched. */
export function checkFreshTag(ifMatch: string, etag: string | undefined): void {
  if (etag === undefined || !matches(ifMatch, etag, { weakly: false })) throw preconditionFailed()
}

function matches(header: string | undefined, etag: string, how: { weakly: boolean }): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((candidate) => {
    const tag = candidate.trim()
    return tag === etag || (how.weakly && tag === `W/${etag}`)
  })
}
