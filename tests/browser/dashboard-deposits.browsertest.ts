import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Money, platformId } from '../../client/src/index.ts'
import type { Page } from 'playwright-core'
import { makeSponsor } from '../../sandbox/demo.ts'
import { SANDBOX_PARTNERS } from '../../src/settings/sandbox-partners.ts'
import { assertReadable, overflow, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'
import { entriesIn, fillIn, placeOf, region, today, withDeposits } from './deposits.ts'

const { workspace, origin, logIn } = await startDashboard(2)
const { owner, platform } = await createPeople(workspace)
const { stored, balanceOf, levelOf, enter, newParties } = withDeposits({ owner, platform })

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))

const PHONE = { width: 360, height: 780 }

describe('a plan', () => {
  it('says that its premium comes from the sponsor’s deposit before cover, and keeps it when something else is changed', async () => {
    const { sponsor } = await newParties()
    const name = `Gated ${sponsor.slice(-5)}`
    const { page, complaints } = await logIn('operator')
    await open(page, `/benefits/new?sponsor=${sponsor}`)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
    await page.getByLabel('Plan code').fill('GATED')
    for (const field of ['Premium a day, ₹', 'Premium a year, ₹', 'The sponsor pays a year, ₹'])
      await page.getByLabel(field).fill('10')
    const gate = page.getByRole('combobox', { name: 'Premium', exact: true })
    assert.equal(await gate.inputValue(), 'none', 'off by default')
    await gate.selectOption('Before cover, from the sponsor’s deposit')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name }).waitFor()
    await page.getByText('the premium is paid before cover, from the sponsor’s deposit').waitFor()
    await assertReadable(page)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Grace, days after the end').fill('45')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('45 days').waitFor()
    await page.getByText('the premium is paid before cover, from the sponsor’s deposit').waitFor()
    await page.getByRole('link', { name: 'The sponsor’s deposit' }).click()
    await page.getByRole('heading', { name: 'Deposit of Demo Textiles', level: 1 }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Edit' }).click()
    await gate.selectOption('Cover does not wait for it')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('the premium is paid before cover').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('link', { name: 'The sponsor’s deposit' }).count(), 0)
    assert.deepEqual(complaints, [])
  })
})

describe('the deposits of a sponsor', () => {
  it('are on its page, one for each benefit provider, in words before anything was entered', async () => {
    const at = await newParties()
    const { page, complaints } = await logIn('viewer')
    await open(page, `/sponsors/${at.sponsor}`)
    const deposits = region(page, 'Deposits')
    await deposits.getByText('Nothing was entered yet').waitFor()
    await deposits.getByText(at.benefit.name).waitFor()
    await assertReadable(page)
    await deposits.getByRole('link').click()
    await page.getByText('A payment adds money.').waitFor()
    assert.equal(await page.locator('main').getByRole('button').count(), 0, 'a viewer enters and sets nothing')
    const alone = await makeSponsor(owner, platformId(SANDBOX_PARTNERS.platform.id))
    await open(page, `/sponsors/${alone.id}`)
    await region(page, 'Deposits').getByText('No deposits yet').waitFor()
    await open(page, `/sponsors/${alone.id}/deposits/${at.provider}`)
    await page.getByText('No deposit of these two').waitFor()
    assert.equal(complaints.filter((text) => !text.includes('404')).length, 0)
  })

  it('takes a payment once, also by a double click, and says a reference that was used', async () => {
    const at = await newParties()
    const { page, complaints } = await logIn('operator')
    const posts: string[] = []
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
    await open(page, placeOf(at))
    await page.getByRole('button', { name: 'Enter a payment' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Enter', exact: true }).click()
    await dialog.getByText('Must not be empty.').waitFor()
    await fillIn(page, { amount: '12,50', reference: 'UTR-1' })
    await dialog.getByRole('button', { name: 'Enter', exact: true }).click()
    await dialog.getByText('Write an amount in rupees').waitFor()
    await dialog.getByLabel('Amount in ₹').fill('5,00,000.50')
    await dialog.getByLabel('Received on').fill('2999-01-01')
    await dialog.getByRole('button', { name: 'Enter ₹5,00,000.50' }).click()
    await dialog.getByText('today in India, or earlier').waitFor()
    assert.equal(complaints.length, 1, 'of the browser, about the day that the service refused')
    complaints.length = 0
    await assertReadable(page)
    assert.deepEqual(await stored(at), [])
    posts.length = 0
    await dialog.getByLabel('Received on').fill(today())
    await dialog.getByRole('button', { name: 'Enter ₹5,00,000.50' }).dblclick()
    await page.getByText('Payment of ₹5,00,000.50 entered.').waitFor()
    await entriesIn(page).first().waitFor()
    assert.equal(posts.length, 1, 'sent once')
    assert.equal((await stored(at)).length, 1)
    await region(page, 'Deposit').getByText('₹5,00,000.50').waitFor()

    for (const [amount, said] of [
      ['5,00,000.50', 'Nothing was entered again.'],
      ['6,00,000', 'Another entry has this reference'],
    ] as const) {
      await page.getByRole('button', { name: 'Enter a payment' }).click()
      await fillIn(page, { amount, reference: 'UTR-1' })
      await dialog.getByRole('button', { name: /^Enter ₹/ }).click()
      await dialog.getByText(said).waitFor()
      assert.equal(await page.getByText('Payment of ₹6,00,000.00 entered.').count(), 0)
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    assert.equal(await balanceOf(at), '500000.50')
    assert.equal((await stored(at)).length, 1)
  })

  it('shows a balance below its level and below zero in words, and lists entries with a CSV', async () => {
    const at = await newParties()
    await enter(at, '20000')
    const { page, complaints } = await logIn('owner')
    await open(page, placeOf(at))
    const about = region(page, 'Deposit')
    await about.getByText('No level is set').waitFor()
    await page.getByRole('button', { name: 'Set a low level' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('50,000')
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await about.getByText('Low', { exact: true }).waitFor()
    assert.equal(await levelOf(at), '50000.00')

    // Somebody else has set another one since the dialog was opened.
    await page.getByRole('button', { name: 'Change the low level' }).click()
    await owner.sponsors.setDepositLowBelow(at.sponsor, at.provider, { amount: Money.rupees('40000') })
    await dialog.getByRole('textbox').fill('10,000')
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await dialog.getByText('set it to ₹40,000.00 since').waitFor()
    assert.equal(await levelOf(at), '40000.00')
    await dialog.getByRole('button', { name: 'Set', exact: true }).click()
    await about.getByText('Low', { exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Clear the low level' }).click()
    await dialog.getByRole('button', { name: 'Clear', exact: true }).click()
    await about.getByText('No level is set').waitFor()
    assert.equal(await levelOf(at), undefined)

    await page.getByRole('button', { name: 'Enter a reversal' }).click()
    await fillIn(page, { amount: '25,000', reference: 'RETURNED-1' })
    await dialog.getByText('The deposit lacks ₹5,000.00 then').waitFor()
    await assertReadable(page)
    await dialog.getByRole('button', { name: 'Enter ₹25,000.00' }).click()
    await about.getByText('Below zero').waitFor()
    await about.getByText('-₹5,000.00').waitFor()
    await about.getByText('No policy ends by it').waitFor()
    assert.match(await entriesIn(page).first().innerText(), /Reversal[\s\S]*RETURNED-1[\s\S]*-₹25,000\.00/)
    assert.match(await entriesIn(page).last().innerText(), /Payment[\s\S]*₹20,000\.00/)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV: Entries' }).click()
    assert.match((await saving).suggestedFilename(), /\.csv$/)
    await assertReadable(page)
    await page.setViewportSize(PHONE)
    await open(page, placeOf(at))
    assert((await overflow(page)) <= 0)
    await open(page, `/sponsors/${at.sponsor}`)
    await region(page, 'Deposits').getByText('Below zero').waitFor()
    assert((await overflow(page)) <= 0)
    await page.getByLabel('From this day').waitFor({ state: 'detached' })
    assert.deepEqual(complaints, [])
  })

  it('lets the insurer’s desk enter, the partner’s support set the level only, and viewers neither', async () => {
    const at = await newParties()
    await enter(at, '100')
    const buttonsOf = async (role: Parameters<typeof logIn>[0]) => {
      const { page, complaints } = await logIn(role)
      await open(page, placeOf(at))
      await entriesIn(page).first().waitFor()
      assert.deepEqual(complaints, [])
      const names = ['Enter a payment', 'Enter a reversal', 'Set a low level']
      const found = names.map((name) => page.getByRole('button', { name }).count())
      return (await Promise.all(found)).map((one) => one === 1)
    }
    assert.deepEqual(await buttonsOf('viewer'), [false, false, false])
    assert.deepEqual(await buttonsOf('platform'), [false, false, true])
    assert.deepEqual(await buttonsOf('benefit_provider'), [true, true, true])
  })
})

describe('a deposit below zero, or below its level', () => {
  it('waits for the benefit provider among the next actions and stands in the events, each with its deposit', async () => {
    const at = await newParties()
    await enter(at, '500')
    await owner.sponsors.setDepositLowBelow(at.sponsor, at.provider, { amount: Money.rupees('100') })
    await enter(at, '600', 'REVERSAL')
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/')
    const title = 'Settle the deposit with the sponsor'
    const action = page.getByRole('table', { name: 'Due next' }).locator(`a[href*="${at.sponsor}"]`)
    const more = page.getByRole('button', { name: 'Show more' })
    if ((await action.count()) === 0) await more.click()
    await action.waitFor()
    assert.equal(await action.innerText(), title)
    await action.click()
    await page.waitForURL(`**${placeOf(at)}`)
    await region(page, 'Deposit').getByText('Below zero').waitFor()
    assert.deepEqual(complaints, [])

    const { page: ops } = await logIn('operator')
    await open(ops, '/events?from=all&about=money')
    const event = ops
      .getByRole('row')
      .filter({ hasText: 'deposit.low' })
      .locator(`a[href*="${placeOf(at)}"]`)
    while ((await event.count()) === 0) await open(ops, '/events?from=all&about=money')
    assert.equal(await event.count(), 1, 'once')
    await event.click()
    await ops.waitForURL(`**${placeOf(at)}`)
  })
})
