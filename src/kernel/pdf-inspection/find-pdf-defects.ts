import assert from 'node:assert/strict'
import { PDF, PdfArray, PdfDict, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core'
import type { PdfDefect } from './pdf-defects.ts'
import { toList, toName, type Resolve, unpackedLength } from './unpacked-length.ts'

const MIB = 1024 * 1024
/** Of all streams of a document together, unpacked as a viewer would. */
const UNPACKED_BYTES_MAX = 100 * MIB

/** Where the action of an annotation, an outline entry, a presentation or another action stands. */
const ACTION_KEYS = ['A', 'PA', 'NA', 'Next']
/** The pages that a named action may turn to. Other names print, save, close, or are known to some viewers only. */
const NAMED_PAGES = ['NextPage', 'PrevPage', 'FirstPage', 'LastPage']
/** Absolute addresses: a relative one leads wherever its viewer takes the file to be, on Windows also to another machine. */
const LINKED = /^(?:https?:\/\/[^/]|mailto:|tel:)[^\\\p{C}]*$/iu
/** Forbidden wherever they stand: scripts, which names can start, and what starts programs, sends data or opens other files. */
const FORBIDDEN_ACTIONS = ['JavaScript', 'Launch', 'SubmitForm', 'ImportData', 'GoToR', 'GoToE']
/** Annotations that play what is embedded in them. */
const PLAYED = ['RichMedia', 'Screen', 'Movie', 'Sound', '3D']

/**
 * Returns the defects of a PDF; empty when there are none. Reads it through its cross-reference table, as viewers do,
 * and checks everything reachable from there. Strict: a file that a viewer would have to repair is not a PDF.
 */
export async function findPdfDefects(bytes: Uint8Array): Promise<PdfDefect[]> {
  try {
    // First, because in an encrypted document not even the catalog can be read.
    const revisions = splitRevisions(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    if (revisions.some(isEncrypted)) return ['encrypted']
    const pdf = await PDF.load(bytes, { lenient: false })
    if (pdf.isEncrypted) return ['encrypted']
    if (pdf.getPageCount() === 0) return ['not_a_pdf']
    const defects = defectsIn(pdf)
    return revisions.some(hasSource) ? [...new Set<PdfDefect>([...defects, 'embedded_file'])] : defects
  } catch {
    return ['not_a_pdf']
  }
}

function defectsIn(pdf: PDF): PdfDefect[] {
  const defects = new Set<PdfDefect>()
  const resolve = (object: PdfObject | undefined) => resolved(pdf, object)
  let unpackedBytes = 0
  for (const dict of dictsIn(pdf)) {
    for (const defect of findDefects(dict, resolve)) defects.add(defect)
    if (!(dict instanceof PdfStream)) continue
    unpackedBytes += unpackedLength(dict, { resolve, max: UNPACKED_BYTES_MAX - unpackedBytes })
    if (unpackedBytes > UNPACKED_BYTES_MAX) return [...defects, 'unpacked_too_large']
  }
  return [...defects]
}

/** Yields every dictionary and stream reachable from the trailer, once each. */
function* dictsIn(pdf: PDF): Generator<PdfDict> {
  const visited = new Set<string>()
  const left: PdfObject[] = [pdf.context.info.trailer]
  for (let object = left.pop(); object !== undefined; object = left.pop()) {
    if (object instanceof PdfRef) {
      const id = `${object.objectNumber} ${object.generation}`
      const target = visited.has(id) ? null : pdf.getObject(object)
      visited.add(id)
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
  let value = object
  for (let steps = 0; value instanceof PdfRef && steps < REFERENCES_MAX; steps++)
    value = pdf.getObject(value) ?? undefined
  return value
}

function* findDefects(dict: PdfDict, resolve: Resolve): Generator<PdfDefect> {
  const at = (key: string) => resolve(dict.get(key))
  if (FORBIDDEN_ACTIONS.includes(actionKind(dict, resolve) ?? '')) yield defectOfAction(dict, resolve)
  const events = at('AA')
  const unasked = [at('OpenAction'), ...(events instanceof PdfDict ? [...events].map(([, event]) => event) : [])]
  for (const action of unasked.flatMap((first) => listChain(first, resolve)))
    if (actionKind(action, resolve) === 'URI' || !isAllowed(action, resolve)) yield defectOfAction(action, resolve)
  for (const action of ACTION_KEYS.flatMap((key) => toList(at(key))).map(resolve))
    if (action instanceof PdfDict && !isAllowed(action, resolve)) yield defectOfAction(action, resolve)
  const addresses = at('URI')
  if (addresses instanceof PdfDict && addresses.has('Base')) yield 'unsafe_action'
  if (dict.has('Rect') && PLAYED.includes(toName(at('Subtype')) ?? '')) yield 'unsafe_action'
  // The bytes of a stream, or the page that it shows, are in another file.
  if (dict instanceof PdfStream && (dict.has('F') || dict.has('Ref'))) yield 'unsafe_action'
  // Checked together: alone, each may be the name of a font or an image.
  if (at('EF') instanceof PdfDict && ['F', 'UF', 'Type'].some((key) => dict.has(key))) yield 'embedded_file'
  if (dict.has('AdditionalStreams')) yield 'embedded_file'
  const form = at('AcroForm')
  if (form instanceof PdfDict && form.has('XFA')) yield 'javascript'
}

const actionKind = (action: PdfDict, resolve: Resolve) => toName(resolve(action.get('S')))

const defectOfAction = (action: PdfDict, resolve: Resolve): PdfDefect =>
  actionKind(action, resolve) === 'JavaScript' ? 'javascript' : 'unsafe_action'

/** Whether a reader may trigger it. The keys of actions are also those of tags and of outline entries, which have no kind. */
function isAllowed(action: PdfDict, resolve: Resolve): boolean {
  const kind = actionKind(action, resolve)
  if (kind === undefined || kind === 'GoTo') return true
  if (kind === 'Named') return NAMED_PAGES.includes(toName(resolve(action.get('N'))) ?? '')
  const address = kind === 'URI' ? resolve(action.get('URI')) : undefined
  return address instanceof PdfString && LINKED.test(address.asString())
}

function listChain(first: PdfObject | undefined, resolve: Resolve): PdfDict[] {
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

/** LibreOffice adds the document that a hybrid PDF was made from, and looks for it in every revision. */
const hasSource = (trailer: string) => /\/AdditionalStreams\b/.test(trailer)

const TAIL_BYTES = 1_024

/** Returns the table and trailer of each revision, newest first. Throws on a loop, in which a viewer would hang. */
function splitRevisions(file: Buffer): string[] {
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
