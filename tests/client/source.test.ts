import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { circlesIn } from '../support/circles.ts'
import { functionsIn, readSources, readText } from '../support/sources.ts'

const client = readSources('client/src')
/** Without the code that `npm run generate` makes. */
const written = client.filter(({ path }) => !path.startsWith('client/src/generated/'))
const importsOf = (sources: typeof client) =>
  sources.flatMap(({ path, imports }) => imports.map((one) => ({ from: path, ...one })))

const FILE_LINES_MAX = 250
const FUNCTION_LINES_MAX = 60

describe('the source of the client', () => {
  it('imports no package and nothing of the program, and the program nothing of it', () => {
    assert(client.length > 20, 'it is found at all')
    const leaving = importsOf(client).filter(({ target, isPackage }) => isPackage || !target.startsWith('client/src/'))
    assert.deepEqual(leaving, [])
    const entering = importsOf(readSources('src')).filter(({ target }) => /^(client\/|@banyan\/)/.test(target))
    assert.deepEqual(entering, [])
  })

  it('has no dependencies, and the version of the program', () => {
    const manifestOf = (path: string) => JSON.parse(readText(path)) as Record<string, unknown>
    const { version, ...manifest } = manifestOf('client/package.json')
    assert.equal(version, manifestOf('package.json')['version'])
    for (const name of ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'])
      assert.equal(manifest[name], undefined, name)
  })

  it('has short files and functions, and no cycle', () => {
    const long = written.filter(({ lines }) => lines.length > FILE_LINES_MAX).map(({ path }) => path)
    const functions = written.flatMap((source) => functionsIn(source).map((block) => ({ path: source.path, ...block })))
    assert(functions.length > 50, 'functions are found at all')
    const deep = functions.filter(({ ownLength }) => ownLength > FUNCTION_LINES_MAX)
    const loaded = importsOf(client).filter(({ typeOnly }) => !typeOnly)
    assert.deepEqual([long, deep, circlesIn(loaded)], [[], [], []])
  })
})
