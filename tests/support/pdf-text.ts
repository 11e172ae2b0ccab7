import assert from 'node:assert/strict'
import { bytesOf, objectIn, streamIn, tokensOf, utf16, wordsOf } from './pdf-objects.ts'

/**
 * The text of a page as a careful reader copies it: the letters of each glyph, or the page's replacement text for
 * several. In Indian and Arabic scripts one letter may be several glyphs and vice versa, so a PDF has `/ActualText` for
 * them, which pdf.js leaves out. Lines end in a line feed; a gap, as between the cells of a table, is a tab.
 */
export function textOfPage(bytes: Uint8Array, pageObject: number): string {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const known = fontsOf.get(bytes) ?? new Map<number, Font>()
  fontsOf.set(bytes, known)
  const { head } = objectIn(file, pageObject)
  const contents = /\/Contents (\d+) 0 R/.exec(head)?.[1]
  assert(contents, 'a page has contents')
  const named = [...(/\/Font <<([^>]*)>>/.exec(head)?.[1] ?? '').matchAll(/(\/\w+) (\d+) 0 R/g)]
  const fonts = new Map(
    named.map(([, name = '', number]) => {
      const font = known.get(Number(number)) ?? fontIn(file, Number(number))
      known.set(Number(number), font)
      return [name, font]
    }),
  )
  return linesOf(glyphsOf(streamIn(file, Number(contents)), fonts))
    .map((line) =>
      inReadingOrder(withGaps(line))
        .map(({ text }) => text)
        .join(''),
    )
    .join('\n')
}

type Font = { letters: Map<number, string>; widths: Map<number, number> }

/** The fonts of each document, which its pages share, by the number of their object. */
const fontsOf = new WeakMap<Uint8Array, Map<number, Font>>()

function fontIn(file: Buffer, number: number): Font {
  const { head } = objectIn(file, number)
  const referred = (name: string) => Number(new RegExp(`${name} \\[?(\\d+) 0 R`).exec(head)?.[1])
  const pairs = streamIn(file, referred('/ToUnicode')).matchAll(/^<([\dA-F]{4})> <([\dA-F]+)>$/gm)
  const letters = new Map(
    [...pairs].map(([, code = '', text = '']) => [Number.parseInt(code, 16), utf16(Buffer.from(text, 'hex'))]),
  )
  const widths = new Map<number, number>()
  const list = /\/W \[([^\]]*)\]/.exec(objectIn(file, referred('/DescendantFonts')).head)?.[1] ?? ''
  for (const [, first, last, width] of list.matchAll(/(\d+) (\d+) ([\d.]+)/g)) {
    for (let code = Number(first); code <= Number(last); code++) widths.set(code, Number(width))
  }
  return { letters, widths }
}

/** A glyph, or several with one replacement text; in points from the lower left corner of the page. */
type Glyph = { text: string; x: number; end: number; y: number; size: number }

type Matrix = [number, number, number, number, number, number]
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]

const product = (a: Matrix, b: Matrix): Matrix => [
  a[0] * b[0] + a[1] * b[2],
  a[0] * b[1] + a[1] * b[3],
  a[2] * b[0] + a[3] * b[2],
  a[2] * b[1] + a[3] * b[3],
  a[4] * b[0] + a[5] * b[2] + b[4],
  a[4] * b[1] + a[5] * b[3] + b[5],
]

/** Follows the operators of the page that position, show and mark text; the others draw. */
function glyphsOf(content: string, fonts: Map<string, Font>): Glyph[] {
  const glyphs: Glyph[] = []
  const saved: Matrix[] = []
  const marks: { actual: string | null; from: number }[] = []
  const now = { page: IDENTITY, text: IDENTITY, font: fonts.values().next().value, size: 0, x: 0 }

  const show = (codes: Buffer) => {
    for (let at = 0; at + 1 < codes.length; at += 2) {
      const code = codes.readUInt16BE(at)
      const width = ((now.font?.widths.get(code) ?? 0) * now.size) / 1000
      const [, , , , x, y] = product([1, 0, 0, 1, now.x, 0], product(now.text, now.page))
      glyphs.push({ text: now.font?.letters.get(code) ?? '', x, end: x + width, y, size: now.size })
      now.x += width
    }
  }
  const unmark = () => {
    const mark = marks.pop()
    const marked = glyphs.slice(mark?.from)
    const [first] = marked
    if (!mark || mark.actual === null || !first) return
    const end = Math.max(...marked.map((glyph) => glyph.end))
    glyphs.splice(mark.from, marked.length, { ...first, text: mark.actual, end })
  }
  const operators: Record<string, (operands: string[]) => void> = {
    q: () => saved.push(now.page),
    Q: () => (now.page = saved.pop() ?? IDENTITY),
    cm: (operands) => (now.page = product(operands.map(Number) as Matrix, now.page)),
    Tm: (operands) => Object.assign(now, { text: operands.map(Number), x: 0 }),
    Tf: ([name = '', size]) => Object.assign(now, { font: fonts.get(name), size: Number(size) }),
    Tj: ([codes = '']) => show(bytesOf(codes)),
    TJ: (operands) => {
      for (const one of operands) {
        if (/^[(<]/.test(one)) show(bytesOf(one))
        else if (/\d/.test(one)) now.x -= (Number(one) * now.size) / 1000
      }
    },
    BMC: () => marks.push({ actual: null, from: glyphs.length }),
    BDC: (operands) => {
      const actual = operands[operands.indexOf('/ActualText') + 1] ?? ''
      marks.push({ actual: operands.includes('/ActualText') ? wordsOf(actual) : null, from: glyphs.length })
    },
    EMC: unmark,
  }

  let operands: string[] = []
  for (const token of tokensOf(content)) {
    if (/^[a-z'"]/i.test(token)) {
      operators[token]?.(operands)
      operands = []
    } else operands.push(token)
  }
  return glyphs
}

/** Marks above and below their letter belong to its line, as does slightly smaller text. */
const LINE_HEIGHT_MIN = 0.8
const GAP_MIN = 0.5

function linesOf(glyphs: Glyph[]): Glyph[][] {
  const lines: Glyph[][] = []
  for (const glyph of glyphs) {
    const last = lines.at(-1)
    const base = last?.[0]
    if (last && base && Math.abs(base.y - glyph.y) < LINE_HEIGHT_MIN * base.size) last.push(glyph)
    else lines.push([glyph])
  }
  return lines
}

function withGaps(line: Glyph[]): Glyph[] {
  let end = Number.POSITIVE_INFINITY
  return line.map((glyph) => {
    const isApart = glyph.x - end > GAP_MIN * glyph.size
    end = Math.max(glyph.end, end === Number.POSITIVE_INFINITY ? 0 : end)
    return isApart ? { ...glyph, text: `\t${glyph.text}` } : glyph
  })
}

const FROM_THE_RIGHT = /\p{Script_Extensions=Arabic}/u
const NEUTRAL_OR_FROM_THE_RIGHT = /^[\s\p{Script_Extensions=Arabic}]*$/u

/** Right-to-left text is stored from left to right on the page. */
function inReadingOrder(line: Glyph[]): Glyph[] {
  const first = line.findIndex(({ text }) => FROM_THE_RIGHT.test(text))
  if (first === -1) return line
  const after = line.findIndex(({ text }, at) => at > first && !NEUTRAL_OR_FROM_THE_RIGHT.test(text))
  const run = line.slice(first, after === -1 ? undefined : after)
  const end = first + run.findLastIndex(({ text }) => FROM_THE_RIGHT.test(text)) + 1
  return [...line.slice(0, first), ...line.slice(first, end).toReversed(), ...inReadingOrder(line.slice(end))]
}
