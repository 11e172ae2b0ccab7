import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, logIn } = await startDashboard(24)
const { owner } = await createPeople(workspace)

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))

describe('a step with many policies', () => {
  it('leaves what a colleague has started meanwhile, and takes back what is its own only', async () => {
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/policies?status=PENDING')
    const rows = page.getByRole('checkbox', { name: /^Select policy/ })
    const ids: string[] = []
    for (const index of [0, 1, 2]) {
      await rows.nth(index).check()
      ids.push(String(await rows.nth(index).getAttribute('aria-label')).replace('Select policy ', ''))
    }
    const { data } = await owner.policies.list({ status: ['PENDING'], limit: 100 })
    const [theirs, mine, approved] = ids.map((id) => data.find((policy) => policy.id === id))
    assert(theirs && mine && approved)
    const policiesOf = ({ user_id }: typeof mine) => owner.user(user_id).policies
    const statusOf = async (policy: typeof mine) => (await policiesOf(policy).readStatus(policy.id)).status
    await policiesOf(theirs).setStatus(theirs.id, { status: 'VERIFICATION' })
    await page.getByRole('button', { name: 'Start verification' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start verification: 3' }).click()
    await page.getByText('Start verification: 3 of 3, 2 done').waitFor()
    const report = page.getByRole('table', { name: 'Report' })
    const rowOf = ({ id }: typeof mine) => report.getByRole('row').filter({ hasText: id })
    await rowOf(theirs).getByText('It has changed since. It is left as it is.').waitFor()

    await policiesOf(approved).setStatus(approved.id, { status: 'APPROVED' })
    await page.getByRole('button', { name: 'Undo (send back): 2' }).click()
    await page.getByText('Send back: 2 of 2, 1 done').waitFor()
    await rowOf(approved).getByText('It has changed since. It is left as it is.').waitFor()
    assert.deepEqual(
      [await statusOf(theirs), await statusOf(mine), await statusOf(approved)],
      ['VERIFICATION', 'PENDING', 'APPROVED'],
    )
    assert.deepEqual(
      complaints.filter((text) => !text.includes('412')),
      [],
    )
  })

  it('has no Undo after a step that would not be taken back by it', async () => {
    const { page } = await logIn('owner')
    await open(page, '/policies?status=ISSUED')
    await page
      .getByRole('checkbox', { name: /^Select policy/ })
      .first()
      .check()
    await page.getByRole('button', { name: 'Open renewal' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('Paid early')
    await dialog.getByRole('button', { name: 'Open renewal: 1' }).click()
    await page.getByText('Open renewal: 1 of 1, 1 done').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).and(page.locator(':enabled')).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Undo/ }).count(), 0)
  })
})
