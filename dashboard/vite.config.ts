import { brotliCompressSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const COMPRESSIBLE = /\.(?:js|css|svg)$/

/** Compresses files beside themselves, so that the server need not for each response. */
const precompressed: Plugin = {
  name: 'precompressed',
  apply: 'build',
  generateBundle(_options, bundle) {
    for (const [fileName, file] of Object.entries(bundle)) {
      if (!COMPRESSIBLE.test(fileName)) continue
      const content = file.type === 'chunk' ? file.code : file.source
      this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(content) })
    }
  },
}

export default defineConfig({
  base: '/dashboard/',
  /** The server replaces it by a new one for each response. */
  html: { cspNonce: '__NONCE__' },
  resolve: { tsconfigPaths: true },
  build: {
    target: 'es2024',
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
