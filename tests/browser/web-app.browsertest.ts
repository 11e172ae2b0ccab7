import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { build } from 'esbuild'
import { openTestApp } from '../support/app.ts'
import { openSessions } from '../support/sessions.ts'
import { openPerson } from './chromium.ts'

const t = await openTestApp({ own: true })
const baseUrl = await t.app.listen({ host: '127.0.0.1', port: 0 })
const sessions = openSessions(t)
const [platform, provider] = [await t.platform(), await t.provider()]
const user = await t.onboardedUser(platform)
const policy = await t.policy(platform, user, await t.benefit(platform, provider))

const entryPoints = [new URL('../../client/src/index.ts', import.meta.url).pathname]
const bundled = await build({ entryPoints, bundle: true, minify: true, format: 'esm', target: 'es2022', write: false })
const script = bundled.outputFiles[0]?.text ?? ''

/** The site of a partner: an empty page, with the client as a module. */
async function startSite(): Promise<string> {
  const server = createServer(({ url }, response) => {
    if (url === '/client.js') return response.setHeader('content-type', 'text/javascript').end(script)
    return response.setHeader('content-type', 'text/html').end('<!doctype html><link rel="icon" href="data:,">')
  }).listen(0, 'localhost')
  await once(server, 'listening')
  after(() => server.close().closeAllConnections())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

const [site, otherSite] = [await startSite(), await startSite()]

async function name(web_origins: string[]): Promise<void> {
  const { id, token } = platform
  await t.made('PUT', `/v1/platforms/${id}/web_origins`, { token, body: { web_origins } })
  await t.webOrigins.read()
}
await name([site])

const emailOf = async () => (await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })).body.email

/** Runs a function of the page, with the client of this token; its value, or the name, code and message of its error. */
async function inPage(work: string, { at = site, token = user.token } = {}): Promise<unknown> {
  const { page } = await openPerson(at)
  await page.goto(at)
  return page.evaluate(`(async () => {
    const { Banyan, dependantId, platformId, userId } = await import('/client.js')
    const banyan = new Banyan({ accessToken: '${token}', baseUrl: '${baseUrl}', maxRetries: 0 })
    const person = banyan.user(userId('${user.id}'))
    try { return await (${work})({ banyan, person, dependantId, platformId }) }
    catch ({ name, code, message }) { return { name, code: code ?? null, message } }
  })()`)
}

describe('a web app of a partner, on an origin that its platform named', () => {
  it('lists policies, and changes what was read, with the user’s token', async () => {
    const seen = await inPage(`async ({ person }) => {
      const ids = []
      for await (const { id } of person.policies.list()) ids.push(id)
      const before = await person.read()
      const after = await person.update({ email: 'page@example.com' }, { ifMatch: before })
      return [ids, after.email]
    }`)
    assert.deepEqual(seen, [[policy], 'page@example.com'])
  })

  it('reads the code of an error', async () => {
    const missing = await inPage(`({ person, dependantId }) => person.dependants.read(dependantId('dep_missing'))`)
    assert.deepEqual(Object.values(missing as object).slice(0, 2), ['NotFoundError', 'not_found'])
    const wrong = await inPage(`({ person }) => person.update({ email: 'page' })`)
    assert.deepEqual(Object.values(wrong as object).slice(0, 2), ['ValidationError', 'validation_failed'])
    const expired = await inPage(`({ person }) => person.read()`, { token: `${user.token}x` })
    assert.deepEqual(Object.values(expired as object).slice(0, 2), ['AuthenticationError', 'unauthenticated'])
  })

  it('signs in to the wallet, and refreshes the session', async () => {
    await sessions.resetLimits()
    const { id: challenge_id, code: otp } = await sessions.challengeFor(platform, user)
    const seen = await inPage(`async () => {
      const post = async (path, body) => (await fetch('${baseUrl}/wallet/v1/auth/' + path, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
      })).json()
      const pair = await post('otp/verify', ${JSON.stringify({ challenge_id, otp })})
      const next = await post('token/refresh', { refresh_token: pair.refresh_token })
      return [pair.success, next.success]
    }`)
    assert.deepEqual(seen, [true, true])
  })

  it('is refused with a platform’s token, and says why', async () => {
    const refused = await inPage(`({ person }) => person.update({ email: 'stolen@example.com' })`, {
      token: platform.token,
    })
    const { name: kind, code, message } = refused as Record<string, string>
    assert.deepEqual([kind, code], ['PermissionError', 'forbidden'])
    assert.match(message ?? '', /must not be in a browser/)
    assert.notEqual(await emailOf(), 'stolen@example.com')
  })
})

describe('a page of any other origin', () => {
  it('reads and changes nothing, although it has the token', async () => {
    await t.made('PATCH', `/v1/users/${user.id}`, { token: platform.token, body: { email: 'before@example.com' } })
    for (const work of [
      `({ person }) => person.read()`,
      `({ person }) => person.update({ email: 'elsewhere@example.com' })`,
      `() => fetch('${baseUrl}/v1/users/${user.id}', { headers: { authorization: 'Bearer ${user.token}' } })`,
    ]) {
      const refused = (await inPage(work, { at: otherSite })) as Record<string, string>
      assert.match(refused['message'] ?? '', /No response came|Failed to fetch/)
    }
    assert.equal(await emailOf(), 'before@example.com')
  })

  it('is what a page becomes when its origin is removed', async () => {
    const read = async () => Object.keys((await inPage(`({ person }) => person.read()`)) as object)
    assert((await read()).includes('user_id'))
    await name([])
    assert(!(await read()).includes('user_id'))
    await name([site])
    assert((await read()).includes('user_id'))
  })
})
