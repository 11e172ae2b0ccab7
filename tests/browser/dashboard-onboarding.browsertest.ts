import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { assertReadable, settled, startDashboard } from './dashboard.ts'

const { origin, logIn } = await startDashboard(1)

describe('a new partner', () => {
  it('has everything that its first policy needs, and nothing was done but clicks and typing', async () => {
    const { page, complaints } = await logIn('operator')
    const dialog = page.getByRole('dialog')
    const fill = async (fields: Readonly<Record<string, string>>) => {
      for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label).first().fill(text)
    }
    const create = () => dialog.getByRole('button', { name: 'Create' }).click()
    await page.goto(`${origin}/dashboard/platforms`)
    await page.getByRole('button', { name: 'New platform' }).click()
    await fill({ Name: 'North Benefits' })
    await create()
    await page.getByRole('heading', { name: 'North Benefits' }).waitFor()
    const partner = page.url()
    const checklist = page.getByRole('region', { name: 'Until the first policy can be issued' })
    const items = (state: string) =>
      checklist.getByRole('listitem').filter({ has: page.getByText(state, { exact: true }) })
    await within(DEADLINE_MS, async () => (await items('Missing').count()) === 5)

    await checklist.getByRole('link', { name: 'An active sponsor' }).click()
    await page.getByRole('button', { name: 'New sponsor' }).click()
    await dialog.getByLabel('Partner').selectOption('North Benefits')
    await fill({
      Name: 'North Mills',
      PAN: 'AAACN1234M',
      Email: 'hr@example.com',
      'Address, first line': '1 Mill Road',
    })
    await fill({ City: 'Pune', State: 'Maharashtra', 'PIN code': '411001' })
    await create()
    await page.getByRole('heading', { name: 'North Mills' }).waitFor()
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await dialog.getByRole('button', { name: 'Activate', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'New benefit' }).click()
    const sponsor = page.getByRole('combobox', { name: /^Sponsor/ })
    assert.match(String(await sponsor.locator('option:checked').textContent()), /^North Mills/)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Family cover of North Mills')
    await page.getByLabel('Plan code').fill('FAMILY_5L')
    await page.getByLabel('Premium a day, ₹').fill('33')
    await page.getByRole('button', { name: 'Use ₹12,045.00 a year' }).click()
    await page.getByLabel('The sponsor pays a year, ₹').fill('6,022.50')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Family cover of North Mills' }).waitFor()

    await page.goto(partner)
    await settled(page)
    await page.getByRole('button', { name: 'New credential' }).click()
    await create()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    // Only its own people can create an endpoint.
    await items('Missing').getByText('A webhook endpoint').waitFor()
    await within(
      DEADLINE_MS,
      async () => (await items('There').count()) === 4 && (await items('Missing').count()) === 1,
    )
    await assertReadable(page)
    assert.deepEqual(complaints, [])
  })
})
