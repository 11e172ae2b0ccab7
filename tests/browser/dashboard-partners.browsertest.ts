import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { platformId } from '../../client/src/index.ts'
import { makeSponsor } from '../../sandbox/demo.ts'
import { SANDBOX_PARTNERS } from '../../src/settings/sandbox-partners.ts'
import { assertReadable, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { origin, workspace, logIn } = await startDashboard(4)

/** Sends a call as the person of the page, by the session. */
const call = (page: Page, method: string, path: string, body?: object) =>
  page.evaluate(`fetch('${origin}/v1${path}', {
    method: '${method}',
    headers: { 'content-type': 'application/json' },
    ${body ? `body: JSON.stringify(${JSON.stringify(body)}),` : ''}
  }).then((response) => response.json())`) as Promise<Record<string, unknown>>

const setMode = (receiver: string, mode: 'ok' | 'fail') =>
  fetch(`${workspace.sandboxUrl}/webhooks/${receiver}/behaviour`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mode }),
  })

describe('a platform', () => {
  it('is created by an operator with a credential whose secret is shown once, and revoked', async () => {
    const { page, complaints } = await logIn('operator')
    await page.goto(`${origin}/dashboard/platforms`)
    await page.getByRole('button', { name: 'New platform' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Acme Benefits')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Acme Benefits' }).waitFor()
    const checklist = page.getByRole('region', { name: 'Until the first policy can be issued' })
    const missing = (title: string) => checklist.getByRole('listitem').filter({ hasText: title }).getByText('Missing')
    await missing('An active sponsor').waitFor()
    await missing('A credential of the platform').waitFor()
    await checklist.getByText('admin-api-key').waitFor()

    await page.getByRole('button', { name: 'New credential' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Networks').fill('not a network')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Must be an IPv4 or IPv6 address or network').waitFor()
    await dialog.getByLabel('Networks').fill('203.0.113.0/24\n2001:db8::/32')
    complaints.length = 0 // the network was rejected with 422
    await dialog.getByLabel('Ends').selectOption('After 90 days')
    await dialog.getByRole('button', { name: 'Create' }).click()

    const secret = await page.locator('.secret').textContent()
    assert.match(Buffer.from(secret ?? '', 'base64').toString(), /^crd_\w+:byn_sec/)
    await page.getByText('203.0.113.0/24, 2001:db8::/32').waitFor()
    await assertReadable(page)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await missing('A credential of the platform').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('Never used').waitFor()
    assert.equal((await page.content()).includes(secret ?? ''), false)

    await page.getByRole('button', { name: /^Revoke crd_/ }).click()
    await page.getByRole('dialog').getByText('So do tokens of users made with it.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No credentials').waitFor()
    assert.deepEqual(complaints, [])
  })

  it('shows an owner what a credential has read and changed, also as CSV, and nobody else', async () => {
    const { page, complaints } = await logIn('owner')
    await page.goto(`${origin}/dashboard/platforms`)
    await page.getByRole('table', { name: 'Platforms' }).getByRole('link', { name: 'Demo Platform' }).first().click()
    await page.getByRole('table', { name: 'Credentials' }).getByRole('link', { name: 'What it read' }).first().click()
    const table = page.getByRole('table', { name: 'What it read' })
    await table.getByText('Complete onboarding').first().waitFor()
    assert.equal(await table.getByText(/\b(?:list|read|complete)[A-Z]\w+/).count(), 0, 'no ids of operations')
    const people = new Set(await table.locator('tbody a').allTextContents())
    assert(people.size > 1 && [...people].every((id) => /^\d{12}$/.test(id)))
    await assertReadable(page)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV: What it read' }).click()
    const file = await saving
    assert.match(file.suggestedFilename(), /^exposure-\d{4}-\d\d-\d\d\.csv$/)
    await page.getByLabel('To this day').fill('2020-01-01')
    await page.getByText('Nothing here').waitFor()
    assert.deepEqual(complaints, [])

    const { page: of } = await logIn('operator')
    await of.goto(`${origin}/dashboard/platforms`)
    await of.getByRole('table', { name: 'Platforms' }).getByRole('link', { name: 'Demo Platform' }).first().click()
    await of.getByRole('table', { name: 'Credentials' }).getByText('crd_').first().waitFor()
    assert.equal(await of.getByText('What it read').count(), 0)
  })

  it('names the web pages that may call with the tokens of its people', async () => {
    const { page, complaints } = await logIn('operator')
    await page.goto(`${origin}/dashboard/platforms`)
    await page.getByRole('table', { name: 'Platforms' }).getByRole('link').first().click()
    const section = page.getByRole('region', { name: 'Web pages' })
    await section.getByText('No page may call').waitFor()
    await section.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    const origins = dialog.getByLabel('Origins, one in a line')
    await origins.fill('https://app.example.com/path')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Must be a scheme and a host').waitFor()
    complaints.length = 0 // a path was rejected with 422
    await assertReadable(page)
    await origins.fill('https://app.example.com\n\n https://two.example.com:8443 ')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await section.getByText('https://two.example.com:8443').waitFor()
    await page.reload()
    await section.getByText('https://two.example.com:8443').waitFor()
    assert.deepEqual(await section.getByRole('listitem').allTextContents(), [
      'https://app.example.com',
      'https://two.example.com:8443',
    ])
    assert.deepEqual(complaints, [])
  })
})

describe('a webhook delivery of a partner that failed', () => {
  it('is found by an operator with its response, and sent again', async () => {
    const partner = await logIn('platform')
    await setMode('partner', 'fail')
    const url = `${workspace.sandboxUrl}/webhooks/partner`
    const { id } = await call(partner.page, 'POST', '/webhook_endpoints', { url, event_types: ['*'] })
    await call(partner.page, 'POST', `/webhook_endpoints/${String(id)}/test`, {})

    const { page, complaints } = await logIn('operator')
    await page.goto(`${origin}/dashboard/webhooks`)
    await page.getByLabel('Whose').selectOption('Demo Platform')
    await page.getByRole('link', { name: url }).click()
    await page.getByText('Only its owner can test, change or delete it.').waitFor()
    await page.getByRole('link', { name: 'webhook_endpoint.tested' }).click()
    const attempts = page.getByRole('table', { name: 'Attempts' })
    await attempts.getByText('500').first().waitFor()
    await assertReadable(page)

    await setMode('partner', 'ok')
    await page.getByRole('button', { name: /^Replay webhook_endpoint.tested/ }).click()
    await page.getByText('The delivery is sent again.').waitFor()
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Delivered').first().waitFor()
    await attempts.getByText('200').first().waitFor()
    assert.deepEqual(complaints, [])
  })
})

describe('an owner', () => {
  it('ends the session of a person, who has to log in again, and cannot disable themselves', async () => {
    const viewer = await logIn('viewer')
    const { page, complaints } = await logIn('owner')
    await page.goto(`${origin}/dashboard/administrators`)
    await page.getByRole('link', { name: 'Meera Example' }).click()
    await page.getByRole('table', { name: 'Sessions' }).waitFor()
    await assertReadable(page)
    await page
      .getByRole('button', { name: /^End session/ })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click()
    await page.getByText('Not logged in').waitFor()
    await viewer.page.goto(`${origin}/dashboard/policies`)
    await viewer.page.getByRole('link', { name: 'Log in' }).waitFor()

    await page.getByRole('link', { name: 'Asha Example' }).click()
    const disable = page.getByRole('button', { name: 'Disable' })
    await disable.waitFor()
    assert.equal(await disable.getAttribute('aria-description'), 'You cannot disable yourself. Ask another owner.')
    assert.deepEqual(complaints, [])
  })
})

describe('the plans of a benefit', () => {
  it('show what follows from the amounts while they are typed', async () => {
    const { page, complaints } = await logIn('operator')
    await page.goto(`${origin}/dashboard/benefits/new`)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Dental cover')
    await page.getByLabel('Plan code').fill('DENTAL')
    await page.getByLabel('Premium a day, ₹').fill('10')
    await page.getByRole('button', { name: 'Use ₹3,650.00 a year' }).click()
    await page.getByLabel('The sponsor pays a year, ₹').fill('1,825')
    await page.getByText('The person pays ₹1,825.00 a year, the sponsor 50 %.').waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Dental cover' }).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Grace, days after the end').fill('400')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Must be/).waitFor()
    complaints.length = 0 // the term of grace was rejected with 422
    await assertReadable(page)
    await page.getByLabel('Grace, days after the end').fill('45')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('45 days').waitFor()
    assert.deepEqual(complaints, [])
  })
})

describe('a new benefit', () => {
  it('has no sponsor before one is chosen, where there are several', async () => {
    const { page } = await logIn('operator')
    const { owner } = await createPeople(workspace)
    await makeSponsor(owner, platformId(SANDBOX_PARTNERS.platform.id))
    await page.goto(`${origin}/dashboard/benefits/new`)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Cover of nobody')
    await page.getByLabel('Plan code').fill('NOBODY')
    for (const field of ['Premium a day, ₹', 'Premium a year, ₹', 'The sponsor pays a year, ₹'])
      await page.getByLabel(field).fill('10')
    await page.getByRole('button', { name: 'Create' }).click()
    const pays = page.getByRole('combobox', { name: /^Sponsor/ })
    await page.locator('main').getByText('Choose one', { exact: true }).last().waitFor()
    assert.equal(await pays.inputValue(), '')
    assert.equal(await pays.getAttribute('aria-invalid'), 'true')
    await pays.selectOption({ index: 1 })
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Cover of nobody' }).waitFor()
  })
})

describe('the sandbox’s platform', () => {
  it('has everything that a first policy needs, which its checklist says', async () => {
    const { page, complaints } = await logIn('operator')
    await page.goto(`${origin}/dashboard/platforms`)
    await page.getByRole('table', { name: 'Platforms' }).getByRole('link').last().click()
    const checklist = page.getByRole('region', { name: 'Until the first policy can be issued' })
    await checklist.getByText('There', { exact: true }).nth(3).waitFor()
    await assertReadable(page)
    assert.deepEqual(complaints, [])
  })
})
