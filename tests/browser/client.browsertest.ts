import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { build } from 'esbuild'
import { openTestApp } from '../support/app.ts'
import { openPerson } from './chromium.ts'

const t = await openTestApp({ own: true })
const origin = await t.app.listen({ host: '127.0.0.1', port: 0 })
const platform = await t.platform()

const entryPoints = [new URL('../../client/src/index.ts', import.meta.url).pathname]
const bundled = await build({ entryPoints, bundle: true, minify: true, format: 'esm', target: 'es2022', write: false })
const script = bundled.outputFiles[0]?.text ?? ''

/** An empty page of the same origin, with the client as a module. */
async function openPage(at = origin) {
  const { page, complaints } = await openPerson(at)
  await page.route(`${at}/page`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.route(`${at}/client.js`, (route) => route.fulfill({ contentType: 'text/javascript', body: script }))
  await page.goto(`${at}/page`)
  return { page, complaints }
}

describe('the client in a page', () => {
  it('reads and changes what its user may, with the user’s token', async () => {
    const user = await t.onboardedUser(platform)
    const { page, complaints } = await openPage()
    const seen = await page.evaluate(`(async () => {
      const { Banyan, userId, notModified } = await import('/client.js')
      const banyan = new Banyan({ accessToken: '${user.token}', baseUrl: location.origin })
      const person = banyan.user(userId('${user.id}'))
      const before = await person.read()
      await person.update({ email: 'page@example.com' }, { ifMatch: before })
      const after = await person.read()
      const again = await person.read({ ifNoneMatch: after })
      const names = []
      for await (const { first_name } of person.dependants.list()) names.push(first_name)
      return [after.email, after.created_at.getTime() > 0, again === notModified, names.length]
    })()`)
    assert.deepEqual([seen, complaints], [['page@example.com', true, true, 0], []])
  })

  it('refuses a basic_token, which everybody could read there', async () => {
    const { page } = await openPage()
    const message = await page.evaluate(`import('/client.js').then(({ Banyan }) => {
      try { return String(new Banyan({ basicToken: 'x' })) } catch (error) { return error.message }
    })`)
    assert.match(String(message), /secret of your server/)
  })

  it('does not follow a redirect, and says so although the browser hides where it leads', async () => {
    const paths: string[] = []
    const server = createServer((request, response) => {
      paths.push(request.url ?? '')
      response.writeHead(307, { location: '/elsewhere' }).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => server.close().closeAllConnections())
    const redirecting = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { page } = await openPage(redirecting)
    const error = await page.evaluate(`import('/client.js').then(({ Banyan }) =>
      new Banyan({ accessToken: 'secret', baseUrl: location.origin }).users.list()
        .catch(({ name, code, location, message }) => [name, code, location ?? null, message]))`)
    assert.deepEqual(error, [
      'RedirectError',
      'redirected',
      null,
      `${redirecting} redirects elsewhere, which was not followed. Check baseUrl`,
    ])
    assert.deepEqual(paths, ['/v1/users'])
  })

  it('has errors with their names, though it is minified', async () => {
    const { page } = await openPage()
    const error = await page.evaluate(`import('/client.js').then(({ Banyan }) =>
      new Banyan({ accessToken: 'wrong', baseUrl: location.origin }).users.list().catch(({ name, code }) => [name, code]))`)
    assert.deepEqual(error, ['AuthenticationError', 'unauthenticated'])
  })
})
