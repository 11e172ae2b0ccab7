import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openTestApp } from '../support/app.ts'
import { openPerson } from './chromium.ts'

const t = await openTestApp({ own: true })
const origin = await t.app.listen({ host: '127.0.0.1', port: 0 })
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

/** One of each kind: contents, text, commands, pictures, wide tables, many headings, results of a search. */
const PAGES = [
  '/docs',
  '/docs/partners/first-policy',
  '/docs/partners/webhooks',
  '/docs/states',
  '/docs/permissions',
  '/docs/reference/operations/insurance-policies',
  '/docs/errors',
  '/docs/operations',
  '/docs/search?q=wallet',
]
const PHONE = { width: 360, height: 740 }
const DESK = { width: 1_440, height: 900 }

/** What axe finds, as `rule: place`. Evaluated as the browser's own, so the content policy does not apply to it. */
const violationsOn = (page: Page) =>
  page.evaluate(`${AXE};axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`)

describe('the handbook in a browser', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [DESK, PHONE]) {
      it(`everybody can read it: ${colorScheme}, ${viewport.width} pixels`, async () => {
        const { page, complaints } = await openPerson(origin)
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize(viewport)
        for (const url of PAGES) {
          await page.goto(`${origin}${url}`)
          assert.deepEqual(await violationsOn(page), [], url)
          assert.equal(
            await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
            true,
            `${url} is too wide`,
          )
        }
        assert.deepEqual(complaints, [])
      })
    }
  }

  it('finds a page while somebody types, and leads to it', async () => {
    const { page } = await openPerson(origin)
    await page.goto(`${origin}/docs`)
    await page.getByRole('searchbox').fill('idempotency_key_reused')
    await page.getByRole('list', { name: 'Results' }).getByRole('link').first().click()
    await page.waitForURL(`${origin}/docs/reference/errors#idempotency_key_reused`)
  })

  it('copies a command without its surroundings', async () => {
    const { page } = await openPerson(origin)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${origin}/docs/partners/first-policy`)
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'npm ci && npm start\n')
  })

  it('can be read and searched without script, also on a phone', async () => {
    const { page } = await openPerson(origin)
    await page.route('**/*.js', (route) => route.abort())
    await page.setViewportSize(PHONE)
    await page.goto(`${origin}/docs`)
    await page.getByRole('link', { name: 'Contents' }).first().click()
    await page.getByLabel('Contents').getByRole('link', { name: 'Retrying safely' }).click()
    await page.getByRole('heading', { name: 'Retrying safely' }).waitFor()
    await page.getByRole('searchbox').fill('webhook')
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('heading', { name: 'Search' }).waitFor()
    assert((await page.getByRole('listitem').count()) > 5)
  })
})
