import assert from 'node:assert/strict'

/** An object of a PDF, as text or, if it has binary data, as bytes. */
export type Body = string | Buffer

const BYTES = 'latin1'
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const page = (more: string) =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> ${more} >>`

type Parts = {
  line?: string
  /** Additional members of the catalog, of the page and of the trailer. */
  catalog?: string
  page?: string
  trailer?: string
  /** The content of the page, instead of the line. */
  contents?: Body
  /** Additional objects, from number 6 on. */
  objects?: Body[]
}

/** A stream with these members alongside its length. */
export const streamOf = (bytes: Body, members = ''): Buffer => {
  const data = Buffer.from(bytes as string, BYTES)
  const head = `<< /Length ${data.length} ${members} >>\nstream\n`
  return Buffer.concat([Buffer.from(head), data, Buffer.from('\nendstream')])
}

/** A complete PDF of one page, small enough to read in a debugger, with a test's additions. */
export function pdfWith({ line = '', catalog = '', page: members = '', trailer = '', contents, objects = [] }: Parts) {
  return pdfOfObjects(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      page(members),
      contents ?? streamOf(`BT /F1 24 Tf 72 720 Td (${line}) Tj ET`),
      FONT,
      ...objects,
    ],
    trailer,
  )
}

/** A PDF of these objects, numbered from 1, the first of which is its catalog. */
export function pdfOfObjects(objects: Body[], trailer = ''): Buffer {
  const parts: Buffer[] = []
  let length = 0
  const add = (part: Body) => {
    const bytes = Buffer.from(part as string, BYTES)
    parts.push(bytes)
    length += bytes.length
  }
  add('%PDF-1.7\n')
  const offsets = objects.map((object, index) => {
    const offset = length
    for (const part of [`${index + 1} 0 obj\n`, object, '\nendobj\n']) add(part)
    return offset
  })
  const start = length
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`)
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`)
  return Buffer.concat(parts)
}

/** A complete PDF of one page with a line of text. */
export const smallPdf = (line: string): Buffer => pdfWith({ line })

/** A PDF of exactly this length, padded with a comment. */
export function pdfOfLength(length: number): Buffer {
  const pdf = smallPdf('Large')
  const start = pdf.lastIndexOf('startxref')
  const filling = Buffer.alloc(length - pdf.length - 2, 'x')
  const file = Buffer.concat([
    pdf.subarray(0, start),
    Buffer.from('%'),
    filling,
    Buffer.from('\n'),
    pdf.subarray(start),
  ])
  assert.equal(file.length, length)
  return file
}

/** An annotation with an action, and the annotations of a page with one. */
export const annotation = (action: string) => `<< /Type /Annot /Subtype /Link /Rect [0 0 99 99] /A ${action} >>`
export const link = (action: string) => `/Annots [${annotation(action)}]`
