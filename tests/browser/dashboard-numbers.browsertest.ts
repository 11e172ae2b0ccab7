import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertReadable, overflow, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, logIn } = await startDashboard(40)
const { owner } = await createPeople(workspace)

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))
const printed = (id: string) => (id.slice(-12).toUpperCase().match(/.{4}/g) ?? []).join('-')

describe('the policy numbers that somebody else has listed', () => {
  it('are pasted, those that are due renewed together, and those that nobody has named', async () => {
    const { data: due } = await owner.policies.list({ status: ['REQUIRES_CUSTOMER_RENEWAL'] })
    const [issued = assert.fail('none is issued')] = (await owner.policies.list({ status: ['ISSUED'], limit: 1 })).data
    const [first, second, left] = due
    assert(first && second)
    const statusOf = async ({ user_id, id }: typeof first) => (await owner.user(user_id).policies.readStatus(id)).status
    const own = async ({ user_id, id }: typeof first) =>
      (await owner.user(user_id).policies.read(id)).external_policy_id ?? printed(id)
    const before = await statusOf(issued)

    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/policies')
    await page.getByRole('button', { name: 'Paste numbers…' }).click()
    const dialog = page.getByRole('dialog')
    const sheet = [`${await own(first)}\tPaid`, `${second.id}\tPaid`, await own(first), issued.id, '', 'NOBODY-1']
    await dialog.getByLabel('Policy numbers').fill(sheet.join('\r\n'))
    await dialog.getByRole('button', { name: 'Find 4 policy numbers' }).click()
    await page.getByText('3 of 4 numbers found').waitFor()
    await page.getByRole('alert').getByText('NOBODY-1').waitFor()
    assert(!page.url().includes('NOBODY-1'))
    await assertReadable(page)

    await page.getByRole('button', { name: 'Renewal due: 2' }).click()
    await page.getByRole('button', { name: 'Renew', exact: true }).click()
    await dialog.getByRole('button', { name: 'Renew: 2' }).click()
    await page.getByText('Renew: 2 of 2, 2 done').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Issued: 3' }).waitFor()
    assert.deepEqual(
      [await statusOf(first), await statusOf(second), await statusOf(issued)],
      ['ISSUED', 'ISSUED', before],
    )
    if (left) assert.equal(await statusOf(left), 'REQUIRES_CUSTOMER_RENEWAL')

    await page.getByRole('table', { name: 'Policies of the list' }).getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: /^Policy/ }).waitFor()
    await page.goBack()
    await page.getByText('3 of 4 numbers found').waitFor()
    await page.setViewportSize({ width: 360, height: 740 })
    assert((await overflow(page)) <= 0)
    await page.getByRole('button', { name: 'Back to the work lists' }).click()
    await page.getByRole('navigation', { name: 'Work lists' }).waitFor()
    assert.deepEqual(complaints, [])
  })

  it('are not looked for when they are too many, or none', async () => {
    const { page } = await logIn('viewer')
    await open(page, '/policies')
    await page.getByRole('button', { name: 'Paste numbers…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Find 0 policy numbers' }).click()
    await dialog.getByText('Must not be empty.').waitFor()
    await dialog.getByLabel('Policy numbers').fill(Array.from({ length: 501 }, (_, index) => `N${index}`).join('\n'))
    await dialog.getByRole('button', { name: /^Find/ }).click()
    await dialog.getByText('These are 501: paste 500 at most.').waitFor()
    assert(!page.url().includes('pasted'))
  })
})
