import type { FastifyInstance } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import { Type } from 'typebox'
import { pdfDefect } from '../pdf-inspection/pdf-defects.ts'
import { invalid, malformedRequest, PROBLEMS, ProblemError } from '../problem-error.ts'
import { checkCharset } from './framing.ts'

const MIB = 1024 * 1024
/** Uploads, in bytes (completion 8). */
const PDF_BYTES_MAX = 10 * MIB
const HEAD = /^%PDF-[12]\.$/
const HEAD_BYTES = 7
/** Where `startxref`, the place of the table of contents, `%%EOF` and then at most white space must be found. */
const TAIL_BYTES = 1_024
const TAIL = /startxref[\0\t\n\f\r ]+(\d{1,10})[\0\t\n\f\r ]+%%EOF[\0\t\n\f\r ]*$/
/** So long somebody who is still sending may take to hear that it is of no use. */
const LINGER_MS = 2_000

const MEDIA_TYPE = 'application/pdf'

const file = { type: 'string', format: 'binary' }

/** The schema of a body that is a PDF. It is for the document and the type: what is in it, `readPdf` checks. */
export const PdfBody = Type.Unsafe<AsyncIterable<Buffer>>({
  content: { [MEDIA_TYPE]: { schema: { ...file, examples: ['%PDF-1.7 …'] } } },
})

/** The schema of a response that is a PDF. */
export const pdfResponse = (description: string) => ({ description, content: { [MEDIA_TYPE]: { schema: file } } })

/** In this scope bodies are PDFs and nothing else; a handler gets their bytes as they come, for `readPdf`. */
export function installPdfBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(MEDIA_TYPE, (request, payload, done) => {
    try {
      checkCharset(request.headers['content-type'])
      if (Number(request.headers['content-length']) > PDF_BYTES_MAX) throw tooLarge(PDF_BYTES_MAX)
      done(null, bytesOf(payload))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addHook('onSend', async ({ raw, body }, reply) => {
    const { complete = true } = raw as { complete?: boolean } // an injected request does not have it
    const isRefusedUnread = reply.statusCode === PROBLEMS.payload_too_large.status
    if (complete || (body === undefined && !isRefusedUnread)) return
    reply.removeHeader('connection') // Fastify would close it
    reply.raw.once('finish', () => void discard(raw))
  })
}

/** Left early, the stream's own iterator would destroy the stream, and what is still to come could not be taken in. */
async function* bytesOf(payload: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* payload.iterator({ destroyOnReturn: false })
  } catch {
    throw malformedRequest('The connection was closed before the body was complete.')
  }
}

/**
 * Passes a PDF on as it comes. Refuses with 413 `payload_too_large`, or 422 `not_a_pdf` for what does not begin like
 * one, or does not end like one: that is known only after the last byte was passed on, so what was made of the bytes
 * counts when the iteration ends and not before. What is in between is for `PdfInspector`.
 */
export async function* readPdf(body: AsyncIterable<Uint8Array>, bytesMax = PDF_BYTES_MAX): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0) // held back until there is enough of it to tell
  let tail = Buffer.alloc(0)
  let length = 0
  for await (const bytes of body) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    length += chunk.length
    if (length > bytesMax) throw tooLarge(bytesMax)
    tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES)
    if (head.length >= HEAD_BYTES) {
      yield chunk
    } else {
      head = Buffer.concat([head, chunk])
      if (head.length < HEAD_BYTES) continue
      if (!HEAD.test(head.toString('latin1', 0, HEAD_BYTES))) throw notPdf()
      yield head
    }
  }
  const startOfTable = TAIL.exec(tail.toString('latin1'))?.[1]
  if (head.length < HEAD_BYTES || startOfTable === undefined || Number(startOfTable) >= length) throw notPdf()
}

const tooLarge = (bytesMax: number) =>
  new ProblemError('payload_too_large', `The document is larger than ${bytesMax / MIB} MiB.`)

const notPdf = () => invalid([pdfDefect('not_a_pdf')])

/**
 * Takes in what somebody still sends who has got their response already. A connection that is closed on bytes nobody has
 * read is reset, and a caller who sends first and listens later would see the reset in place of the response (RFC 9112,
 * 9.6). Who is done in time keeps the connection.
 */
async function discard(body: IncomingMessage): Promise<void> {
  body.resume()
  await finished(body, { writable: false, signal: AbortSignal.timeout(LINGER_MS) }).catch(() => body.socket.destroy())
}
