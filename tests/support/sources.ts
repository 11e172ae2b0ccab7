import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const ROOT = new URL('../../', import.meta.url).pathname

/**
 * The module of an `import` or `export … from`; `target` is a path from the root, or a package. `isDeferred`: it is loaded when
 * that line is reached.
 */
type Import = { target: string; typeOnly: boolean; isPackage: boolean; isDeferred: boolean }

export type Source = { path: string; text: string; code: string; lines: string[]; imports: Import[] }

/** The TypeScript files below these folders. */
export function readSources(...folders: string[]): Source[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => /\.tsx?$/.test(path))
    .toSorted()
    .map(readSource)
}

export const pathsBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

function readSource(path: string): Source {
  const text = readText(path)
  const code = withoutComments(text)
  return { path, text, code, lines: text.trimEnd().split('\n'), imports: importsIn(path, code) }
}

/** Sufficient for formatted code; line numbers stay the same. */
const withoutComments = (text: string) =>
  text.replace(/^\s*\/\*[\s\S]*?\*\//gm, (comment) => comment.replace(/[^\n]/g, '')).replace(/(^|\s)\/\/.*$/gm, '$1')

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[^'"`;()]*?\sfrom\s+)?'([^']+)'/gm
const DYNAMIC_IMPORT = /\bimport\('([^']+)'\)/g

function importsIn(path: string, code: string): Import[] {
  const importOf = (target: string, { typeOnly = false, isDeferred = false }): Import => {
    const isPackage = !target.startsWith('.')
    return { typeOnly, isDeferred, isPackage, target: isPackage ? target : normalize(join(dirname(path), target)) }
  }
  return [
    ...[...code.matchAll(IMPORT)].map(([, type, target = '']) => importOf(target, { typeOnly: type !== undefined })),
    ...[...code.matchAll(DYNAMIC_IMPORT)].map(([, target = '']) => importOf(target, { isDeferred: true })),
  ]
}

type Block = { start: number; length: number; ownLength: number }

/**
 * The functions of a file with a body of more than one line, found by their layout: a head that ends in `{`, and the
 * first line after it that closes at the same depth. `ownLength` excludes nested functions.
 */
export function functionsIn({ lines }: Source): Block[] {
  const depthOf = (line: string) => line.length - line.trimStart().length
  const blocks = lines.flatMap((line, index) => {
    if (!HEAD_END.test(line) || STATEMENT.test(line)) return []
    const depth = depthOf(line)
    const isContinued = /^\s*\)/.test(line)
    const start = isContinued
      ? lines.findLastIndex((other, at) => at < index && depthOf(other) === depth && other !== '')
      : index
    const end = lines.findIndex(
      (other, at) => at > index && depthOf(other) === depth && other.trimStart().startsWith('}'),
    )
    return end === -1 ? [] : [{ start, end }]
  })
  return blocks.map(({ start, end }) => {
    const inside = blocks.filter((other) => other.start > start && other.end < end)
    const outermost = inside.filter((one) => !inside.some((other) => other.start < one.start && other.end > one.end))
    const length = end - start + 1
    const others = outermost.reduce((sum, one) => sum + one.end - one.start + 1, 0)
    return { start: start + 1, length, ownLength: length - others }
  })
}

/** An arrow, the keyword, a method, or the last line of a head that was broken up. */
const HEAD_END = /=> \{$|\bfunction\b.*\{$|^\s*(?:async |static |get |set )*[\w#]+\(.*\).*\{$|^\s*\).*\{$/
const STATEMENT = /^\s*(?:\} )?(?:if|else|for|while|switch|catch|try|do)\b/
