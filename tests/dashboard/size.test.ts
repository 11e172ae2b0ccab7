import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { spawnSync } from 'node:child_process'

const DIST = new URL('../../dashboard/dist/', import.meta.url)
const FIRST_SCREEN_BYTES_MAX = 250_000
const FURTHER_SCREEN_BYTES_MAX = 40_000

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[]; isEntry?: boolean }

describe('the scripts of the dashboard, compressed', () => {
  let chunks: Record<string, Chunk> = {}
  before(() => {
    // `npm ci` has built it, except where the workspace was copied.
    if (!existsSync(new URL('manifest.json', DIST)))
      assert.equal(spawnSync('npm', ['run', 'build', '--workspace', 'dashboard']).status, 0)
    chunks = JSON.parse(readFileSync(new URL('manifest.json', DIST), 'utf8'))
  })

  const chunkOf = (name: string): Chunk => chunks[name] ?? assert.fail(name)
  const withImports = (name: string, known = new Set<string>()): Set<string> => {
    if (!known.has(name)) for (const one of known.add(name) && (chunkOf(name).imports ?? [])) withImports(one, known)
    return known
  }
  const bytesOf = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + statSync(new URL(`${chunkOf(name).file}.br`, DIST)).size, 0)
  const entry = () => Object.keys(chunks).find((name) => chunkOf(name).isEntry) ?? assert.fail('there is no entry')

  it('are less than 250 kB for the first screen', () => {
    const home = chunkOf(entry()).dynamicImports?.find((name) => name.includes('/home/')) ?? assert.fail('no home')
    assert(bytesOf(withImports(home, withImports(entry()))) < FIRST_SCREEN_BYTES_MAX)
  })

  it('are less than 40 kB more for each further screen', () => {
    const first = withImports(entry())
    for (const screen of chunkOf(entry()).dynamicImports ?? []) {
      const more = [...withImports(screen)].filter((name) => !first.has(name))
      assert(bytesOf(more) < FURTHER_SCREEN_BYTES_MAX, screen)
    }
  })
})
