import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { serveBuiltPages } from '../../src/kernel/http/built-pages.ts'
import { serveRoutes } from '../support/inject.ts'

const folder = await mkdtemp(join(tmpdir(), 'banyan-pages-'))
after(() => rm(folder, { recursive: true }))
await mkdir(join(folder, 'assets'))
await writeFile(join(folder, 'index.html'), '<script nonce="__NONCE__"></script><meta nonce="__NONCE__">')
await writeFile(join(folder, 'assets/app-1a2b.js'), 'start()')
await writeFile(join(folder, 'assets/app-1a2b.js.br'), 'compressed')

function appWith(built: URL) {
  const app = serveRoutes((routes) =>
    serveBuiltPages(routes, { path: '/pages', folder: built, build: 'npm run build' }, {}),
  )
  return (url: string, headers = {}) => app.inject({ url, headers })
}

const get = appWith(pathToFileURL(`${folder}/`))

describe('pages that were built', () => {
  it('are the same page at every path, with a nonce that is new each time', async () => {
    const nonces = new Set<string>()
    for (const path of ['/pages', '/pages/', '/pages/people/1?page=2']) {
      const { statusCode, body, headers } = await get(path)
      const [, nonce = ''] = /^<script nonce="([\w-]{22})"><\/script><meta nonce="\1">$/.exec(body) ?? []
      assert.equal(statusCode, 200)
      assert.match(String(headers['content-security-policy']), new RegExp(`style-src 'self' 'nonce-${nonce}'`))
      nonces.add(nonce)
    }
    assert.equal(nonces.size, 3)
  })

  it('allow no inline script, and nothing from elsewhere', async () => {
    const policy = String((await get('/pages')).headers['content-security-policy'])
    assert.match(policy, /default-src 'none'.*script-src 'self';/)
    assert(!/unsafe|https?:|\*/.test(policy), policy)
  })

  it('share no window with other sites, and use no device', async () => {
    for (const path of ['/pages', '/pages/people/1']) {
      const { headers } = await get(path)
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
      assert.match(String(headers['permissions-policy']), /^camera=\(\), .*geolocation=\(\), microphone=\(\)/)
    }
  })

  it('have files that browsers keep, compressed for those that can read it', async () => {
    const plain = await get('/pages/assets/app-1a2b.js')
    assert.deepEqual([plain.body, plain.headers['content-encoding']], ['start()', undefined])
    assert.match(String(plain.headers['cache-control']), /immutable/)
    const packed = await get('/pages/assets/app-1a2b.js', { 'accept-encoding': 'gzip, br' })
    assert.deepEqual([packed.body, packed.headers['content-encoding']], ['compressed', 'br'])
    assert.equal(packed.headers['vary'], 'accept-encoding')
  })

  it('404 for a file that is none of them, also by a path that leads out', async () => {
    for (const path of [
      '/pages/assets/other.js',
      '/pages/../package.json',
      '/pages/%2e%2e/package.json',
      '/pages/..%2fpackage.json',
    ])
      assert.equal((await get(path)).statusCode, 404, path)
  })

  it('404 that names the command when nothing was built', async () => {
    const { statusCode, body } = await appWith(pathToFileURL(`${folder}/none/`))('/pages/people')
    assert.equal(statusCode, 404)
    assert.match(body, /npm run build/)
  })
})
