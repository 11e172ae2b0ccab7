import { Type } from 'typebox'
import { pdfDefect } from '../pdf-inspection/pdf-defects.ts'
import { invalid, ProblemError } from '../problem-error.ts'
import { type BodyReader, checkCharset, countedBytes } from './body.ts'

const MIB = 1024 * 1024
const PDF_BYTES_MAX = 10 * MIB
const HEAD = /^%PDF-[12]\.$/
const HEAD_BYTES = 7
/** Must contain `startxref`, the offset of the cross-reference table, `%%EOF` and then at most white space. */
const TAIL_BYTES = 1_024
const TAIL = /startxref[\0\t\n\f\r ]+(\d{1,10})[\0\t\n\f\r ]+%%EOF[\0\t\n\f\r ]*$/

const MEDIA_TYPE = 'application/pdf'

const file = { type: 'string', format: 'binary' }

/** The schema of a PDF body, for the document and the type; `readPdf` checks the content. */
export const PdfBody = Type.Unsafe<AsyncIterable<Buffer>>({
  content: { [MEDIA_TYPE]: { schema: { ...file, examples: ['%PDF-1.7'] } } },
})

export const pdfResponse = (description: string) => ({ description, content: { [MEDIA_TYPE]: { schema: file } } })

/** Reads only PDFs; the operation gets the bytes as a stream, for `readPdf`. */
export const pdfBody: BodyReader = {
  types: [MEDIA_TYPE],
  isStreamed: true,
  read: ({ raw, headers, countBody }) => {
    checkCharset(headers['content-type'])
    if (Number(headers['content-length']) > PDF_BYTES_MAX) throw tooLarge(PDF_BYTES_MAX)
    return countedBytes(raw, countBody)
  },
}

/**
 * Streams a PDF. Throws 413 `payload_too_large`, or 422 `not_a_pdf` when it does not start or end like a PDF: the end
 * is known only after the last byte was passed on, so the caller must not use the bytes before the iteration ends. The
 * content in between is checked by `PdfInspector`.
 */
export async function* readPdf(body: AsyncIterable<Uint8Array>, bytesMax = PDF_BYTES_MAX): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0) // held back until it can be recognised
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
