import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  plugins: [precompressed],
})
