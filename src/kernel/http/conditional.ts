import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'

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
export function answerRecord<T>(
  exchange: { request: FastifyRequest; reply: FastifyReply },
  versioned: Versioned<T>,
): T {
  const etag = etagOf(versioned)
  exchange.reply.header('etag', etag)
  if (matches(exchange.request.headers['if-none-match'], etag, { weakly: true })) exchange.reply.code(304)
  return versioned.record
}

/** Answers a record that was just made or changed, with the ETag that the next `If-Match` needs. */
export function answerChanged<T>(reply: FastifyReply, versioned: Versioned<T>): T {
  reply.header('etag', etagOf(versioned))
  return versioned.record
}

/** Refuses with 412 when the caller's `If-Match` names another version than the stored one. */
export function checkFresh(ifMatch: string | undefined, versioned: () => Versioned<unknown>): void {
  if (ifMatch === undefined) return
  if (!matches(ifMatch, etagOf(versioned()), { weakly: false })) {
    throw new Refusal('precondition_failed', 'The record has changed since you read it.')
  }
}

function matches(header: string | undefined, etag: string, how: { weakly: boolean }): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((candidate) => {
    const tag = candidate.trim()
    return tag === etag || (how.weakly && tag === `W/${etag}`)
  })
}
