import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startDashboard, personalTraces, settled } from './dashboard.ts'

const { origin, people, logIn } = await startDashboard(24, { REQUIRE_PURPOSE: 'true' })

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
    const field = page.getByLabel('Phone number')
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
    assert.equal(await page.getByRole('combobox').inputValue(), '30')
    await page.goForward()
    await page.getByRole('link', { name: 'All', exact: true }).and(page.locator('[aria-current=page]')).waitFor()
  })

  it('says that there is no connection, and goes on by itself when there is', async () => {
    const { page } = await logIn('benefit_provider')
    await page.getByRole('link', { name: 'State machines' }).waitFor()
    await page.context().setOffline(true)
    await page.getByText('No connection. What you see may be old').waitFor()
    await page.context().setOffline(false)
    await page.getByText('No connection. What you see may be old').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Policies', exact: true }).click()
    await settled(page)
    await page.getByRole('table', { name: 'Policies' }).waitFor()
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
