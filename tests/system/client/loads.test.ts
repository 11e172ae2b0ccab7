import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { MISBEHAVED_USER_ID, openMisbehavingNetwork } from '../../support/misbehaving-server.ts'
import { installPackedClient, run } from '../../support/packed-client.ts'
import { readText } from '../../support/sources.ts'

const [{ folder, tool }, server] = await Promise.all([installPackedClient(), openMisbehavingNetwork()])

const ENTRIES = ['', '/webhooks', '/sandbox', '/operations']

/** A read, a write, a list and a document; prints what became of them. */
const CALLS = `
const banyan = new Banyan({ accessToken: 'token', baseUrl: process.env.BANYAN_URL })
const user = banyan.user('${MISBEHAVED_USER_ID}')
;(async () => {
  const { first_name } = await user.read()
  const { balance_after } = await user.wallet.credit(Money.rupees('500.00'), { reference: 'june' })
  const [entry] = await banyan.users.list({ limit: 50, offset: 0 }).all(1)
  const document = await user.policies.downloadDocument('pol_1', 'policy_certificate')
  const bytes = await document.bytes()
  const aborted = new AbortController()
  aborted.abort()
  const { name } = await user.read({ signal: aborted.signal }).catch((error) => error)
  console.log(first_name, balance_after.rupees, entry.user_id, bytes.length > 200, name)
})()
`
const PRINTED = `Asha 500.00 ${MISBEHAVED_USER_ID} true AbortError\n`
const ESM = `import { Banyan, Money } from '@banyan/client'${CALLS}`
const COMMON = `const { Banyan, Money } = require('@banyan/client')${CALLS}`

/** What these runtimes lack of Node, or have alongside it, before the client is loaded. */
const RUNTIMES: Record<string, string> = {
  'React Native': `
    Object.defineProperty(globalThis, 'navigator', { value: { product: 'ReactNative' } })
    for (const name of ['crypto', 'process'])
      Object.defineProperty(globalThis, name, { value: name === 'process' ? { env: process.env } : undefined })
    Object.defineProperty(Response.prototype, 'body', { value: undefined })
    URLSearchParams.prototype.toString = () => { throw new Error('not implemented') }
    const bare = (name) => Object.defineProperty(AbortSignal.prototype, name, { value: undefined })
    for (const name of ['reason', 'throwIfAborted']) bare(name)
    for (const name of ['any', 'timeout']) AbortSignal[name] = undefined`,
  'a page by http': `
    Object.defineProperty(globalThis, 'process', { value: { env: process.env } })
    Object.defineProperty(globalThis, 'document', { value: {} })
    crypto.randomUUID = undefined`,
  'a worker of a page': `
    Object.defineProperty(globalThis, 'process', { value: { env: process.env } })
    Object.defineProperty(globalThis, 'DedicatedWorkerGlobalScope', { value: class {} })`,
  'an edge worker': `
    Object.defineProperty(globalThis, 'process', { value: { env: process.env } })
    Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Cloudflare-Workers' } })`,
  'jsdom in Node': `Object.defineProperty(globalThis, 'document', { value: {} })`,
}

/** The secret of a server, where it may be and where not. */
const SECRET = `const { Banyan } = require('@banyan/client')
try { new Banyan({ basicToken: 'YTpi' }); console.log('taken') } catch (error) { console.log(error.message) }`

async function print(file: string, text: string, args: string[] = []): Promise<{ printed: string; keys: unknown[] }> {
  await writeFile(join(folder, file), text)
  const url = server.urlOf('plain')
  const printed = await run(process.execPath, [...args, file], { cwd: folder, env: { BANYAN_URL: url } })
  return { printed, keys: server.seenAt(url, '/credits').map(({ headers }) => headers['idempotency-key']) }
}

describe('the packed client', () => {
  it('is loaded by import and by require, and both entries of both have the same names', async () => {
    assert.equal((await print('esm.mjs', ESM)).printed, PRINTED)
    assert.equal((await print('common.cjs', COMMON)).printed, PRINTED)
    const program = `const { createRequire } = await import('node:module')
      const names = async (path) => [Object.keys(await import(path)), Object.keys(createRequire(import.meta.url)(path))]
      for (const entry of ${JSON.stringify(ENTRIES)}) {
        const [one, other] = await names('@banyan/client' + entry)
        console.log(one.length > 0 && one.sort().join() === other.sort().join())
      }`
    assert.equal((await print('names.mjs', program)).printed, 'true\n'.repeat(ENTRIES.length))
  })

  it('has types for a CommonJS program under node16', async () => {
    const imports = ENTRIES.map((entry, at) => `import * as entry${at} from '@banyan/client${entry}'`).join('\n')
    await writeFile(
      join(folder, 'common.cts'),
      `${imports}\nimport { Banyan, Money } from '@banyan/client'\nexport { ${ENTRIES.map((_, at) => `entry${at}`).join(', ')} }
       // @ts-expect-error an id is not any text
       new Banyan({}).user('012345678901').wallet.credit(Money.rupees('5'), { reference: 'r' })\n`,
    )
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2022', 'dom'],
      module: 'node16',
      types: [],
      strict: true,
      noEmit: true,
    }
    await writeFile(join(folder, 'common.json'), JSON.stringify({ compilerOptions, files: ['common.cts'] }))
    await run(tool('tsc'), ['-p', 'common.json'], { cwd: folder })
  })

  for (const [name, preload] of Object.entries(RUNTIMES)) {
    it(`works on ${name}: by what it lacks`, async () => {
      await writeFile(join(folder, 'preload.cjs'), preload)
      const { printed, keys } = await print('runtime.cjs', COMMON, ['--require', './preload.cjs'])
      assert.equal(printed, PRINTED)
      assert.match(String(keys[0]), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$|^[0-9a-f-]{36}$/)
      const { printed: secret } = await print('secret.cjs', SECRET, ['--require', './preload.cjs'])
      assert.match(secret, /a page/.test(name) ? /secret of your server/ : /^taken$/m)
    })
  }

  it('says what it is: versions, changes, words to be found by', () => {
    const manifest = JSON.parse(readText('client/package.json')) as Record<string, string> & { keywords: string[] }
    const [, newest] = /^## (.+)$/m.exec(readText('client/CHANGELOG.md')) ?? []
    assert.equal(newest, manifest['version'])
    assert(manifest.keywords.length > 3 && manifest['main'] && manifest['types'])
  })
})
