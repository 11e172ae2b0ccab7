import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { openPerson } from './chromium.ts'
import { logIn, type Role, settled, startDashboard } from './dashboard.ts'

const { origin } = await startDashboard(6)

const BYTES_MAX = 190_000
const REQUESTS_MAX = 12
/** The other screens wait for two seconds: not here. */
const AT_ONCE =
  'const wait = setTimeout; window.setTimeout = (work, ms, ...rest) => wait(work, ms === 2000 ? 0 : ms, ...rest)'
/** By then the first of them would have been asked for. */
const IDLE = 'new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(() => setTimeout(resolve))))'

/** Notes in the page what it has loaded when the first number that leads to a list is there, however late the test looks. */
const NOTE_FIRST = `new MutationObserver(() => {
  if (window.loaded || !document.querySelector('main a[href*="/dashboard/"]')) return
  const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  window.loaded = entries.map(({ name, encodedBodySize }) => ({ name, bytes: encodedBodySize }))
}).observe(document, { childList: true, subtree: true })`

/** A page of somebody who is logged in, in a browser that has loaded nothing yet. */
async function coldPage(role: Role): Promise<{ page: Page; requests: Request[] }> {
  const { page: known } = await logIn(origin, role)
  const { page } = await openPerson(origin)
  await page.context().addCookies(await known.context().cookies())
  const requests: Request[] = []
  page.on('requestfinished', (request) => requests.push(request))
  return { page, requests }
}

const screensIn = (requests: readonly Request[]) =>
  requests.filter((request) => /assets\/(?!first|rolldown)/.test(request.url())).map((request) => request.url())

describe('a cold start', () => {
  for (const role of ['benefit_provider', 'operator'] as const) {
    it(`shows the ${role} what waits after 190 kB and 12 requests at most`, async () => {
      const { page } = await coldPage(role)
      await page.addInitScript(NOTE_FIRST)
      await page.goto(`${origin}/dashboard`)
      await page.locator('main a[href*="/dashboard/"]').first().waitFor()
      const loaded = (await page.evaluate('window.loaded')) as { name: string; bytes: number }[]
      const names = loaded.map(({ name }) => new URL(name).pathname)
      const bytes = loaded.reduce((sum, one) => sum + one.bytes, 0)
      assert(bytes > 100_000, 'they are counted at all')
      assert(bytes <= BYTES_MAX, `${bytes} bytes: ${names.join(' ')}`)
      assert(names.length <= REQUESTS_MAX, names.join(' '))
    })
  }

  it('loads the other screens when nothing else is done, and never where data are saved or slow', async () => {
    for (const connection of [undefined, { saveData: true }, { effectiveType: '3g' }]) {
      const { page, requests } = await coldPage('operator')
      await page.addInitScript(AT_ONCE)
      for (const [name, value] of Object.entries(connection ?? {}))
        await page.addInitScript(
          `Object.defineProperty(navigator.connection, '${name}', { value: ${JSON.stringify(value)} })`,
        )
      await page.goto(`${origin}/dashboard`)
      await settled(page)
      await page.evaluate(IDLE)
      if (connection === undefined) while (screensIn(requests).length < 10) await page.waitForEvent('requestfinished')
      else assert.deepEqual(screensIn(requests), [], JSON.stringify(connection))
    }
  })
})
