import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertReadable, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, logIn } = await startDashboard(60)
const { owner } = await createPeople(workspace)

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))

/** An issued policy of which no end is set. */
async function findIssued() {
  const [policy] = (await owner.policies.list({ status: ['ISSUED'] })).data
  assert(policy)
  const place = `/users/${policy.user_id}/policies/${policy.id}`
  return { policy, place, end: () => owner.user(policy.user_id).policies.readEnd(policy.id) }
}

const endOf = (page: Page) => page.getByRole('region', { name: 'End', exact: true })

describe('the end of a policy on its page', () => {
  it('is set with a day and a reason, shown with what is to be paid back, moved, and taken back', async () => {
    const { policy, place, end } = await findIssued()
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, place)
    await endOf(page).getByText('The term ends on').waitFor()
    await endOf(page).getByRole('button', { name: 'Set an end' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Last covered day' }).fill('the twelfth')
    await dialog.getByRole('button', { name: 'Set an end' }).click()
    await dialog.getByText('Write a day that exists').waitFor()
    await dialog.getByRole('textbox', { name: 'Last covered day' }).fill('2999-01-01')
    await dialog.getByRole('button', { name: 'Set an end' }).click()
    await dialog.getByText(/or earlier, the last covered day/).waitFor()
    assert.equal((await end()).on, null, 'nothing was set so far')
    await dialog.getByRole('textbox', { name: 'Last covered day' }).fill(policy.end_date)
    await dialog.getByRole('combobox', { name: 'Why' }).selectOption('Left')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Left the company')
    await dialog.getByRole('textbox', { name: 'Paid back in ₹' }).fill('1,250.50')
    await assertReadable(page)
    await dialog.getByRole('button', { name: 'Set an end' }).click()
    await page.getByText('The policy ends on').first().waitFor()
    await endOf(page).getByText('₹1,250.50').waitFor()
    const { on, code, reason, refund } = await end()
    assert.deepEqual([on, code, reason, refund?.days], [policy.end_date, 'LEFT', 'Left the company', 0])
    await page.getByText(/^Ends on .*: left$/).waitFor()
    await assertReadable(page)

    await endOf(page).getByRole('button', { name: 'Take back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
    await page.getByText('The end was taken back.').waitFor()
    await endOf(page).getByText('The term ends on').waitFor()
    assert.equal((await end()).on, null)
    await page.getByText('End taken back', { exact: true }).waitFor()
    assert.equal(complaints.length, 1, 'of the browser, about the day that the service refused')
    assert.match(complaints[0] ?? '', /status of 422/)
  })

  it('waits for the insurer when the partner sets it, who accepts it with what is paid back', async () => {
    const { policy, place, end } = await findIssued()
    const partner = await logIn('platform')
    await open(partner.page, place)
    await endOf(partner.page).getByRole('button', { name: 'Set an end' }).click()
    const asked = partner.page.getByRole('dialog')
    await asked.getByRole('textbox', { name: 'Last covered day' }).fill(policy.end_date)
    await asked.getByRole('button', { name: 'Set an end' }).click()
    const waiting = (page: Page) => page.getByRole('region', { name: 'Endorsements that wait' })
    await waiting(partner.page)
      .getByText(/^Policy ends on /)
      .waitFor()
    await waiting(partner.page).getByRole('button', { name: 'Take back' }).waitFor()

    const insurer = await logIn('benefit_provider')
    await open(insurer.page, place)
    assert.equal(await waiting(insurer.page).getByRole('button', { name: 'Refuse' }).count(), 0)
    await waiting(insurer.page).getByRole('button', { name: 'Accept' }).click()
    const dialog = insurer.page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'You pay back, in ₹' }).fill('1,250.50')
    await assertReadable(insurer.page)
    await dialog.getByRole('button', { name: 'Accept' }).click()
    await waiting(insurer.page).getByText('No endorsement waits').waitFor()
    await endOf(insurer.page).getByText('₹1,250.50').waitFor()
    assert.equal((await end()).on, policy.end_date)
    await owner.user(policy.user_id).policies.withdrawEnd(policy.id)
    assert.deepEqual([...partner.complaints, ...insurer.complaints], [])
  })

  it('is not overwritten when a colleague has set another one meanwhile, and a viewer only reads it', async () => {
    const { policy, place, end } = await findIssued()
    const { page } = await logIn('operator')
    await open(page, place)
    await endOf(page).getByRole('button', { name: 'Set an end' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Last covered day' }).fill(policy.start_date)
    await owner.user(policy.user_id).policies.setEnd(policy.id, { on: policy.end_date, code: 'CANCELLED' })
    await dialog.getByRole('button', { name: 'Set an end' }).click()
    await dialog.getByText('Somebody else has changed this since').waitFor()
    assert.equal((await end()).on, policy.end_date)
    await dialog.getByRole('button', { name: 'Keep theirs' }).click()
    const viewer = await logIn('viewer')
    await open(viewer.page, place)
    await endOf(viewer.page).getByText('Last covered day').waitFor()
    assert.equal(await endOf(viewer.page).getByRole('button').count(), 0)
    await owner.user(policy.user_id).policies.withdrawEnd(policy.id)
    assert.deepEqual(viewer.complaints, [])
  })
})
