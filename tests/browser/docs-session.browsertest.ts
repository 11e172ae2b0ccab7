import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openTestApp } from '../support/app.ts'
import { openLoginApp, SESSION_COOKIE } from '../support/administrators.ts'
import { openPerson } from './chromium.ts'

const t = await openTestApp()
const site = await openLoginApp(t)

const PEOPLE = [
  { name: 'Meera Example', role: 'viewer', creates: 403 },
  { name: 'Ravi Example', role: 'operator', creates: 201 },
  { name: 'Asha Example', role: 'owner', creates: 201 },
] as const

const CREATE_PLATFORM = { group: 'Platforms', operation: 'createPlatform' }
const LIST_PLATFORMS = { group: 'Platforms', operation: 'listPlatforms' }

/** Our cookies; browsers share them between ports of a host. */
const cookiesOf = async (page: Page) =>
  (await page.context().cookies(site.origin)).filter(({ name }) => name.startsWith('__Host-banyan'))

async function logIn(page: Page, person: string): Promise<void> {
  await page.goto(`${site.origin}/docs/try`)
  await bar(page).getByRole('link', { name: 'Log in as an administrator' }).click()
  await page.getByRole('button', { name: person }).click()
  await bar(page).getByText(person).waitFor()
}

/** The bar above the operations, which have buttons of the same names. */
const bar = (page: Page) => page.getByLabel('Your session')

/** Tries an operation on the page; returns the status that the page shows. */
async function tryOut(page: Page, { group, operation }: { group: string; operation: string }): Promise<string> {
  const block = page.locator(`[id$="-${operation}"]`)
  await page.locator(`h3[data-tag="${group}"]`).click()
  await block.locator('.opblock-summary-control').click()
  await block.getByRole('button', { name: 'Try it out' }).click()
  await block.getByRole('button', { name: 'Execute' }).click()
  return (await block.locator('.live-responses-table .response-col_status').last().textContent()) ?? ''
}

describe('an administrator at /docs/try', () => {
  for (const { name, role, creates } of PEOPLE) {
    it(`logs in by clicking a name, and tries what a ${role} may`, async () => {
      const { page, complaints } = await openPerson(site.origin)
      await logIn(page, name)
      assert.equal(page.url(), `${site.origin}/docs/try`)
      await bar(page).getByText(`${name} (${role})`).waitFor()
      assert.equal(await page.evaluate('document.cookie'), '')
      assert.match(await tryOut(page, CREATE_PLATFORM), new RegExp(`^${creates}`))
      const expected = new RegExp(`status of (401|${creates})`)
      assert.deepEqual(
        complaints.filter((complaint) => !expected.test(complaint)),
        [],
      )
    })
  }

  it('can try operations without a body, and log out in both places', async () => {
    const { page } = await openPerson(site.origin)
    await logIn(page, 'Asha Example')
    assert.match(await tryOut(page, { group: 'Administrators', operation: 'createSessionToken' }), /^200/)
    await bar(page).getByRole('button', { name: 'Log out' }).click()
    await page.getByText('Log out here too?').waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL(`${site.origin}/docs`)
    assert.deepEqual(await cookiesOf(page), [])
    await page.goto(`${site.origin}/docs/try`)
    assert.match(await tryOut(page, LIST_PLATFORMS), /^401/)
    await bar(page).getByRole('link', { name: 'Log in as an administrator' }).click()
    await page.getByText('Who are you?').waitFor()
  })
})

describe('the end of a session', () => {
  const shown = (page: Page) => page.locator('.live-responses-table')
  const endAll = () => t.sql('update administrator_sessions set ended_at = now() where ended_at is null')

  it('leaves nothing on the page of what was shown, as soon as somebody comes back to it', async () => {
    const { page } = await openPerson(site.origin)
    await logIn(page, 'Asha Example')
    assert.match(await tryOut(page, LIST_PLATFORMS), /^200/)
    await endAll()
    assert.equal(await shown(page).count(), 1)
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await bar(page).getByRole('link', { name: 'Log in as an administrator' }).waitFor()
    assert.equal(await shown(page).count(), 0)
  })
})

describe('a page of another site', () => {
  const [planted] = ['Planted by another site']
  /** `127.0.0.1` is another site than `localhost`. */
  const attacker = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>
      <a href="${site.origin}/v1/platforms">A friendly link</a>
      <a href="${site.origin}/v1/auth/oidc/login">Another friendly link</a>
      <form method="post" enctype="text/plain" action="${site.origin}/v1/platforms">
        <input name='{"name":"${planted}","a":"' value='"}'><button>Win a prize</button>
      </form>`)
  })
  attacker.listen(0, '127.0.0.1')
  after(() => attacker.close().closeAllConnections())

  async function attackersOrigin(): Promise<string> {
    if (!attacker.listening) await once(attacker, 'listening')
    return `http://127.0.0.1:${(attacker.address() as AddressInfo).port}`
  }

  const isPlanted = async () => (await t.sql('select 1 from platforms where name = $1', [planted])).length > 0

  it('cannot log the visitor in, although the identity provider would ask nothing', async () => {
    const { page } = await openPerson(site.origin)
    await logIn(page, 'Asha Example')
    await page.context().clearCookies({ name: SESSION_COOKIE })
    await page.goto(await attackersOrigin())
    await page.getByRole('link', { name: 'Another friendly link' }).click()
    await page.getByText('A login begins on our own pages').waitFor()
    assert.deepEqual(await cookiesOf(page), [])

    await page.goto(`${site.origin}/v1/auth/oidc/login?return_to=/docs/try`)
    await bar(page).getByText('Asha Example (owner)').waitFor()
  })

  it('can neither read nor change anything with the visitor’s session', async () => {
    const origin = await attackersOrigin()
    const { page } = await openPerson(site.origin)
    await logIn(page, 'Asha Example')
    const cookies = await cookiesOf(page)
    assert.deepEqual(
      cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite })),
      [{ name: SESSION_COOKIE, httpOnly: true, secure: true, sameSite: 'Lax' }],
    )

    await page.goto(origin)
    await page.getByRole('button', { name: 'Win a prize' }).click()
    await page.getByText('"status":').waitFor()
    assert.match((await page.textContent('body')) ?? '', /"code":"(forbidden|unauthenticated|unsupported_media_type)"/)

    await page.goto(origin)
    const script = `fetch('${site.origin}/v1/platforms', { method: 'POST', mode: 'no-cors', credentials: 'include',
      headers: { 'content-type': 'text/plain' }, body: '{"name":"${planted}"}' }).then(() => 'sent')`
    assert.equal(await page.evaluate(script), 'sent')
    const read = `fetch('${site.origin}/v1/platforms', { credentials: 'include' }).then(() => 'read', () => 'refused')`
    assert.equal(await page.evaluate(read), 'refused')
    await page.getByRole('link', { name: 'A friendly link' }).click()
    await page.getByText('"status":403').waitFor()
    assert.equal(await isPlanted(), false)

    await page.goto(`${site.origin}/docs/try`)
    await bar(page).getByText('Asha Example (owner)').waitFor()
  })
})
