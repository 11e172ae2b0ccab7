import assert from 'node:assert/strict'
import { PDF, PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream } from '@libpdf/core'
import type { PdfDefect } from './pdf-defects.ts'
import { nameOf, type Resolve, unpackedLength } from './unpacked-length.ts'

const MIB = 1024 * 1024
/** Of all streams of a document together, as a viewer would unpack them. */
const UNPACKED_BYTES_MAX = 100 * MIB

/** Actions that no document may have, though a reader would have to ask for them. */
const FORBIDDEN_ACTIONS: Record<string, PdfDefect> = {
  JavaScript: 'javascript',
  Launch: 'unsafe_action',
  SubmitInput: 'unsafe_action',
  ImportData: 'unsafe_action',
}
/** What a document may do unasked, when it or a page of it is opened: go to a place in itself, or ask for the printer. */
const HARMLESS_ACTIONS = ['GoTo', 'Named']

/**
 * Returns what is wrong with a PDF; empty when nothing is. Reads it by its cross-reference table, as viewers do, and looks
 * at everything that can be reached from there. Strictly: what a viewer would have to repair is not a PDF.
 */
export async function findPdfDefects(bytes: Uint8Array): Promise<PdfDefect[]> {
  try {
    // Looked at first: in an encrypted document not even the catalog can be read.
    if (revisionsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).some(isEncrypted))
      return ['encrypted']
    const pdf = await PDF.load(bytes, { lenient: false })
    if (pdf.isEncrypted) return ['encrypted']
    return pdf.getPageCount() === 0 ? ['not_a_pdf'] : errorsIn(pdf)
  } catch {
    return ['not_a_pdf']
  }
}

function errorsIn(pdf: PDF): PdfDefect[] {
  const errors = new Set<PdfDefect>()
  const resolve = (object: PdfObject | undefined) => resolved(pdf, object)
  let unpackedBytes = 0
  for (const dict of dictsIn(pdf)) {
    for (const error of errorsOf(dict, resolve)) errors.add(error)
    if (!(dict instanceof PdfStream)) continue
    unpackedBytes += unpackedLength(dict, { resolve, max: UNPACKED_BYTES_MAX - unpackedBytes })
    if (unpackedBytes > UNPACKED_BYTES_MAX) return [...errors, 'unpacked_too_large']
  }
  return [...errors]
}

/** Every dictionary and stream that can be reached from the trailer, each once. */
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

/** The object that a reference leads to, also through other references. */
function resolved(pdf: PDF, object: PdfObject | undefined): PdfObject | undefined {
  let found = object
  for (let steps = 0; found instanceof PdfRef && steps < REFERENCES_MAX; steps++)
    found = pdf.getObject(found) ?? undefined
  return found
}

function* errorsOf(dict: PdfDict, resolve: Resolve): Generator<PdfDefect> {
  const at = (key: string) => resolve(dict.get(key))
  const action = nameOf(at('S'))
  const forbidden = action === undefined ? undefined : FORBIDDEN_ACTIONS[action]
  if (forbidden) yield forbidden
  if (action === 'Rendition' && dict.has('JS')) yield 'javascript'
  // The names are looked at together: alone each may be a name that somebody gave a font or a picture.
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

/** An action and those that follow it. */
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

/**
 * The table and trailer of each revision, the last one first. Throws when one leads back to one that leads to it: a viewer
 * that follows never ends.
 */
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
