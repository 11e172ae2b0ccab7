import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { logIn as logInAt, overflow, settled, startDashboard } from './dashboard.ts'

const { origin } = await startDashboard(12)
const logIn = (role: Parameters<typeof logInAt>[1]) => logInAt(origin, role)
const open = async (page: Page, path: string) => {
  await page.goto(`${origin}/dashboard${path}`)
  await settled(page)
}

/** Returns the lines of the file that the button saves, and its name. */
async function download(page: Page, label: string): Promise<{ name: string; lines: string[] }> {
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: `Download CSV: ${label}` }).click()
  const file = await saving
  const text = Buffer.concat(await (await file.createReadStream()).toArray()).toString()
  assert(text.startsWith('\ufeff'), 'a spreadsheet knows that it is UTF-8')
  return { name: file.suggestedFilename(), lines: text.slice(1).trimEnd().split('\r\n') }
}

const rows = (page: Page, label: string) => page.getByRole('table', { name: label, exact: true }).locator('tbody tr')

describe('a list as CSV', () => {
  it('has the policies of the filter, with one click', async () => {
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/policies?status=ISSUED')
    const shown = await rows(page, 'Policies').count()
    const { name, lines } = await download(page, 'Policies')
    assert.match(name, /^insurance_policies-\d{4}-\d\d-\d\d\.csv$/)
    assert.match(lines[0] ?? '', /^id,user_id,/)
    assert.equal(lines.length, shown + 1)
    assert(lines.slice(1).every((line) => line.includes(',ISSUED,')))
    assert.deepEqual(complaints, [])
  })

  it('has the ledger of a person in rupees, with the days that are shown', async () => {
    const { page } = await logIn('operator')
    await open(page, '/wallets?list=all')
    await page.getByRole('table', { name: 'Wallets' }).getByRole('link').first().click()
    await page.getByRole('button', { name: 'Show ledger' }).click()
    await page.getByRole('table', { name: 'Ledger' }).waitFor()
    const { lines } = await download(page, 'Ledger')
    assert.match(lines[0] ?? '', /amount_rupees,balance_after_rupees/)
    assert.equal(lines.length, (await rows(page, 'Ledger').count()) + 1)
    await page.getByLabel('To this day').fill('2020-01-01')
    await page.getByText('Nothing was booked here').waitFor()
  })
})

describe('the audit', () => {
  it('takes a name for who, and days; what was done is said in words; the CSV has the same', async () => {
    const { page, complaints } = await logIn('owner')
    await open(page, '/sponsors') // which is in the audit
    await open(page, '/audit')
    await page.getByRole('table', { name: 'Audit' }).getByText('List sponsors').first().waitFor()
    assert.equal(await page.getByText(/\b(?:list|read|create)[A-Z]\w+/).count(), 0, 'no ids of operations')
    await page
      .getByRole('textbox', { name: 'Who' })
      .or(page.getByRole('combobox', { name: 'Who' }))
      .fill('asha exam')
    await page.keyboard.press('Enter')
    await page.waitForURL(/actor=adm_/)
    await settled(page)
    await page.getByRole('table', { name: 'Audit' }).getByText('Asha Example').first().waitFor()
    const { lines } = await download(page, 'Audit')
    assert.match(lines[0] ?? '', /^id,at,actor,operation,summary,/)
    assert(lines.length > 1 && lines.slice(1).every((line) => /owner:adm_/.test(line)))
    await page.getByLabel('From this day').fill('2999-01-01')
    await page.getByText('Nothing here').waitFor()
    await page.getByLabel('From this day').fill('2026-01-01')
    await page.getByRole('table', { name: 'Audit' }).waitFor()
    await page.setViewportSize({ width: 360, height: 700 })
    await page.reload()
    await settled(page)
    assert.equal(await overflow(page), 0, 'no wider than a phone')
    assert.deepEqual(complaints, [])
  })
})
