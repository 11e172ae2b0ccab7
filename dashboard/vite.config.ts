import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const COMPRESSIBLE = /\.(?:js|css|svg)$/

/** Compresses files beside themselves, so that the server need not for each response. */
const precompressed: Plugin = {
  name: 'precompressed',
  apply: 'build',
  // When they are written: until then Vite itself still changes them.
  async writeBundle({ dir = '' }, bundle) {
    const names = Object.keys(bundle).filter((name) => COMPRESSIBLE.test(name))
    for (const name of names)
      await writeFile(join(dir, `${name}.br`), brotliCompressSync(await readFile(join(dir, name))))
  },
}

type Modules = { getModuleInfo: (id: string) => { importedIds: readonly string[]; code: string | null } | null }

const FIRST = ['src/main.tsx', 'src/screens/home/index.tsx'].map((file) => join(import.meta.dirname, file))

/** It names every component: only those count that a file takes from it. */
const ALL_COMPONENTS = /@mantine\/core\/esm\/index\.mjs$/
const TAKEN = /\{([^}]*)\}\s*from\s*["']@mantine\/core["']/g

let first: ReadonlySet<string> | undefined

/** What the first screen needs is one file: a request less for each part that it shares with others. */
function firstChunk(id: string, modules: Modules): string | null {
  first ??= importedBy(FIRST, modules)
  return first.has(id) ? 'first' : null
}

function importedBy(files: readonly string[], modules: Modules): ReadonlySet<string> {
  const known = new Set<string>()
  const next = [...files]
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (known.has(id)) continue
    known.add(id)
    const { importedIds = [], code } = modules.getModuleInfo(id) ?? {}
    for (const other of importedIds) {
      if (ALL_COMPONENTS.test(other)) next.push(...componentsIn(code ?? '', other))
      else next.push(other)
    }
  }
  return known
}

const componentsIn = (code: string, index: string): string[] =>
  [...code.matchAll(TAKEN)].flatMap(([, names = '']) =>
    names.split(',').map((name) => {
      const [component = ''] = name.trim().split(/\s/)
      return join(dirname(index), 'components', component, `${component}.mjs`)
    }),
  )

export default defineConfig({
  base: '/dashboard/',
  /** The server replaces it by a new one for each response. */
  html: { cspNonce: '__NONCE__' },
  resolve: { tsconfigPaths: true },
  build: {
    target: 'es2024',
    // The browsers of 2024, so that `light-dark()` stays as it is.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    // Mantine and TanStack mark their files for servers that render React; nothing here does.
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
      output: { codeSplitting: { groups: [{ name: firstChunk }] } },
    },
  },
  plugins: [precompressed],
})
