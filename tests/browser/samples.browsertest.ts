import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { build } from 'esbuild'
import { openTestApp, PLAN } from '../support/app.ts'
import { openPerson } from './chromium.ts'

const t = await openTestApp({ own: true })
const service = await t.app.listen({ host: '127.0.0.1', port: 0 })
const [platform, provider] = [await t.platform(), await t.provider()]
const user = await t.onboardedUser(platform)
await t.policy(platform, user, await t.benefit(platform, provider))

const pathOf = (path: string) => new URL(`../../${path}`, import.meta.url).pathname
const bundled = await build({
  entryPoints: [pathOf('samples/page.tsx')],
  alias: { '@banyan/client': pathOf('client/src/index.ts') },
  define: { 'process.env.NODE_ENV': '"production"' },
  jsx: 'automatic',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  write: false,
})

/** The site of a partner, where this person is logged in. */
const responses: Record<string, [string, string]> = {
  '/': ['text/html', '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>'],
  '/page.js': ['text/javascript', bundled.outputFiles[0]?.text ?? ''],
  '/session': ['application/json', JSON.stringify({ user_id: user.id, service })],
  '/token': ['text/plain', user.token],
}
const server = createServer(({ url = '' }, response) => {
  const [type = 'text/plain', body = ''] = responses[url] ?? []
  response.setHeader('content-type', type).end(body)
}).listen(0, 'localhost')
await once(server, 'listening')
after(() => server.close().closeAllConnections())
const site = `http://localhost:${(server.address() as AddressInfo).port}`

async function name(web_origins: string[]): Promise<void> {
  await t.made('PUT', `/v1/platforms/${platform.id}/web_origins`, { token: platform.token, body: { web_origins } })
  await t.webOrigins.read()
}

describe('the sample page.tsx', () => {
  it('shows the policies of its user, and changes an email address unless it is none', async () => {
    await name([site])
    const { page, complaints } = await openPerson(site)
    await page.goto(site)
    await page.getByText(`${PLAN.plan_code} until`).waitFor()
    assert.deepEqual(complaints, [])
    await page.getByLabel('Email').fill('sample@example.com')
    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByText('sample@example.com').waitFor()
    const { body } = await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })
    assert.equal(body.email, 'sample@example.com')
    await page.getByLabel('Email').fill('none')
    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByText('This is not an email address.').waitFor()
  })

  it('says that it does not reach the service where its origin is not named', async () => {
    await name([])
    const { page } = await openPerson(site)
    await page.goto(site)
    await page.getByRole('alert').getByText('cannot be reached').waitFor()
  })
})
