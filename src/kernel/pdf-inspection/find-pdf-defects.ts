import assert from 'node:assert/strict'
import { PDF, PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core'
import type { PdfDefect } from './pdf-defects.ts'
import { nameOf, type Resolve, unpackedLength } from './unpacked-length.ts'

const MIB = 1024 * 1024
/** Of all streams of a document together, unpacked as a viewer would. */
const UNPACKED_BYTES_MAX = 100 * MIB

/** Actions that are forbidden even when the reader must trigger them. */
const FORBIDDEN_ACTIONS: Record<string, PdfDefect> = {
  JavaScript: 'javascript',
  Launch: 'unsafe_action',
  SubmitForm: 'unsafe_action',
  ImportData: 'unsafe_action',
  GoToR: 'unsafe_action', // another file
  GoToE: 'unsafe_action', // a file within it
}
/** Annotations that play what is embedded in them. */
const PLAYED = ['RichMedia', 'Screen', 'Movie', 'Sound', '3D']
/** Addresses that a link may have; others run scripts or open local files. */
const LINKED = /^(?:https?|mailto|tel):/i
/** Actions allowed when the document or a page is opened: go to a place within it, or open the print dialog. */
const HARMLESS_ACTIONS = ['GoTo', 'Named']

/**
 * Returns the defects of a PDF; empty when there are none. Reads it through its cross-reference table, as viewers do,
 * and checks everything reachable from there. Strict: a file that a viewer would have to repair is not a PDF.
 */
export async function findPdfDefects(bytes: Uint8Array): Promise<PdfDefect[]> {
  try {
    // First, because in an encrypted document not even the catalog can be read.
    if (revisionsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).some(isEncrypted))
      return ['encrypted']
    const pdf = await PDF.load(bytes, { lenient: false })
    if (pdf.isEncrypted) return ['encrypted']
    return pdf.getPageCount() === 0 ? ['not_a_pdf'] : defectsIn(pdf)
  } catch {
    return ['not_a_pdf']
  }
}

function defectsIn(pdf: PDF): PdfDefect[] {
  const defects = new Set<PdfDefect>()
  const resolve = (object: PdfObject | undefined) => resolved(pdf, object)
  let unpackedBytes = 0
  for (const dict of dictsIn(pdf)) {
    for (const defect of defectsOf(dict, resolve)) defects.add(defect)
    if (!(dict instanceof PdfStream)) continue
    unpackedBytes += unpackedLength(dict, { resolve, max: UNPACKED_BYTES_MAX - unpackedBytes })
    if (unpackedBytes > UNPACKED_BYTES_MAX) return [...defects, 'unpacked_too_large']
  }
  return [...defects]
}

/** Yields every dictionary and stream reachable from the trailer, once each. */
function* dictsIn(pdf: PDF): Generator<PdfDict> {
  const seen = new Set<string>()
  const left: PdfObject[] = [pdf.context.info.trailer]
  for (let object = left.pop(); object !== undefined; object = left.pop()) {
    if (object instanceof PdfRef) {
      const id = `${object.objectNumber} ${object.generation}`
      const target = seen.has(id) ? null : pdf.getObject(object)
      seen.add(id)
      if (target) left.push(target)
    } else if (object instanceof PdfArray) {
      for (const item of object) left.push(item)
    } else if (object instanceof PdfDict) {
      for (const [, value] of object) left.push(value)
      yield object
    }
  }
}

const REFERENCES_MAX = 100

/** Returns the object behind a reference, or behind a chain of references. */
function resolved(pdf: PDF, object: PdfObject | undefined): PdfObject | undefined {
  let found = object
  for (let steps = 0; found instanceof PdfRef && steps < REFERENCES_MAX; steps++)
    found = pdf.getObject(found) ?? undefined
  return found
}

function* defectsOf(dict: PdfDict, resolve: Resolve): Generator<PdfDefect> {
  const at = (key: string) => resolve(dict.get(key))
  const action = nameOf(at('S'))
  const forbidden = action === undefined ? undefined : FORBIDDEN_ACTIONS[action]
  if (forbidden) yield forbidden
  if (action === 'Rendition' && dict.has('JS')) yield 'javascript'
  const address = action === 'URI' ? at('URI') : undefined
  if (address instanceof PdfString && !isLinked(address.asString())) yield 'unsafe_action'
  if (dict.has('Rect') && PLAYED.includes(nameOf(at('Subtype')) ?? '')) yield 'unsafe_action'
  // Checked together: alone, each may be the name of a font or an image.
  if (at('EF') instanceof PdfDict && ['F', 'UF', 'Type'].some((key) => dict.has(key))) yield 'embedded_file'
  const form = at('AcroForm')
  if (form instanceof PdfDict && form.has('XFA')) yield 'javascript'

  const events = at('AA')
  const unasked = [at('OpenAction'), ...(events instanceof PdfDict ? [...events].map(([, event]) => event) : [])]
  for (const one of unasked.flatMap((first) => chainOf(first, resolve))) {
    const kind = nameOf(resolve(one.get('S')))
    if (kind !== undefined && !HARMLESS_ACTIONS.includes(kind)) yield FORBIDDEN_ACTIONS[kind] ?? 'unsafe_action'
  }
}

/** An address without a scheme is relative, and leads nowhere from a downloaded file. */
const isLinked = (address: string): boolean => LINKED.test(address) || !/^[\s\p{C}]*[a-z][a-z\d+.\s-]*:/iu.test(address)

function chainOf(first: PdfObject | undefined, resolve: Resolve): PdfDict[] {
  const chain = new Set<PdfDict>()
  const left = [first]
  while (left.length > 0) {
    const action = resolve(left.pop())
    if (action instanceof PdfArray) left.push(...action)
    if (!(action instanceof PdfDict) || chain.has(action)) continue
    chain.add(action)
    left.push(action.get('Next'))
  }
  return [...chain]
}

const isEncrypted = (trailer: string) => /\/Encrypt\b/.test(trailer)

const TAIL_BYTES = 1_024

/** Returns the table and trailer of each revision, newest first. Throws on a loop, in which a viewer would hang. */
function revisionsOf(file: Buffer): string[] {
  const revisions = new Map<number, string>()
  let start = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(file.toString('latin1', file.length - TAIL_BYTES))?.[1]
  while (start !== undefined) {
    const offset = Number(start)
    assert(!revisions.has(offset), 'a revision comes before itself')
    const ends = ['startxref', 'stream'].map((word) => file.indexOf(word, offset)).filter((end) => end !== -1)
    const revision = file.toString('latin1', offset, Math.min(...ends, file.length))
    revisions.set(offset, revision)
    start = /\/Prev\s+(\d+)/.exec(revision)?.[1]
  }
  return [...revisions.values()]
}
