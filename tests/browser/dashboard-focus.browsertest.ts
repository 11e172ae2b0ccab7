import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const MANY = 24
const TABS_MAX = 3

const { workspace, origin, logIn } = await startDashboard(MANY)
const { owner } = await createPeople(workspace)

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))
const isFocused = async (target: Locator) => (await target.and(target.page().locator(':focus')).count()) > 0
const focused = (target: Locator) => within(DEADLINE_MS, () => isFocused(target))

/** Waits until something has the focus, and asserts that so few Tabs lead from it to the next step. */
async function assertNear(page: Page, next: Locator): Promise<void> {
  await next.waitFor()
  await within(DEADLINE_MS, async () => (await page.locator(':focus').count()) > 0)
  for (let tabs = 0; tabs <= TABS_MAX; tabs++) {
    if (await isFocused(next)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`more than ${TABS_MAX} Tabs lead to the next step`)
}

/** Somebody whose policy names dependants. */
async function personWithDependants() {
  for await (const policy of owner.policies.list({ status: ['ISSUED'] })) {
    const { dependants } = await owner.user(policy.user_id).policies.read(policy.id)
    if (dependants.length > 1) return policy.user_id
  }
  return assert.fail('nobody has dependants')
}

describe('the focus', () => {
  it('is on what closes the report of a step with many, and then at the rows', async () => {
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/policies?status=PENDING')
    const rows = page.getByRole('checkbox', { name: /^Select policy/ })
    await rows.first().check()
    await page.getByRole('button', { name: 'Start verification' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Start verification: 1' }).click()
    await page.getByText('Start verification: 1 of 1, 1 done').waitFor()
    await focused(dialog.getByRole('button', { name: 'Close', exact: true }))
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await assertNear(page, rows.first())

    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Clear' }).click()
    await focused(page.getByRole('checkbox', { name: 'Select all on this page' }))
    assert.deepEqual(complaints, [])
  })

  it('stays with a person whose data are opened, corrected and exported', async () => {
    const { page, complaints } = await logIn('platform')
    await open(page, `/users/${await personWithDependants()}?tab=dependants`)
    await page.getByRole('button', { name: 'Show dependants' }).click()
    const correct = page.getByRole('button', { name: 'Correct' })
    await assertNear(page, correct.first())
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Born').fill('1988-02-29')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('29 Feb 1988').waitFor()
    await assertNear(page, correct.first())

    await page.getByRole('link', { name: 'Export and erasure' }).click()
    const download = page.getByRole('button', { name: 'Download', exact: true })
    const [file] = await Promise.all([page.waitForEvent('download'), download.click()])
    assert.match(file.suggestedFilename(), /\.json$/)
    await focused(download)
    assert.deepEqual(complaints, [])
  })

  it('stays where the next reply is typed', async () => {
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/consultations')
    await page.getByRole('table', { name: 'Consultations' }).getByRole('link').first().click()
    const reply = page.getByLabel('Reply')
    await reply.fill('Please rest.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').or(page.locator('main')).getByText('Please rest.').first().waitFor()
    await focused(reply)
    assert.equal(await reply.inputValue(), '')
    assert.deepEqual(complaints, [])
  })

  it('is not taken back from who has clicked on nothing', async () => {
    const { page } = await logIn('owner')
    await open(page, '/events?from=all')
    await page.locator('main').getByRole('link').first().focus()
    await page.getByRole('heading', { level: 1 }).click()
    await page.evaluate("document.querySelector('main a').remove()")
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    assert(await isFocused(page.locator('main')))
  })
})
