import assert from 'node:assert/strict'
import { inflateSync } from 'node:zlib'

/** Bytes and characters correspond in it; PDF is bytes with words in between. */
export const BYTES = 'latin1'

const STREAM = '\nstream\n'
const END = '\nendobj\n'

/**
 * An object of a PDF as typst writes it, none packed into another: all of it, or of a stream the part before its bytes.
 */
export function objectIn(file: Buffer, number: number): { head: string; end: number } {
  const start = file.indexOf(`\n${number} 0 obj\n`, 0, BYTES)
  assert(start !== -1, `the file has an object ${number}`)
  const object = file.subarray(start, file.indexOf(END, start, BYTES) + END.length)
  const stream = object.indexOf(STREAM, 0, BYTES)
  const end = start + (stream === -1 ? object.length : stream + STREAM.length)
  return { head: file.toString(BYTES, start, end), end }
}

export function streamIn(file: Buffer, number: number): string {
  const { head, end } = objectIn(file, number)
  const stream = file.subarray(end, end + Number(/\/Length (\d+)/.exec(head)?.[1]))
  return (head.includes('/FlateDecode') ? inflateSync(stream) : stream).toString(BYTES)
}

const TOKEN = /\s*(<<|>>|\[|\]|<[\da-f\s]*>|\(|\/?[^\s<>[\]()/]+)/iy

/** The words of a content stream. Strings keep their brackets. */
export function* tokensOf(content: string): Generator<string> {
  const end = content.trimEnd().length
  for (let at = 0; at < end; ) {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(content)?.[1]
    assert(token, `the page can be read at ${at}`)
    at = token === '(' ? endOfString(content, TOKEN.lastIndex) : TOKEN.lastIndex
    yield token === '(' ? content.slice(TOKEN.lastIndex - 1, at) : token
  }
}

/** Brackets inside a string are in pairs, or behind a backslash. */
function endOfString(content: string, start: number): number {
  let depth = 1
  for (let at = start; at < content.length; at++) {
    if (content[at] === '\\') at++
    else if (content[at] === '(') depth++
    else if (content[at] === ')' && --depth === 0) return at + 1
  }
  return content.length
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** The bytes of a string, `(written)` or `<in hex>`. */
export function bytesOf(token: string): Buffer {
  if (token.startsWith('<')) return Buffer.from(token.slice(1, -1).replace(/\s/g, ''), 'hex')
  const written = token.slice(1, -1).replace(/\\(\d{1,3}|[\s\S])/g, (_, escaped: string) => {
    if (/^\d/.test(escaped)) return String.fromCharCode(Number.parseInt(escaped, 8))
    return ESCAPES[escaped] ?? escaped
  })
  return Buffer.from(written, BYTES)
}

/** Text is UTF-16 when marked so, otherwise one byte per letter. */
export function wordsOf(token: string): string {
  const bytes = bytesOf(token)
  return bytes.readUInt16BE(0) === 0xfeff ? utf16(bytes.subarray(2)) : bytes.toString(BYTES)
}

export const utf16 = (bytes: Buffer): string => new TextDecoder('utf-16be').decode(bytes)
