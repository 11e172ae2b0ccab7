import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dependantId, type ListedInsurancePolicy, type PlainDate, plainDate } from '../../client/src/index.ts'
import type { Page } from 'playwright-core'
import { assertReadable, overflow, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, logIn } = await startDashboard(60)
const { owner } = await createPeople(workspace)

const PHONE = { width: 360, height: 780 }
const DAY_MS = 86_400_000
/** A day in India, so many days from today. */
const dayIn = (days: number): PlainDate =>
  plainDate(new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format(new Date(Date.now() + days * DAY_MS)))
const textOf = (day: string) =>
  new Intl.DateTimeFormat('en-IN', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  )

/** Issued policies with a dependant; each is given to one test. */
const families: ListedInsurancePolicy[] = []
for (const policy of (await owner.policies.list({ status: ['ISSUED'], limit: 100 })).data) {
  const { dependants } = await owner.user(policy.user_id).policies.read(policy.id)
  if (dependants.length > 0) families.push(policy)
}
const family = () => families.pop() ?? assert.fail('no family is left')

/** Registers a child, who is on no policy. */
async function registerChild({ user_id }: ListedInsurancePolicy, name: string): Promise<void> {
  const child = { first_name: name, last_name: 'Example', date_of_birth: plainDate('2020-06-01') }
  await owner.user(user_id).dependants.create({ dependants: [child] })
}

const membersOf = async ({ user_id, id }: ListedInsurancePolicy) =>
  (await owner.user(user_id).policies.listMembers(id)).data
const endorsementsOf = async ({ id }: ListedInsurancePolicy) =>
  (await owner.endorsements.list({ limit: 100 })).data.filter((one) => one.insurance_policy_id === id)

/** Opens the page of a policy, and its members with a reason. */
async function showMembers(page: Page, { user_id, id }: ListedInsurancePolicy): Promise<void> {
  await page.goto(`${origin}/dashboard/users/${user_id}/policies/${id}`)
  await settled(page)
  await page.getByRole('button', { name: 'Show members' }).click()
  await rows(page).first().waitFor()
  await settled(page)
}
const rows = (page: Page) => page.getByRole('table', { name: 'Members' }).getByRole('row')
const rowOf = (page: Page, name: string) => rows(page).filter({ hasText: name })
const waitingOf = (page: Page) => page.getByRole('table', { name: 'Endorsements that wait' })

describe('somebody joins a policy', () => {
  it('is asked for by a partner’s desk, and on it once the insurer’s desk accepts, on another day', async () => {
    const policy = family()
    await registerChild(policy, 'Mira')
    const support = await logIn('platform')
    await showMembers(support.page, policy)
    assert.equal(await rowOf(support.page, 'Mira').count(), 0)
    await support.page.getByRole('button', { name: 'Let somebody join' }).click()
    const dialog = support.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Let join' }).click()
    await dialog.getByText('Must not be empty.').waitFor()
    const choices = await dialog.getByRole('combobox', { name: 'Who' }).getByRole('option').allInnerTexts()
    assert.equal(choices.length, 2, 'who is on the policy is not offered')
    await dialog.getByRole('combobox', { name: 'Who' }).selectOption('Mira Example, born 1 Jun 2020')
    await dialog.getByRole('combobox', { name: 'Relation' }).selectOption('Child')
    await dialog.getByRole('combobox', { name: 'Why' }).selectOption('Missed before')
    await dialog.getByRole('textbox', { name: 'First covered day' }).fill('2019-01-01')
    await assertReadable(support.page)
    await dialog.getByRole('button', { name: 'Let join' }).click()
    await dialog.getByText(/or later/).waitFor()
    assert.deepEqual(await endorsementsOf(policy), [], 'nothing was asked so far')
    await dialog.getByRole('textbox', { name: 'First covered day' }).fill(dayIn(2))
    await dialog.getByRole('button', { name: 'Let join' }).click()
    await rowOf(support.page, 'Mira')
      .getByText(`Asked from ${textOf(dayIn(2))}, waits for the insurer`)
      .waitFor()
    await rowOf(support.page, 'Mira').getByText('Child').waitFor()
    await waitingOf(support.page)
      .getByText(`Joins on ${textOf(dayIn(2))}: Mira Example`)
      .waitFor()
    assert.equal(await support.page.getByRole('button', { name: 'Accept' }).count(), 0)
    await assertReadable(support.page)

    const desk = await logIn('benefit_provider')
    await showMembers(desk.page, policy)
    await rowOf(desk.page, 'Mira').waitFor()
    assert.equal(await desk.page.getByRole('region', { name: 'Members' }).getByRole('button').count(), 0)
    assert.equal(await waitingOf(desk.page).getByRole('button', { name: 'Take back' }).count(), 0)
    await waitingOf(desk.page).getByRole('button', { name: 'Accept' }).click()
    const decision = desk.page.getByRole('dialog')
    await decision.getByText('Missed before').waitFor()
    await decision.getByRole('textbox', { name: 'First covered day' }).fill('soon')
    await decision.getByRole('button', { name: 'Accept' }).click()
    await decision.getByText('Write a day that exists').waitFor()
    await decision.getByRole('textbox', { name: 'First covered day' }).fill(dayIn(5))
    await assertReadable(desk.page)
    await decision.getByRole('button', { name: 'Accept' }).click()
    await rowOf(desk.page, 'Mira')
      .getByText(textOf(dayIn(5)), { exact: true })
      .waitFor()
    const mira = (await membersOf(policy)).find(({ first_name: name }) => name === 'Mira')
    assert.deepEqual([mira?.from, mira?.to, mira?.asked_from, mira?.relation], [dayIn(5), null, null, 'CHILD'])
    assert.deepEqual(desk.complaints, [])
    assert.match(support.complaints.join('\n'), /^[^\n]*status of 422[^\n]*$/, 'about the day that the service refused')
  })

  it('is moved and taken back while it waits, and not overwritten when a colleague was faster', async () => {
    const policy = family()
    await registerChild(policy, 'Tara')
    const { dependants } = owner.user(policy.user_id)
    const tara = (await dependants.list().all(100)).find(({ first_name: name }) => name === 'Tara') ?? assert.fail()
    const { policies } = owner.user(policy.user_id)
    await policies.setMember(policy.id, tara.id, { from: dayIn(1) })
    const { page } = await logIn('operator')
    await showMembers(page, policy)
    await rowOf(page, 'Tara').getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'First covered day' }).fill(dayIn(3))
    await policies.setMember(policy.id, tara.id, { from: dayIn(7) })
    await dialog.getByRole('button', { name: 'Change the first day' }).click()
    await dialog.getByText(`Tara Example: asked from ${textOf(dayIn(7))}`).waitFor()
    assert.equal((await membersOf(policy)).find(({ id }) => (id as string) === tara.id)?.asked_from, dayIn(7))
    await dialog.getByRole('button', { name: 'Change the first day' }).click()
    await rowOf(page, 'Tara')
      .getByText(`Asked from ${textOf(dayIn(3))}`)
      .waitFor()
    await rowOf(page, 'Tara').getByRole('button', { name: 'Take back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take back the first day' }).click()
    await page.getByText('The day was taken back.').waitFor()
    assert.equal(await rowOf(page, 'Tara').count(), 0)
    assert.deepEqual(
      (await endorsementsOf(policy)).map(({ kind, state }) => `${kind} ${state}`),
      ['JOIN WITHDRAWN', 'JOIN WITHDRAWN', 'JOIN WITHDRAWN'],
    )
  })
})

describe('who is asked for, before the first certificate', () => {
  it('is changed without days', async () => {
    const { data } = await owner.policies.list({ status: ['PENDING'], limit: 100 })
    const [policy = assert.fail()] = data
    await registerChild(policy, 'Mira')
    const { page, complaints } = await logIn('operator')
    await showMembers(page, policy)
    await page.getByText('Nobody is covered yet').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Let leave/ }).count(), 0)
    await page.getByRole('button', { name: 'Let somebody join' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Who' }).selectOption('Mira Example, born 1 Jun 2020')
    assert.equal(await dialog.getByRole('textbox').count(), 0, 'neither a day nor a reason')
    await dialog.getByRole('button', { name: 'Let join' }).click()
    await page.getByText('Mira Example is asked for.').waitFor()
    assert.equal((await membersOf(policy)).at(-1)?.first_name, 'Mira')
    await rowOf(page, 'Mira').getByRole('button', { name: 'Take off' }).click()
    await dialog.getByRole('button', { name: 'Take off' }).click()
    await page.getByText('Mira Example is not asked for any more.').waitFor()
    assert.equal(await rowOf(page, 'Mira').count(), 0)
    assert(!(await membersOf(policy)).some(({ first_name: name }) => name === 'Mira'))
    assert.deepEqual(await endorsementsOf(policy), [])
    assert.deepEqual(complaints, [])
  })
})

describe('the work list of endorsements', () => {
  it('leads from one to the next on the page of its policy, where it is marked; a partner’s desk accepts none', async () => {
    for (const policy of [family(), family()]) {
      const [, { id } = assert.fail()] = await membersOf(policy)
      const user = owner.user(policy.user_id)
      await user.policies.setMember(policy.id, dependantId(id), { to: dayIn(9) })
    }
    const { page, complaints } = await logIn('platform')
    await page.goto(`${origin}/dashboard/endorsements?list=all`)
    await settled(page)
    assert.equal(await page.getByRole('checkbox').count(), 0)
    assert.equal(await page.getByRole('button', { name: /Accept|Refuse/ }).count(), 0)
    const links = page.getByRole('table', { name: 'Endorsements' }).getByRole('link', { name: /^Leaves on/ })
    const ids = await links.evaluateAll((found) =>
      found.map((link) => /endorsement=(\w+)/.exec((link as unknown as { href: string }).href)?.[1]),
    )
    const [first, second] = ids
    assert(first && second)
    await links.first().click()
    await page.waitForURL(new RegExp(`endorsement=${first}`))
    await settled(page)
    const marked = waitingOf(page).locator('tr[aria-current]')
    await marked.getByText(`Leaves on ${textOf(dayIn(9))}`).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Previous', exact: true, disabled: true }).count(), 1)
    await page.keyboard.press('j')
    await page.waitForURL(new RegExp(`endorsement=${second}`))
    await settled(page)
    await marked.getByText(`Leaves on ${textOf(dayIn(9))}`).waitFor()
    await page.keyboard.press('k')
    await page.waitForURL(new RegExp(`endorsement=${first}`))
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await page.waitForURL(/endorsements\?list=all&row=/)
    assert.deepEqual(complaints, [])
  })
})

describe('somebody leaves a policy', () => {
  it('leaves at once, stays when that is taken back, and is shown in grey once the insurer said what is paid back', async () => {
    const policy = family()
    const [, leaver = assert.fail()] = await membersOf(policy)
    const name = `${leaver.first_name} ${leaver.last_name}`
    const support = await logIn('platform')
    await showMembers(support.page, policy)
    const letLeave = async () => {
      await rowOf(support.page, name).getByRole('button', { name: 'Let leave' }).click()
      await support.page.getByRole('dialog').getByRole('combobox', { name: 'Why' }).selectOption('Age limit')
      await support.page.getByRole('dialog').getByRole('button', { name: 'Let leave' }).click()
      await rowOf(support.page, name).getByText('Leaves today, waits for the insurer').waitFor()
    }
    await letLeave()
    await rowOf(support.page, name).getByRole('button', { name: 'Take back' }).click()
    await support.page.getByRole('dialog').getByRole('button', { name: 'Take back the last day' }).click()
    await rowOf(support.page, name).getByRole('button', { name: 'Let leave' }).waitFor()
    assert.equal((await membersOf(policy))[1]?.to, null)
    await letLeave()

    const desk = await logIn('benefit_provider')
    await showMembers(desk.page, policy)
    assert.equal(await waitingOf(desk.page).getByRole('button', { name: 'Refuse' }).count(), 0, 'nobody is kept')
    await waitingOf(desk.page)
      .getByText(`Leaves on ${textOf(dayIn(0))}: ${name}`)
      .waitFor()
    await waitingOf(desk.page).getByRole('button', { name: 'Accept' }).click()
    const decision = desk.page.getByRole('dialog')
    await decision.getByText('Days not covered').waitFor()
    await decision.getByText('Estimate of the refund').waitFor()
    await decision.getByRole('textbox', { name: 'You pay back, in ₹' }).fill('1,250.50')
    await assertReadable(desk.page)
    await decision.getByRole('button', { name: 'Accept' }).click()
    await desk.page.getByText('The endorsement is now: Accepted.').waitFor()
    const paid = (await endorsementsOf(policy)).find(({ state }) => state === 'ACCEPTED')
    assert.deepEqual([paid?.kind, paid?.amount?.paise], ['LEAVE', 125_050])

    await support.page.clock.setFixedTime(Date.now() + DAY_MS)
    await showMembers(support.page, policy)
    await rowOf(support.page, name).getByText('No longer covered').waitFor()
    assert.equal(await rowOf(support.page, name).getByRole('button', { name: 'Take back' }).count(), 0)
    await assertReadable(support.page)
    await support.page.setViewportSize(PHONE)
    await showMembers(support.page, policy)
    assert((await overflow(support.page)) <= 0)
    await rowOf(support.page, name).getByText('No longer covered').waitFor()
    assert.deepEqual([...support.complaints, ...desk.complaints], [])
  })

  it('is only read by a viewer', async () => {
    const policy = family()
    const { page, complaints } = await logIn('viewer')
    await showMembers(page, policy)
    assert((await rows(page).count()) > 2, 'the heads, the member and a dependant')
    assert.equal(await page.getByRole('region', { name: 'Members' }).getByRole('button').count(), 0)
    assert.deepEqual(complaints, [])
  })
})
