import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { spawnSync } from 'node:child_process'
import { readSources } from '../support/sources.ts'

const DIST = new URL('../../dashboard/dist/', import.meta.url)
/** With its styles and what the service says, it begins after 190 kB at most: `dashboard-start.browsertest.ts`. */
const FIRST_SCREEN_BYTES_MAX = 175_000
const FURTHER_SCREEN_BYTES_MAX = 40_000

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[] }

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
  const entry = () =>
    Object.keys(chunks).find((name) => /^_first-.*\.js$/.test(name)) ?? assert.fail('there is no entry')

  it('are less than 175 kB for the first screen, in two files', () => {
    const first = withImports(entry())
    assert.equal(first.size, 2, 'what it needs is one file, and how files find each other')
    assert(bytesOf(first) < FIRST_SCREEN_BYTES_MAX)
  })

  it('are less than 40 kB more for each further screen', () => {
    const first = withImports(entry())
    for (const screen of chunkOf(entry()).dynamicImports ?? []) {
      if (first.has(screen)) continue // home
      const more = [...withImports(screen)].filter((name) => !first.has(name))
      assert(bytesOf(more) < FURTHER_SCREEN_BYTES_MAX, screen)
    }
  })
})

describe('the styles of the dashboard', () => {
  it('have those of each component that is used, and no others', () => {
    const sources = readSources('dashboard/src')
    const used = sources.flatMap(({ text }) =>
      [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(([, names = '']) =>
        names.split(',').map((name) => name.trim()),
      ),
    )
    const listed = readFileSync(new URL('../../dashboard/src/app/mantine.css', import.meta.url), 'utf8')
    const folder = new URL('../../node_modules/@mantine/core/styles/', import.meta.url)
    const withStyles = [...new Set(used)].filter((name) => existsSync(new URL(`${name}.layer.css`, folder)))
    assert(withStyles.length > 15, 'they are found at all')
    for (const name of withStyles) assert(listed.includes(`/${name}.layer.css`), `add ${name} to mantine.css`)
  })
})
