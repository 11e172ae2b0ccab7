import { malformedJson } from '../refusal.ts'

const DEPTH_MAX = 32

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A JSON value that came from outside. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/**
 * Reads a body that must be one JSON object. JSON.parse alone takes the last of two equal keys, turns 1e400 into
 * Infinity and rounds large integers; each of those is refused here with 400 `malformed_json`, never half-read.
 */
export function parseJsonObject(bytes: Uint8Array): JsonObject {
  const text = decode(bytes)
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    throw malformedJson('The body is not JSON.')
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw malformedJson('The body is not a JSON object.')
  }
  scan(text)
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformedJson('The body is not UTF-8.')
  }
}

/** Walks a text known to be JSON: depth, repeated keys, numbers that JavaScript cannot keep. */
function scan(text: string): void {
  const keysOfOpenObjects: (Set<string> | null)[] = [] // null stands for an array
  let keyExpected = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (char === '"') {
      const end = endOfString(text, at)
      if (keyExpected) noteKey(keysOfOpenObjects.at(-1), text.slice(at, end + 1))
      keyExpected = false
      at = end
    } else if (char === '{' || char === '[') {
      keysOfOpenObjects.push(char === '{' ? new Set() : null)
      if (keysOfOpenObjects.length > DEPTH_MAX)
        throw malformedJson(`The body is nested deeper than ${DEPTH_MAX} levels.`)
      keyExpected = char === '{'
    } else if (char === '}' || char === ']') {
      keysOfOpenObjects.pop()
      keyExpected = false
    } else if (char === ',') {
      keyExpected = keysOfOpenObjects.at(-1) instanceof Set
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      at = endOfNumber(text, at) - 1
    }
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function noteKey(keys: Set<string> | null | undefined, quoted: string): void {
  const key: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
  if (keys?.has(key)) throw malformedJson('An object of the body has the same key twice.')
  keys?.add(key)
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && /[0-9.eE+-]/.test(text[end] as string)) end++
  const value = Math.abs(Number(text.slice(start, end)))
  if (value > Number.MAX_SAFE_INTEGER) throw malformedJson('A number of the body is too large to be kept exactly.')
  return end
}

/** A member name as a token of a JSON Pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
