import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { SANDBOX_PARTNERS } from '../../src/settings/sandbox-partners.ts'
import { csv } from '../support/imports.ts'
import { assertReadable, overflow, type Role, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, logIn } = await startDashboard(4)
const { owner } = await createPeople(workspace)

const PARTNER = SANDBOX_PARTNERS.platform
const EMPLOYEES = 150
const PHONE = { width: 360, height: 780 }
const WIDE = { width: 1280, height: 800 }
const [benefit] = (await owner.benefits.list({ limit: 100 })).data.filter(({ plans }) =>
  plans.some(({ plan_code: code }) => code === 'FAMILY_5L'),
)
assert(benefit, 'the demo has a plan for families')

type Cells = Record<string, string>
type Planted = Record<number, { cells: Cells; column: string | null; code: string }>

const indexes = Array.from({ length: EMPLOYEES }, (_, index) => index)
const employee = (index: number) => ({
  phone_country_code: '+91',
  phone_number: String(9_200_000_000 + index),
  employee_number: `ACME-${1000 + index}`,
})

/** A row for each of two dependants. */
const PEOPLE: readonly Cells[] = indexes.flatMap((index) =>
  ['Ravi', 'Mira'].map((name, child) => ({
    ...employee(index),
    first_name: 'Asha',
    last_name: 'Example',
    dob: '1990-05-17',
    gender: 'FEMALE',
    email: `asha${index}@example.com`,
    dependant_first_name: name,
    dependant_last_name: 'Example',
    dependant_date_of_birth: `20${10 + child}-08-02`,
  })),
)
const ENROLMENTS: readonly Cells[] = indexes.map((index) => ({
  ...employee(index),
  benefit_id: benefit.id,
  plan_code: 'FAMILY_5L',
  start_date: new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format(new Date()),
  dependant_ids: 'ALL',
}))

/** Twelve errors in two lists, by the row of the spreadsheet. */
const IN_PEOPLE: Planted = {
  2: { cells: { dob: '17/05/1990' }, column: 'dob', code: 'format' },
  31: { cells: { phone_number: '9.19E+11' }, column: 'phone_number', code: 'format' },
  62: { cells: { gender: 'F' }, column: 'gender', code: 'not_allowed' },
  93: { cells: { email: 'asha.example.com' }, column: 'email', code: 'format' },
  124: { cells: { phone_country_code: '91' }, column: 'phone_country_code', code: 'format' },
  155: { cells: { dependant_date_of_birth: '2015-02-30' }, column: 'dependant_date_of_birth', code: 'format' },
  186: { cells: { dependant_last_name: '' }, column: 'dependant_last_name', code: 'required' },
  217: { cells: { dob: '2999-01-01' }, column: 'dob', code: 'format' },
}
const IN_ENROLMENTS: Planted = {
  3: { cells: { plan_code: 'FAMILY_50L' }, column: 'plan_code', code: 'unknown_reference' },
  40: { cells: { start_date: '01/04/2026' }, column: 'start_date', code: 'format' },
  77: { cells: { employee_number: 'ACME-9' }, column: 'employee_number', code: 'not_found' },
  151: { cells: { ...ENROLMENTS[5] }, column: null, code: 'duplicate' },
}

function listOf(rows: readonly Cells[], planted: Planted = {}): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = rows.map((row, index) => {
    const cells: Cells = { ...row, ...planted[index + 2]?.cells }
    return names.map((name) => cells[name] ?? '').join(',')
  })
  return `\ufeff${csv(names.join(','), ...lines)}`
}

const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

/** Chooses a file, and has it checked. */
async function check(page: Page, name: string, text: string): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /^Choose a(?:nother)? file…$/ }).click()
  await (await choosing).setFiles(fileOf(name, text))
  await page.getByText(name).waitFor()
  await page.getByRole('button', { name: 'Check the list' }).click()
}

/** Drops a file of this text, or of so many bytes, onto the page. */
const drop = (page: Page, name: string, content: string | number) =>
  page.evaluate(`(() => {
    const files = new DataTransfer()
    const content = ${JSON.stringify(content)}
    files.items.add(new File([typeof content === 'number' ? new Uint8Array(content) : content], '${name}'))
    for (const type of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }))
  })()`)

/** Waits for the end of a check or an import; returns its id, which the address has. */
async function ended(page: Page, title: string): Promise<string> {
  const part = page.getByRole('region', { name: title, exact: true })
  await part.getByText('Done', { exact: true }).first().waitFor()
  await page.getByRole('region', { name: 'Report' }).waitFor()
  await settled(page)
  return new URL(page.url()).searchParams.get('import') ?? ''
}

const errorsIn = (page: Page) => page.getByRole('table', { name: 'Errors' })

/** Returns what the page says of each error, and asserts that each has words. */
async function shownErrors(page: Page): Promise<string[][]> {
  const rows = await errorsIn(page).locator('tbody tr').all()
  const texts = await Promise.all(rows.map((row) => row.getByRole('cell').allInnerTexts()))
  for (const cells of texts) assert.match(cells.at(-1) ?? '', /\w{3}/)
  return texts.map((cells) => cells.slice(0, 3))
}

const expected = (planted: Planted) =>
  Object.entries(planted).map(([row, { column, code }]) => [row, column ?? 'whole row', code])

async function startImports(role: Role) {
  const { page, complaints } = await logIn(role)
  await page.goto(`${origin}/dashboard/imports`)
  await settled(page)
  if (role === 'platform') return { page, complaints }
  await page.getByRole('combobox', { name: 'Partner' }).selectOption(PARTNER.name)
  return { page, complaints }
}

const policiesOf = async (status: 'PENDING') =>
  (await owner.policies.list({ status: [status], benefit_id: [benefit.id], limit: 100 }).all(1_000)).length

describe('the screen of imports', () => {
  it('says what is wrong with a file that was not taken, and is not there for an insurer’s desk', async () => {
    const { page } = await startImports('platform')
    assert.equal(await page.getByRole('combobox', { name: 'Partner' }).count(), 0, 'the list is of the own platform')
    await page.getByRole('button', { name: 'Check the list' }).click()
    await page.getByText('Choose a file first.').waitFor()
    const refused = page.getByRole('alert').filter({ hasText: 'The file was not taken' })
    await check(page, 'semicolons.csv', csv('phone_country_code;phone_number', '+91;9876543210'))
    await refused.getByText(/separated by semicolons.*Comma delimited/).waitFor()
    await check(page, 'nickname.csv', csv('phone_number,phone_number,Nickname', '9876543210,1,Ash'))
    await refused.getByText('There is no column Nickname.').waitFor()
    await refused.getByText('The column phone_country_code is missing.').waitFor()
    await assertReadable(page)
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose another file…' }).click()
    await (await choosing).setFiles(fileOf('people.xlsx', 'PK'))
    await refused.getByText(/people\.xlsx is a workbook\. Save the sheet as/).waitFor()
    await drop(page, 'dropped.csv', 65 * 1024 * 1024)
    await refused.getByText(/65\.0 MiB; the most is 64 MiB/).waitFor()

    const desk = await logIn('benefit_provider')
    assert.equal(await desk.page.getByRole('link', { name: 'Imports', exact: true }).count(), 0)
    await desk.page.goto(`${origin}/dashboard/imports`)
    await desk.page.getByRole('heading', { name: 'Imports' }).waitFor({ state: 'detached' })
  })

  it('is used by the keyboard alone, on a phone, and by a file that is dropped', async () => {
    const { page } = await startImports('owner')
    await page.setViewportSize(PHONE)
    await drop(page, 'dropped.csv', csv('phone_country_code,phone_number', '+91,9300000001', '91,9300000002'))
    await page.getByText('dropped.csv, 64 bytes').waitFor()
    await page.getByRole('button', { name: 'Check the list' }).press('Enter')
    await ended(page, 'Check: people')
    await errorsIn(page).getByText('phone_country_code').waitFor()
    assert((await overflow(page)) <= 0, 'nothing is wider than the phone')
    await assertReadable(page)
    await page.setViewportSize(WIDE)
    await page.keyboard.press('j')
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV: Report' }).press('Enter')
    const text = Buffer.concat(await (await (await saving).createReadStream()).toArray()).toString()
    assert.match(text, /\r\n3,REJECTED,phone_country_code,format,/)
    await page.getByRole('button', { name: 'Import 1 row…' }).press('Enter')
    await page.getByRole('dialog').getByText('1 row with errors').waitFor()
    await assertReadable(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Import 1 row' }).press('Enter')
    await ended(page, 'Import: people')
    await page.getByRole('link', { name: 'Done: 1' }).press('Enter')
    await page.getByRole('table', { name: 'Rows that are done' }).getByRole('link').first().waitFor()
    await assertReadable(page)
  })
})

describe('a company with its families', () => {
  it('is checked with twelve errors, each named by row and column, and stands ready once they are corrected', async () => {
    const before = await policiesOf('PENDING')
    const { page, complaints } = await startImports('operator')
    await check(page, 'people.csv', listOf(PEOPLE, IN_PEOPLE))
    await ended(page, 'Check: people')
    assert.deepEqual(await shownErrors(page), expected(IN_PEOPLE))
    await page.getByText('292 rows would be done, 8 rows with errors would be left out.').waitFor()
    assert.equal((await owner.users.search({ employee_number: 'ACME-1000' })).data.length, 0, 'a check writes nothing')

    await page.getByRole('combobox', { name: 'Column' }).selectOption('dob (2)')
    assert.equal((await shownErrors(page)).length, 2)
    await page.reload()
    await settled(page)
    assert.equal((await shownErrors(page)).length, 2, 'a reload shows the same')
    assert.equal(await page.getByRole('button', { name: /^Import/ }).count(), 0, 'a page does not keep the file')
    await page.getByText('This page does not keep the file').waitFor()

    await page.getByRole('button', { name: 'Choose a file…' }).click()
    await check(page, 'people-corrected.csv', listOf(PEOPLE))
    await ended(page, 'Check: people')
    await page.getByRole('button', { name: 'Import 300 rows…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Import 300 rows' }).click()
    await ended(page, 'Import: people')
    await page.getByText('Every row is done.').waitFor()

    await page.getByRole('button', { name: 'Import another list' }).click()
    await page.getByRole('combobox', { name: 'What is on the list' }).selectOption('Enrolments')
    await check(page, 'enrolments.csv', listOf(ENROLMENTS, IN_ENROLMENTS))
    await ended(page, 'Check: enrolments')
    assert.deepEqual(await shownErrors(page), expected(IN_ENROLMENTS))
    await page.getByRole('button', { name: 'Choose a file…' }).click()
    await check(page, 'enrolments-corrected.csv', listOf(ENROLMENTS))
    await ended(page, 'Check: enrolments')
    await page.getByRole('button', { name: 'Import 150 rows…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Import 150 rows' }).click()
    await ended(page, 'Import: enrolments')
    assert.equal(await policiesOf('PENDING'), before + EMPLOYEES)

    await page.reload()
    await page.getByRole('link', { name: 'Done: 150' }).click()
    await page.getByRole('table', { name: 'Rows that are done' }).getByRole('link', { name: /^pol_/ }).first().click()
    await page.getByRole('heading', { level: 1, name: /Pending/ }).waitFor()
    await page.getByText('Ravi Example').first().waitFor()
    await page.getByText('Mira Example').first().waitFor()

    await page.goto(`${origin}/dashboard/search`)
    await page.getByLabel('Search for').fill('ACME-1000')
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'People' }).getByRole('link').first().waitFor()
    assert.equal(await page.getByText(/employee numbers? .*cannot be searched/).count(), 0)
    assert.deepEqual(complaints, [])
  })
})
