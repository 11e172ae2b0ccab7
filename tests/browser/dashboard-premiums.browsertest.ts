import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Money, plainDate } from '../../client/src/index.ts'
import type { Page } from 'playwright-core'
import { firstOfThisMonth } from '../../sandbox/demo.ts'
import { assertReadable, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'
import { entriesIn, fillIn, placeOf, region, today, withDeposits, YEAR } from './deposits.ts'

const { workspace, origin, userIds, logIn } = await startDashboard(8)
const { owner, platform } = await createPeople(workspace)
const { balanceOf, enter, newParties, newApproved } = withDeposits({ owner, platform })

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.parse(today()) - days * DAY_MS).toISOString().slice(0, 10)

describe('an issue without the premium', () => {
  it('says what the deposit lacks and leads there; afterwards it says when cover began', async () => {
    const at = await newParties()
    const [policy = assert.fail()] = await newApproved(at, userIds.slice(0, 1), firstOfThisMonth())
    await enter(at, '12000.50')
    const { page, complaints } = await logIn('operator')
    await open(page, policy.place)
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Issue', exact: true }).click()
    await dialog.getByText(/The deposit lacks ₹44\.50: it holds/).waitFor()
    complaints.length = 0 // the issue was refused with 409
    await assertReadable(page)
    assert.equal((await owner.user(policy.user_id).policies.readStatus(policy.id)).status, 'APPROVED')
    await dialog.getByRole('link', { name: /^Deposit of / }).click()
    await page.waitForURL(`**${placeOf(at)}`)
    await page.getByRole('button', { name: 'Enter a payment' }).click()
    await fillIn(page, { amount: '44.50', reference: 'UTR-9' })
    await dialog.getByRole('button', { name: 'Enter ₹44.50' }).click()
    await page.getByText('Payment of ₹44.50 entered.').waitFor()

    await open(page, policy.place)
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    await dialog.getByRole('button', { name: 'Issue', exact: true }).click()
    await page.getByText('The policy is now: Issued.').waitFor()
    const begunLater = firstOfThisMonth() !== today()
    const said = page.getByRole('table', { name: 'Terms' }).getByText('Covered from')
    if (begunLater) await said.waitFor()
    else assert.equal(await said.count(), 0)
    assert.equal(await balanceOf(at), '0.00')
    await open(page, placeOf(at))
    await entriesIn(page).filter({ hasText: 'Premium of a policy' }).getByRole('link', { name: policy.id }).click()
    await page.getByRole('heading', { name: /^Policy/ }).waitFor()
    assert.deepEqual(complaints, [])
  })

  it('of several at once issues those that the deposit pays for, and leads to it for the others', async () => {
    const at = await newParties()
    const policies = await newApproved(at, userIds.slice(0, 3))
    await enter(at, '24100')
    const { page } = await logIn('operator')
    await open(page, '/policies')
    await page.getByRole('button', { name: 'Paste numbers…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill(policies.map(({ id }) => id).join('\n'))
    await dialog.getByRole('button', { name: 'Find 3 policy numbers' }).click()
    await page.getByRole('button', { name: 'Approved: 3' }).click()
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    await dialog.getByRole('button', { name: 'Issue: 3' }).click()
    await dialog.getByText('Issue: 3 of 3, 2 done, 1 failed').waitFor()
    await dialog.getByText(/The deposit lacks ₹12,035\.00: it holds/).waitFor()
    await assertReadable(page)
    const states = policies.map(({ id, user_id }) => owner.user(user_id).policies.readStatus(id))
    assert.deepEqual((await Promise.all(states)).map(({ status }) => status).toSorted(), [
      'APPROVED',
      'ISSUED',
      'ISSUED',
    ])
    assert.equal(await balanceOf(at), '10.00')
    assert.equal(await dialog.getByRole('link', { name: /^Deposit of / }).count(), 1)
    await dialog.getByRole('link', { name: /^Deposit of / }).click()
    await page.waitForURL(`**${placeOf(at)}`)
    await region(page, 'Deposit').getByText('₹10.00').waitFor()
  })
})

describe('an endorsement and an end that the deposit cannot pay', () => {
  it('stay undone and lead to it; a day before the money was there is said', async () => {
    const at = await newParties()
    const [begun, joined] = [daysAgo(10), daysAgo(5)]
    const [policy = assert.fail()] = await newApproved(at, userIds.slice(0, 1), begun)
    await enter(at, YEAR, 'TOP_UP', begun)
    const { policies, dependants } = owner.user(policy.user_id)
    await policies.setStatus(policy.id, { status: 'ISSUED' })
    const child = { first_name: 'Kabir', last_name: 'Example', date_of_birth: plainDate('2015-04-01') }
    const [added = assert.fail()] = (await dependants.create({ dependants: [child] })).data
    await policies.setMember(policy.id, added.id, { from: plainDate(joined), event: 'MISSED', reason: 'Forgotten' })
    const stateOf = async () =>
      (await owner.endorsements.list({ limit: 100 })).data.find((one) => one.insurance_policy_id === policy.id)?.state

    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/endorsements')
    const row = page.getByRole('row').filter({ has: page.locator(`a[href*="${policy.id}"]`) })
    await row.getByRole('button', { name: 'Accept' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'You charge, in ₹' }).fill('5,000')
    await dialog.getByRole('button', { name: 'Accept' }).click()
    await dialog.getByText(/The deposit lacks ₹5,000\.00: it holds/).waitFor()
    await dialog.getByRole('link', { name: /^Deposit of / }).waitFor()
    await assertReadable(page)
    assert.equal(await stateOf(), 'REQUESTED')

    await enter(at, '5000')
    await dialog.getByRole('button', { name: 'Accept' }).click()
    await dialog.getByText(/The deposit has held ₹[\d,.]+ since 20.* only/).waitFor()
    assert.equal(await balanceOf(at), '5000.00')
    await dialog.getByRole('textbox', { name: 'First covered day' }).fill(today())
    await dialog.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('The endorsement is now: Accepted.').waitFor()
    assert.equal(await balanceOf(at), '0.00')

    await policies.setEnd(policy.id, { on: plainDate(today()), code: 'LEFT', amount: Money.rupees('9000') })
    await enter(at, '9000', 'REVERSAL')
    await open(page, policy.place)
    await region(page, 'End').getByRole('button', { name: 'Take back' }).click()
    await dialog.getByRole('button', { name: 'Take back' }).click()
    await dialog.getByText(/The deposit lacks ₹9,000\.00: it holds/).waitFor()
    assert.equal((await policies.readEnd(policy.id)).on, today())
    await dialog.getByRole('link', { name: /^Deposit of / }).click()
    await page.waitForURL(`**${placeOf(at)}`)
    await entriesIn(page).last().waitFor()
    const kinds = await entriesIn(page).locator('td:first-child').allInnerTexts()
    assert.deepEqual(kinds, [
      'Reversal',
      'Given back for an end',
      'Charged for an endorsement',
      'Payment',
      'Premium of a policy',
      'Payment',
    ])
    assert(complaints.every((text) => text.includes('409')))
  })
})
