import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { SANDBOX_PARTNERS } from '../../src/settings/sandbox-partners.ts'
import { assertReadable, overflow, personalTraces, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, people, logIn } = await startDashboard(60)
const { owner } = await createPeople(workspace)

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))
const dueNext = (page: Page) => page.getByRole('table', { name: 'Due next' })
const rowsOf = (page: Page) =>
  dueNext(page)
    .getByRole('row')
    .filter({ hasNot: page.getByRole('columnheader') })

/** The day of each row, `9999` where there is none. */
async function daysOf(page: Page): Promise<string[]> {
  const rows = await rowsOf(page).all()
  return Promise.all(
    rows.map(async (row) => {
      const time = row.locator('time')
      return (await time.count()) === 0 ? '9999' : ((await time.first().getAttribute('datetime')) ?? '')
    }),
  )
}

describe('what comes next, on the dashboard', () => {
  it('is on the home page of a benefit provider: its own actions by due day, more when asked for, each with its record', async () => {
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/')
    await dueNext(page).waitFor()
    assert.equal(await rowsOf(page).count(), 8)
    assert.equal(await page.getByRole('columnheader', { name: 'Waits for' }).count(), 0, 'all wait for the caller')
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })
    await rowsOf(page).nth(8).waitFor()
    const days = await daysOf(page)
    assert.deepEqual(days, days.toSorted())
    await assertReadable(page)
    assert.deepEqual(await personalTraces(page, people), [])
    await dueNext(page).getByRole('link', { name: 'Decide on the application' }).first().click()
    await page.waitForURL(/\/users\/\d{12}\/policies\/pol_/)
    assert.deepEqual(complaints, [])
  })

  it('is on the page of a person, for a viewer too, and nothing is opened by it', async () => {
    const { data } = await owner.nextActions.list({ who: ['benefit_provider'], limit: 1 })
    const [action] = data
    assert(action?.user_id)
    const { page, complaints } = await logIn('viewer')
    await open(page, `/users/${action.user_id}`)
    await page.getByRole('navigation', { name: 'About this person' }).getByRole('link', { name: 'Next' }).click()
    const table = page.getByRole('table', { name: 'Next actions of this person' })
    await table.getByText(action.title).waitFor()
    assert.equal(await page.getByRole('textbox').count(), 0, 'no purpose is asked for')
    await assertReadable(page)
    await page.setViewportSize({ width: 360, height: 800 })
    await open(page, `/users/${action.user_id}?tab=next`)
    await table.getByText(action.title).waitFor()
    assert.equal(await overflow(page), 0)
    assert.deepEqual(complaints, [])
  })

  it('is on the pages of a partner and a benefit provider: theirs', async () => {
    const { page, complaints } = await logIn('owner')
    const { platform, provider } = SANDBOX_PARTNERS
    for (const path of [`/platforms/${platform.id}`, `/benefit_providers/${provider.id}`]) {
      await open(page, path)
      await page.getByRole('table', { name: 'Next actions' }).getByRole('row').nth(1).waitFor()
      await assertReadable(page)
    }
    const stranger = await owner.platforms.create({ name: 'Zebra Benefits' })
    await open(page, `/platforms/${stranger.id}`)
    await page.getByText('Nothing waits').waitFor()
    assert.equal(await page.getByRole('table', { name: 'Next actions' }).count(), 0)
    assert.deepEqual(complaints, [])
  })
})
