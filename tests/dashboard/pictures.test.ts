import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, it } from 'node:test'
import { pathsBelow, readText } from '../support/sources.ts'

const FOLDER = new URL('../../docs/pictures/', import.meta.url)
const BYTES_MAX = 1_500_000
const BYTES_EACH_MAX = 200_000
const ALTERNATIVE_MIN = 30
const MAKER = 'tests/browser/handbook-pictures.ts'

const names = readdirSync(FOLDER)
const pages = ['README.md', ...pathsBelow('docs')].filter((path) => path.endsWith('.md')).map(readText)
const shown = pages.flatMap((text) => [...text.matchAll(/!\[([^\]]*)\]\([^)]*pictures\/([^)]+)\)/g)])

describe('the pictures of the handbook', () => {
  it('are each shown on a page, with words for those who do not see them', () => {
    assert.deepEqual([...new Set(shown.map(([, , name = '']) => name))].toSorted(), names.toSorted())
    for (const [, words = '', name] of shown) assert(words.length >= ALTERNATIVE_MIN, `${name}: ${words}`)
  })

  it('are made by `npm run pictures -- --handbook`', () => {
    const made = [...readText(MAKER).matchAll(/name: '([\w-]+)'/g)].map(([, name]) => `${name}.png`)
    assert.deepEqual(
      names.filter((name) => !made.includes(name)),
      [],
    )
  })

  it('are small: 1.5 MB together', () => {
    const sizes = names.map((name) => ({ name, bytes: statSync(new URL(name, FOLDER)).size }))
    assert.deepEqual(
      sizes.filter(({ bytes }) => bytes > BYTES_EACH_MAX),
      [],
    )
    assert(sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= BYTES_MAX)
    const png = Buffer.from('\x89PNG', 'latin1')
    for (const name of names) assert.deepEqual(readFileSync(new URL(name, FOLDER)).subarray(0, 4), png, name)
  })
})
