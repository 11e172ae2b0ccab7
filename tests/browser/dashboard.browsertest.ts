import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertReadable,
  startDashboard,
  overflow,
  pathOf,
  PEOPLE,
  personalTraces,
  type Role,
  SCREENS,
  settled,
} from './dashboard.ts'

const { origin, people, logIn } = await startDashboard(24)

const ROLES = Object.keys(PEOPLE) as Role[]

describe('every screen of the dashboard', () => {
  for (const role of ROLES) {
    it(`has no defect that axe finds, in light and dark, and loads nothing from elsewhere: ${role}`, async () => {
      const { page, complaints } = await logIn(role)
      for (const screen of SCREENS.filter(({ who }) => who.includes(role))) {
        await page.goto(`${origin}/dashboard${await pathOf(page, origin, screen)}`)
        await settled(page)
        await assertReadable(page, { what: screen.path })
        assert.deepEqual(await personalTraces(page, people), [], screen.path)
        assert.match(await page.title(), /^[A-Z][\w …]+ · Banyan$/)
      }
      assert.deepEqual(complaints, [])
    })
  }

  it('fits into 360 px, with its navigation behind a button', async () => {
    const { page } = await logIn('owner')
    await page.setViewportSize({ width: 360, height: 740 })
    for (const screen of SCREENS.filter(({ who }) => who.includes('owner'))) {
      await page.goto(`${origin}/dashboard${await pathOf(page, origin, screen)}`)
      await settled(page)
      assert((await overflow(page)) <= 0, screen.path)
    }
    await page.getByRole('button', { name: 'Navigation' }).click()
    await page.getByRole('link', { name: 'Policies', exact: true }).click()
    await page.getByRole('heading', { name: 'Policies' }).waitFor()
  })
})

describe('the login', () => {
  it('comes back to the page that was wanted, with its state', async () => {
    const { page } = await logIn('owner')
    await page.context().clearCookies()
    await page.goto(`${origin}/dashboard/policies?status=PENDING&due=30`)
    await page.getByRole('link', { name: 'Log in' }).click()
    await page.getByRole('button', { name: PEOPLE.owner }).click()
    await page.getByRole('table', { name: 'Policies' }).or(page.getByText('No policies here')).waitFor()
    assert.equal(page.url(), `${origin}/dashboard/policies?status=PENDING&due=30`)
  })

  it('ends by logging out', async () => {
    const { page } = await logIn('viewer')
    await page.getByRole('button', { name: PEOPLE.viewer }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('link', { name: 'Log in' }).waitFor()
  })
})

describe('the work list of policies', () => {
  it('starts verification of three applications at once, reports each, and takes it back', async () => {
    const { page, complaints } = await logIn('benefit_provider')
    await page.goto(`${origin}/dashboard/policies?status=PENDING`)
    const rows = page.getByRole('checkbox', { name: /^Select policy/ })
    await rows.first().waitFor()
    const before = await rows.count()
    for (const index of [0, 1, 2]) await rows.nth(index).check()
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Start verification' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start verification: 3' }).click()
    await page.getByText('Start verification: 3 of 3, 3 done').waitFor()
    await page.getByRole('button', { name: 'Undo (send back)' }).click()
    await page.getByText('Send back: 3 of 3, 3 done').waitFor()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await rows.nth(before - 1).waitFor()
    assert.equal(await rows.count(), before)
    assert.deepEqual(complaints, [])
  })

  it('works with the keyboard alone', async () => {
    const { page } = await logIn('owner')
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByRole('table', { name: 'Policies' }).waitFor()
    const current = page.locator('tr[aria-current=true]')
    // Rows can be shown a moment before the keys know them.
    for (; (await current.count()) === 0; await settled(page)) await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Policy/ }).waitFor()
    await page.goBack()
    await page.locator('tr[aria-current=true]').waitFor()
    await page.keyboard.press('Shift+?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  })
})

describe('a policy', () => {
  it('is moved by a button that says what follows, and shows its certificate in the page', async () => {
    const { page, complaints } = await logIn('benefit_provider')
    await page.goto(`${origin}/dashboard/policies?status=APPROVED`)
    await page.getByRole('table', { name: 'Policies' }).getByRole('link').first().click()
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The certificate and health cards are made').waitFor()
    await dialog.getByLabel('Your policy number').fill('NORTH-1')
    await dialog.getByRole('button', { name: 'Issue' }).click()
    await page.getByText('The policy is now: Issued.').waitFor()
    await page.getByText('NORTH-1').first().waitFor()
    await page.locator('iframe[title=Certificate]').waitFor()
    await page.getByRole('link', { name: 'Save', exact: true }).waitFor()
    assert.deepEqual(complaints, [])
  })

  it('asks for a new login when the session has ended, and then does what was asked', async () => {
    const { page } = await logIn('operator')
    await page.goto(`${origin}/dashboard/policies?status=VERIFICATION`)
    await page.getByRole('table', { name: 'Policies' }).getByRole('link').first().click()
    await page.getByRole('button', { name: 'Send back' }).click()
    await page.getByLabel('Reason').fill('The photo is missing.')
    await page.context().clearCookies({ name: '__Host-banyan_session' })
    await page.getByRole('dialog').getByRole('button', { name: 'Send back' }).click()
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Log in again' }).click(),
    ])
    await tab.waitForEvent('close')
    await page.getByText('The policy is now: Pending.').waitFor()
    await page.getByRole('region', { name: 'Timeline' }).getByText('The photo is missing.').waitFor()
  })
})
