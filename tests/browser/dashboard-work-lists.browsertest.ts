import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { administratorId } from '../../client/src/index.ts'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { eventually } from '../support/server.ts'
import { assertReadable, overflow, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, logIn } = await startDashboard(60)
const { owner } = await createPeople(workspace)

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))
const policyAt = (page: Page) => /policies\/(pol_\w+)/.exec(page.url())?.[1]
/** A change within it is taken for one's own. */
const SAME_MOMENT_MS = 3_000
const NEW = ['PENDING', 'VERIFICATION', 'APPROVED'] as const
const oldest = async (...status: (typeof NEW)[number][]) =>
  (await owner.policies.list({ status, order: 'oldest' })).data

/** From a step to the next one, by keyboard. */
const NEXT_STEP_TABS = 3

/** Returns how often Tab is pressed until this button has the focus, but not more often than one step more than is allowed. */
async function tabsTo(page: Page, name: string): Promise<number> {
  const focused = page.locator(':focus')
  for (let tabs = 0; tabs <= NEXT_STEP_TABS; tabs++) {
    if ((await focused.count()) > 0 && (await focused.innerText()) === name) return tabs
    await page.keyboard.press('Tab')
  }
  return NEXT_STEP_TABS + 1
}

/** Resolves when the address is this one, and the screen that of the address, which changes first. */
async function arrived(page: Page, address: RegExp): Promise<void> {
  await page.waitForURL(address)
  const id = policyAt(page)
  if (id !== undefined) await page.getByRole('main').getByText(id, { exact: true }).first().waitFor()
  await settled(page)
}

/** Presses a key, and waits until another record is open. */
async function goOn(page: Page, key: string): Promise<string | undefined> {
  await settled(page) // a key does nothing before the records of the list are there
  const before = policyAt(page)
  await page.keyboard.press(key)
  await arrived(page, new RegExp(`policies/pol_(?!${before?.slice('pol_'.length)})`))
  return policyAt(page)
}

describe('the work lists of an insurer’s desk', () => {
  it('begin with what waits longest, from the number on Home to the record and on to the next', async () => {
    const [first, second, third] = await oldest(...NEW)
    assert(first && second && third)
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/')
    await page.getByRole('link', { name: /^Applications/ }).click()
    await arrived(page, /order=oldest/)
    await page.getByRole('columnheader', { name: 'Waiting since' }).waitFor()
    assert.equal(await page.getByRole('combobox', { name: 'Order' }).inputValue(), 'oldest')
    await assertReadable(page)
    const rows = page.getByRole('table', { name: 'Policies' }).getByRole('row')
    await rows.nth(1).getByRole('link').first().click()
    await arrived(page, new RegExp(first.id))
    assert.equal(await goOn(page, 'j'), second.id)
    assert.equal(await goOn(page, 'j'), third.id)
    assert.equal(await goOn(page, 'k'), second.id)
    await page.getByRole('button', { name: 'Previous', exact: true }).click()
    await arrived(page, new RegExp(first.id))
    await page.getByRole('button', { name: 'Previous', exact: true, disabled: true }).waitFor()
    await assertReadable(page)
    await page.setViewportSize({ width: 360, height: 780 })
    await page.reload()
    await settled(page)
    assert((await overflow(page)) <= 0)
    assert.deepEqual(complaints, [])
  })

  it('go on in their order when the step that was made takes the record out of the list', async () => {
    const [first, second] = await oldest('PENDING')
    assert(first && second)
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/policies?status=PENDING&order=oldest')
    await page.getByRole('table', { name: 'Policies' }).getByRole('row').nth(1).getByRole('link').first().click()
    await page.getByRole('button', { name: 'Start verification' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start verification' }).click()
    await page.getByText('The policy is now: In verification.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    assert((await tabsTo(page, 'Approve')) <= NEXT_STEP_TABS)
    assert.equal(await goOn(page, 'j'), second.id)
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await arrived(page, /policies\?status=PENDING&order=oldest/)
    assert.deepEqual(complaints, [])
  })

  it('show what was sent back to the partner’s support, with the mark, until it is taken up', async () => {
    const [policy] = await oldest('VERIFICATION')
    assert(policy)
    const { page } = await logIn('benefit_provider')
    await open(page, `/users/${policy.user_id}/policies/${policy.id}`)
    await page.getByRole('button', { name: 'Send back' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The birth of a child is missing')
    await dialog.getByRole('button', { name: 'Send back' }).click()
    await page.getByRole('heading', { level: 1 }).getByText('Sent back').waitFor()

    const support = await logIn('platform')
    await open(support.page, '/')
    await support.page.getByRole('link', { name: /^Sent back\s*1/ }).click()
    await settled(support.page)
    await support.page.getByRole('cell', { name: 'Sent back' }).waitFor()
    await assertReadable(support.page)
    const list = support.page.url()
    await support.page.getByRole('table', { name: 'Policies' }).getByRole('link').first().click()
    const note = support.page.getByRole('alert').filter({ hasText: 'Sent back to the partner' })
    await note.getByText('The birth of a child is missing').waitFor()
    assert.equal(await support.page.getByText('Nothing to do here for you now').count(), 0)
    await assertReadable(support.page, { part: '[role=alert]' })
    await note.getByRole('link', { name: 'a dependant' }).click()
    await support.page.getByRole('button', { name: 'Show dependants' }).waitFor()
    await page.getByText('The mark goes when the partner corrects somebody on it.').waitFor()
    await open(support.page, list.replace(`${origin}/dashboard`, ''))
    await owner.user(policy.user_id).policies.setStatus(policy.id, { status: 'VERIFICATION' })
    await support.page.reload()
    await support.page.getByText('No policies here').waitFor()
    assert.deepEqual(support.complaints, [])
  })
})

describe('who works on a policy', () => {
  it('is one’s own by a click, is a list, and can be taken over and released', async () => {
    const [policy] = await oldest('PENDING')
    assert(policy)
    const place = `/users/${policy.user_id}/policies/${policy.id}`
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, place)
    await page.getByText('Assigned to nobody').waitFor()
    await page.getByRole('button', { name: 'Assign to me' }).click()
    await page.getByText('Assigned to You').waitFor()
    await assertReadable(page)
    await open(page, '/policies?status=PENDING&order=oldest')
    await page.getByRole('combobox', { name: 'Whose work' }).selectOption('Mine')
    await arrived(page, /assignee=me/)
    const rows = page.getByRole('table', { name: 'Policies' }).getByRole('row')
    await rows.nth(2).waitFor({ state: 'detached' }) // the head and the one stay
    await rows.nth(1).getByText('You').waitFor()
    await assertReadable(page)
    await page.getByRole('combobox', { name: 'Whose work' }).selectOption('Nobody’s')
    await arrived(page, /assignee=none/)
    await page.locator(`a[href*="${policy.id}"]`).first().waitFor({ state: 'detached' })

    const operator = await logIn('operator')
    await open(operator.page, place)
    await operator.page.getByRole('button', { name: 'Take over' }).click()
    await operator.page.getByText('Assigned to You').waitFor()
    await open(page, place)
    await page.getByText('Assigned to An administrator').waitFor()
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByText('Assigned to nobody').waitFor()
    assert.deepEqual([...complaints, ...operator.complaints], [])
  })
})

describe('work for a colleague', () => {
  it('is given on the policy’s page, and is a list', async () => {
    const [policy] = await oldest('PENDING')
    assert(policy)
    const colleague = await logIn('owner')
    const { page, complaints } = await logIn('operator')
    await open(page, `/users/${policy.user_id}/policies/${policy.id}`)
    await page.getByRole('button', { name: 'Assign…' }).click()
    const dialog = page.getByRole('dialog')
    const to = dialog.getByRole('combobox', { name: 'To' })
    await to.getByRole('option', { name: 'Asha Example' }).waitFor({ state: 'attached' })
    const names = await to.getByRole('option').allInnerTexts()
    assert.equal(names[1], 'You, Ravi Example')
    await dialog.getByRole('button', { name: 'Assign' }).click()
    await dialog.getByText('Must not be empty.').waitFor()
    await to.selectOption('Asha Example')
    await assertReadable(page, { part: '[role=dialog]' })
    await dialog.getByRole('button', { name: 'Assign' }).click()
    await page.getByText('Assigned to Asha Example').waitFor()
    await open(colleague.page, '/policies?assignee=me')
    await colleague.page.locator(`a[href*="${policy.id}"]`).first().waitFor()
    await open(page, '/policies')
    await page.getByRole('combobox', { name: 'Whose work' }).selectOption('Asha Example')
    await page.waitForURL(/assignee=adm_/)
    await page.locator(`a[href*="${policy.id}"]`).first().waitFor()
    await page.getByRole('cell', { name: 'Asha Example' }).first().waitFor()
    await assertReadable(page)
    assert.deepEqual([...complaints, ...colleague.complaints], [])
  })

  it('is given for all that are selected, but not what somebody has taken up since', async () => {
    const colleague = await logIn('viewer')
    const { administrator_id } = (await colleague.page.evaluate(
      `fetch('${origin}/v1/auth/session').then((response) => response.json())`,
    )) as { administrator_id: string }
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/policies?status=PENDING&order=oldest&assignee=none')
    const rows = page.getByRole('table', { name: 'Policies' }).getByRole('row')
    const chosen = []
    for (const index of [1, 2]) {
      const row = rows.nth(index)
      chosen.push(/pol_\w+/.exec((await row.getByRole('link').first().getAttribute('href')) ?? '')?.[0])
      await row.getByRole('checkbox').check()
    }
    const [mine, theirs] = chosen
    const found = (await oldest('PENDING')).find(({ id }) => id === theirs)
    assert(mine !== undefined && found)
    await owner.user(found.user_id).policies.assign(found.id, { administrator_id: administratorId(administrator_id) })
    await page.getByRole('button', { name: 'Assign…' }).click()
    const dialog = page.getByRole('dialog')
    const to = dialog.getByRole('combobox', { name: 'To' })
    await to.getByRole('option', { name: 'You, Kiran Example' }).waitFor({ state: 'attached' })
    assert.deepEqual(await to.getByRole('option').allInnerTexts(), ['Choose somebody', 'You, Kiran Example', 'Nobody'])
    await to.selectOption('You, Kiran Example')
    await dialog.getByRole('button', { name: 'Assign: 2' }).click()
    await dialog.getByText('Assign: 2 of 2, 1 done, 1 failed').waitFor()
    await dialog.getByText('Somebody else works on it', { exact: false }).waitFor()
    await assertReadable(page, { part: '[role=dialog]' })
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await open(page, '/policies?assignee=me')
    await page.locator(`a[href*="${mine}"]`).first().waitFor()
    assert.equal(await page.locator(`a[href*="${found.id}"]`).count(), 0)

    await rows.nth(1).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Assign…' }).click()
    await to.selectOption('Nobody')
    await dialog.getByRole('button', { name: 'Assign: 1' }).click()
    await dialog.getByText('Assign: 1 of 1, 1 done').waitFor()
    const unexpected = complaints.filter((one) => !one.includes('status of 409')) // what the colleague has
    assert.deepEqual([...unexpected, ...colleague.complaints], [])
  })
})

describe('the people on a policy', () => {
  it('have the nominee, and their births and days for those who give a reason', async () => {
    const [policy] = await oldest(...NEW)
    assert(policy)
    const place = `/users/${policy.user_id}/policies/${policy.id}`
    const { page, complaints } = await logIn('viewer')
    await open(page, place)
    await page.getByText('Nominee', { exact: true }).waitFor()
    assert.equal(await page.getByLabel('Why you need it').inputValue(), 'Checking an application')
    await page.getByRole('button', { name: 'Show members' }).click()
    const members = page.getByRole('table', { name: 'Members' })
    await members.getByRole('cell', { name: /^\d+$/ }).first().waitFor()
    await settled(page)
    await assertReadable(page)
    const desk = await logIn('benefit_provider')
    await open(desk.page, place)
    await desk.page.getByText('Nominee', { exact: true }).waitFor()
    assert.equal(await desk.page.getByRole('table', { name: 'Members' }).count(), 0, 'not before a reason is given')
    assert.deepEqual([...complaints, ...desk.complaints], [])
  })
})

describe('the work list of consultations', () => {
  it('has since when each waits, the oldest first, and leads from one to the next', async () => {
    const { data } = await owner.consultations.list({ order: 'oldest', unanswered_by: 'provider' })
    const [first, second] = data
    assert(first && second)
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/consultations?order=oldest')
    await page.getByRole('columnheader', { name: 'Waiting since' }).waitFor()
    await assertReadable(page)
    await page
      .getByRole('table', { name: 'Consultations' })
      .getByRole('link', { name: `With ${first.user_id}` })
      .click()
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await page.waitForURL((url) => url.href.includes(second.id))
    assert.deepEqual(complaints, [])
  })
})

describe('“My day”', () => {
  it('has what a person did today and what came back of it', async () => {
    const [policy] = await oldest('PENDING')
    assert(policy)
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, `/users/${policy.user_id}/policies/${policy.id}`)
    await page.getByRole('button', { name: 'Start verification' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start verification' }).click()
    await page.getByText('The policy is now: In verification.').waitFor()
    await open(page, '/my-day')
    const done = page.getByRole('table', { name: 'Done today' })
    // The log has an entry once every write that began before it has ended.
    await eventually(
      async () => {
        await page.reload()
        await settled(page)
        return done.getByRole('cell', { name: 'Policy moved on' }).count()
      },
      (count) => count > 0,
    )
    await done.getByRole('link', { name: policy.id }).first().waitFor()
    const cameBack = page.getByRole('table', { name: 'Came back' }).locator(`a[href*="${policy.id}"]`)
    assert.equal(await cameBack.count(), 0)
    await assertReadable(page)

    const { since } = await owner.user(policy.user_id).policies.readStatus(policy.id)
    await within(DEADLINE_MS, async () => Date.now() - since.getTime() > SAME_MOMENT_MS)
    await owner.user(policy.user_id).policies.setStatus(policy.id, { status: 'PENDING', reason: 'A birth is missing' })
    await page.reload()
    await cameBack.first().waitFor()
    await assertReadable(page)
    assert.deepEqual(complaints, [])
  })
})
