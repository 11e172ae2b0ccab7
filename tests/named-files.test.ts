import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { pathsBelow, readSources, readText } from './support/sources.ts'

const OWN_PATH = 'tests/named-files.test.ts'
const FOLDERS = ['bench', 'client/src', 'dashboard/src', 'deploy', 'docs', 'migrations', 'pages', 'sandbox', 'src']
const files = [
  ...readdirSync(new URL('../', import.meta.url)),
  'client/README.md',
  ...[...FOLDERS, 'templates', 'tests', 'tools'].flatMap(pathsBelow),
].filter((path) => !path.includes('node_modules'))

/** A folder before a name may be left out. */
const isThere = (name: string): boolean => files.some((path) => path === name || path.endsWith(`/${name}`))

/** The changelog names files as they were, the reference is generated from checked texts. */
const isWritten = (path: string) =>
  path.endsWith('.md') && path !== 'CHANGELOG.md' && !path.startsWith('docs/reference/')

const DOCUMENTED = /^(?:[\w.-]+\/)*[\w.-]*\w\.(?:tsx?|md|typ)$|^(?:\w+\/)*(?:\d{4}_\w+|schema)\.sql$/
const COMMENTED = /(?<![\w./-])(?:[\w.-]+\/)*[\w.-]*\w\.tsx?\b/g

/** What stands between backticks, outside of blocks, and is named like a file of the project. */
const namesInDocument = (text: string): string[] =>
  [...text.replaceAll(/^ *```.*?^ *```/gms, '').matchAll(/`([^`\n]+)`/g)]
    .map(([, what = '']) => what)
    .filter((what) => DOCUMENTED.test(what))

const namesInComments = (text: string): string[] =>
  [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)].flatMap(([comment]) => comment.match(COMMENTED) ?? [])

const missingOf = (named: { path: string; name: string }[]) =>
  named.filter(({ name }) => !isThere(name)).map(({ path, name }) => `${path} names ${name}`)

describe('a file that is named', () => {
  it('in a document is there, whether with its folder or without', () => {
    const documents = files.filter(isWritten)
    const named = documents.flatMap((path) => namesInDocument(readText(path)).map((name) => ({ path, name })))
    assert(documents.length > 60 && named.length > 600, 'they are found at all')
    assert.deepEqual(missingOf(named), [])
  })

  it('in a comment is there', () => {
    const sources = readSources('src', 'sandbox', 'client/src', 'dashboard/src', 'tests', 'tools', 'bench').filter(
      ({ path }) => path !== OWN_PATH,
    )
    const named = sources.flatMap(({ path, text }) => namesInComments(text).map((name) => ({ path, name })))
    assert(named.length > 10, 'they are found at all')
    assert.deepEqual(missingOf(named), [])
  })

  it('and is gone is reported', () => {
    const text = 'See `gone.ts` and `src/gone.md`, `0001_gone.sql`, but not `t.sql`, `banyan.json` or `a sentence.ts`.'
    assert.deepEqual(namesInDocument(text), ['gone.ts', 'src/gone.md', '0001_gone.sql'])
    assert.deepEqual(namesInComments('/** As `gone.ts`. */\nconst a = `b.ts` // or `c.ts`'), ['gone.ts', 'c.ts'])
    assert(!isThere('gone.ts') && isThere('app.ts') && isThere('record/jobs.ts'))
  })
})
