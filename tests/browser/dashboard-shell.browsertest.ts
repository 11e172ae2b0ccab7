import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { assertReadable, startDashboard, personalTraces } from './dashboard.ts'

const { origin, people, logIn } = await startDashboard(24, { REQUIRE_PURPOSE: 'true' })

/** Returns the address of the code of a screen. */
async function codeOf(screen: string): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../../dashboard/dist/manifest.json', import.meta.url), 'utf8'))
  return `${origin}/dashboard/${manifest[`src/screens/${screen}/index.tsx`].file}`
}

/** Resolves when the code of a screen is there. */
async function loaded(page: Page, screen: string): Promise<void> {
  const entries = `performance.getEntriesByName('${await codeOf(screen)}')`
  await within(DEADLINE_MS, async () => Boolean(await page.evaluate(`${entries}.length > 0`)))
}

describe('two people at one policy', () => {
  it('choose between theirs and mine; nothing is overwritten before', async () => {
    const [desk, operator] = [await logIn('benefit_provider'), await logIn('operator')]
    await desk.page.goto(`${origin}/dashboard/policies?status=VERIFICATION`)
    await desk.page.getByRole('table', { name: 'Policies' }).getByRole('link').first().click()
    await desk.page.getByRole('button', { name: 'Approve' }).waitFor()

    await operator.page.goto(desk.page.url())
    await operator.page.getByRole('button', { name: 'Go on' }).click()
    await operator.page.getByRole('button', { name: 'Reject' }).click()
    const dialog = operator.page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('The declaration is incomplete.')

    await desk.page.getByRole('button', { name: 'Approve' }).click()
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await desk.page.getByText('The policy is now: Approved.').waitFor()

    await dialog.getByRole('button', { name: 'Reject' }).click()
    const choice = dialog.getByRole('alert')
    await choice.getByText('Somebody else has changed this since').waitFor()
    await choice.getByText('Approved').waitFor()
    await desk.page.reload()
    await desk.page.getByRole('button', { name: 'Issue', exact: true }).waitFor()

    await choice.getByRole('button', { name: 'Reject all the same' }).click()
    await operator.page.getByText('The policy is now: Rejected.').waitFor()
    const timeline = operator.page.getByRole('region', { name: 'Timeline' })
    await timeline.getByText('The declaration is incomplete.').waitFor()
  })
})

describe('a server that requires a purpose', () => {
  it('has it asked once; what is read afterwards is in the audit with it', async () => {
    const [person] = people
    const { page } = await logIn('operator')
    await page.keyboard.press('/')
    const field = page.getByLabel('Search for')
    await field.waitFor()
    await field.fill(person?.phone_number ?? '')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('Purpose').selectOption('Settling a complaint')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page
      .getByRole('table', { name: 'People' })
      .getByText(person?.user_id ?? '')
      .waitFor()
    assert.deepEqual(await personalTraces(page, people), [])
    await page.reload()
    await field.fill(person?.phone_number ?? '')
    await page.keyboard.press('Enter')
    await page
      .getByRole('table', { name: 'People' })
      .getByText(person?.user_id ?? '')
      .waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)

    const owner = await logIn('owner')
    await owner.page.goto(`${origin}/dashboard/audit?action=read&subject=${person?.user_id}`)
    await owner.page.getByRole('cell', { name: 'Settling a complaint' }).first().waitFor()
  })
})

describe('the shell', () => {
  it('keeps the state of a screen when the person reloads, goes back and forward', async () => {
    const { page } = await logIn('benefit_provider')
    await page.goto(`${origin}/dashboard/policies`)
    await page.getByRole('link', { name: 'Renewals' }).click()
    await page.getByRole('combobox', { name: 'Next transition by the calendar' }).selectOption('30')
    const address = `${origin}/dashboard/policies?status=REQUIRES_CUSTOMER_RENEWAL&due=30`
    await page.waitForURL(address)
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await page.waitForURL(`${origin}/dashboard/policies?due=30`)
    await page.goBack()
    await page.waitForURL(address)
    await page.reload()
    await page.getByRole('link', { name: 'Renewals', exact: true }).and(page.locator('[aria-current=page]')).waitFor()
    assert.equal(await page.getByRole('combobox', { name: 'Next transition by the calendar' }).inputValue(), '30')
    await page.goForward()
    await page.getByRole('link', { name: 'All', exact: true }).and(page.locator('[aria-current=page]')).waitFor()
  })

  it('works on without a connection: keeps what it shows and what is typed, opens every screen, and goes on by itself', async () => {
    const { page } = await logIn('benefit_provider')
    await page.goto(`${origin}/dashboard/policies?status=PENDING`)
    const table = page.getByRole('table', { name: 'Policies' })
    await table.waitFor()
    await loaded(page, 'states')
    const banner = page.getByText('No connection. What you see may be old; what you type stays')
    await page.context().setOffline(true)
    await banner.waitFor()
    await table.getByRole('link').first().waitFor()

    await page.getByRole('link', { name: 'State machines' }).click()
    await page.getByRole('heading', { name: 'State machines' }).waitFor()
    await page.getByText('This loads by itself as soon as there is one.').waitFor()
    await assertReadable(page)
    await page.goBack()
    await table.getByRole('link').first().waitFor()
    await page.goForward()
    await page.context().setOffline(false)
    await banner.waitFor({ state: 'detached' })
    await page.getByText('This loads by itself as soon as there is one.').waitFor({ state: 'detached' })
    await page.getByRole('group', { name: 'Diagram' }).waitFor()

    await page.goto(`${origin}/dashboard/policies?status=PENDING`)
    await table.getByRole('link').first().click()
    await page.getByRole('button', { name: 'Start verification' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('Typed before the connection was lost.')
    await page.context().setOffline(true)
    await banner.waitFor({ state: 'attached' })
    await dialog.getByRole('button', { name: 'Start verification' }).click()
    await page.context().setOffline(false)
    await page.getByText('The policy is now: In verification.').waitFor()
    const timeline = page.getByRole('region', { name: 'Timeline' })
    await timeline.getByText('Typed before the connection was lost.').waitFor()
  })

  for (const notices of [true, false]) {
    it(`stays where it is when the code of a screen cannot be loaded, and opens it afterwards: the browser ${notices ? 'notices' : 'does not notice'} that the connection is lost`, async () => {
      const { page } = await logIn('viewer')
      const code = await codeOf('states')
      await page.route(code, (route) => route.abort())
      await page.reload()
      const link = page.getByRole('link', { name: 'State machines' })
      await link.waitFor()
      await page.evaluate('window.isSame = true')
      if (!notices) await page.evaluate("Object.defineProperty(navigator, 'onLine', { get: () => true })")
      await page.context().setOffline(true)
      await link.click()
      await page.waitForURL(/states/)
      await page.unroute(code)
      await page.context().setOffline(false)
      await page.getByRole('group', { name: 'Diagram' }).waitFor()
      assert.equal(await page.evaluate('window.isSame'), true, 'the page was loaded again')
    })
  }

  for (const [what, response] of Object.entries({
    'with 403': { status: 403 },
    'with a redirect to a login': { status: 302, headers: { location: 'https://login.example/' } },
  })) {
    it(`loads the page again when the code of a screen cannot be loaded and a proxy responds ${what}`, async () => {
      const { page } = await logIn('viewer')
      const code = await codeOf('states')
      await page.reload()
      const link = page.getByRole('link', { name: 'State machines' })
      await link.waitFor()
      await page.route(code, (route) => route.abort())
      await page.route('**/dashboard/icon.svg', (route) => route.fulfill(response))
      await link.click()
      await page.waitForEvent('domcontentloaded')
    })
  }

  it('asks again when the service does not respond in time', async () => {
    const { page } = await logIn('viewer')
    const code = await codeOf('states')
    await page.route(code, (route) => route.abort())
    await page.reload()
    const link = page.getByRole('link', { name: 'State machines' })
    await link.waitFor()
    let [asked, responds] = [0, false]
    await page.route('**/dashboard/icon.svg', (route) =>
      responds || route.request().resourceType() !== 'fetch' ? route.continue() : void asked++,
    )
    await page.evaluate('window.isSame = true')
    await link.click()
    await page.waitForURL(/states/)
    await within(DEADLINE_MS, async () => asked > 0)
    responds = true
    await page.unroute(code)
    await page.getByRole('group', { name: 'Diagram' }).waitFor()
    assert.equal(await page.evaluate('window.isSame'), true, 'the page was loaded again')
  })

  it('shows an event that happens while the person looks', async () => {
    const [watcher, desk] = [await logIn('benefit_provider'), await logIn('benefit_provider')]
    await watcher.page.goto(`${origin}/dashboard/events?about=policies`)
    await watcher.page.getByText('Nothing has happened yet').waitFor()
    await desk.page.goto(`${origin}/dashboard/policies?status=PENDING`)
    await desk.page.getByRole('table', { name: 'Policies' }).getByRole('link').first().click()
    await desk.page.getByRole('button', { name: 'Start verification' }).click()
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Start verification' }).click()
    await desk.page.getByText('The policy is now: In verification.').waitFor()
    const table = watcher.page.getByRole('table', { name: 'Events' })
    await table.getByText('policy.status_changed').first().waitFor()
    await watcher.page.keyboard.press('j')
    await watcher.page.keyboard.press('Enter')
    await watcher.page.getByRole('heading', { name: /^Policy/ }).waitFor()
    assert.deepEqual([...watcher.complaints, ...desk.complaints], [])
  })
})
