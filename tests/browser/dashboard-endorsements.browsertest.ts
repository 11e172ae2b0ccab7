import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ListedInsurancePolicy, Money } from '../../client/src/index.ts'
import type { Page } from 'playwright-core'
import { assertReadable, overflow, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, logIn } = await startDashboard(60)
const { owner } = await createPeople(workspace)

const PHONE = { width: 360, height: 780 }
const WIDE = { width: 1280, height: 900 }
const DAY_MS = 86_400_000

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))
const pageOf = ({ user_id, id }: ListedInsurancePolicy) => `/users/${user_id}/policies/${id}`
const listOf = (page: Page) => page.getByRole('table', { name: 'Endorsements', exact: true })
const rowOf = (page: Page, policy: ListedInsurancePolicy) =>
  listOf(page)
    .getByRole('row')
    .filter({ has: page.locator(`a[href*="${policy.id}"]`) })
const endorsementsOf = async ({ id }: ListedInsurancePolicy) =>
  (await owner.endorsements.list({ limit: 100 })).data.filter((one) => one.insurance_policy_id === id)
const issuesOf = async ({ user_id, id }: ListedInsurancePolicy) =>
  (await owner.user(user_id).policies.listTerms(id)).data.map(({ issues }) => issues.map(({ issue }) => issue))

/** Issued policies with dependants; each is given to one test. */
const families: ListedInsurancePolicy[] = []
for (const policy of (await owner.policies.list({ status: ['ISSUED'], limit: 100 })).data) {
  const { dependants } = await owner.user(policy.user_id).policies.read(policy.id)
  if (dependants.length > 0) families.push(policy)
}
const family = () => families.pop() ?? assert.fail('no family is left')

/** Corrects the first dependant on a policy. */
async function correct({ user_id, id }: ListedInsurancePolicy, name: string): Promise<void> {
  const user = owner.user(user_id)
  const [dependant = assert.fail()] = (await user.policies.read(id)).dependants
  await user.dependants.update(dependant.id, { first_name: name })
}

describe('the work list of endorsements', () => {
  it('has those that wait, the earliest due day first, marks what is overdue, and fits a phone', async () => {
    const policy = family()
    await correct(policy, 'Kabir')
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/')
    await page.getByRole('link', { name: /^Endorsements\s*\d/ }).click()
    await settled(page)
    await rowOf(page, policy).getByText('Correction of a dependant').waitFor()
    assert.equal(await page.getByText('Overdue', { exact: true }).count(), 1, 'the name of the list')
    await assertReadable(page)
    await page.clock.setFixedTime(Date.now() + 9 * DAY_MS)
    await open(page, '/endorsements?list=overdue')
    await rowOf(page, policy).getByText('Overdue').waitFor()
    await assertReadable(page)
    await page.setViewportSize(PHONE)
    await page.reload()
    await settled(page)
    assert((await overflow(page)) <= 0)
    await rowOf(page, policy).getByRole('button', { name: 'Refuse' }).waitFor()

    const viewer = await logIn('viewer')
    await open(viewer.page, '/endorsements')
    await rowOf(viewer.page, policy).getByRole('button', { name: 'Details' }).waitFor()
    assert.equal(await viewer.page.getByRole('button', { name: /Accept|Refuse/ }).count(), 0)
    assert.equal(await viewer.page.getByRole('checkbox').count(), 0)
    assert.deepEqual([...complaints, ...viewer.complaints], [])
  })

  it('accepts several at once, and leaves as it is what a colleague has decided since', async () => {
    const [first, second, refused] = [family(), family(), family()]
    for (const policy of [first, second, refused]) await correct(policy, 'Diya')
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/endorsements')
    for (const policy of [first, second, refused]) await rowOf(page, policy).getByRole('checkbox').check()
    const [theirs = assert.fail()] = await endorsementsOf(refused)
    await owner.endorsements.setState(theirs.id, { state: 'REFUSED', reason: 'It is another person' })

    await page.getByRole('button', { name: 'Accept', exact: true }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Accept: 3' }).click()
    await dialog.getByText('Accept: 3 of 3, 2 done, 1 failed').waitFor()
    const report = dialog.getByRole('table', { name: 'Report' }).getByRole('row')
    assert.match(await report.first().innerText(), new RegExp(`${theirs.id}\\s+It has changed since`))
    await assertReadable(page)
    await dialog.getByRole('button', { name: 'Select the failed: 1' }).click()
    await dialog.waitFor({ state: 'detached' })

    for (const policy of [first, second]) {
      assert.deepEqual(await issuesOf(policy), [[1, 2]])
      assert.deepEqual(
        (await endorsementsOf(policy)).map(({ state, issue }) => [state, issue]),
        [['ACCEPTED', 2]],
      )
      assert.equal(await rowOf(page, policy).count(), 0)
    }
    assert.deepEqual(await issuesOf(refused), [[1]], 'what was refused is not issued')
    assert.equal((await endorsementsOf(refused))[0]?.state, 'REFUSED')
    assert.deepEqual(complaints, [])
  })

  it('refuses one with a reason, which it asks for, and everybody reads', async () => {
    const policy = family()
    await correct(policy, 'Meera')
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/endorsements')
    await rowOf(page, policy).getByRole('button', { name: 'Refuse' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Refuse' }).click()
    await dialog.getByText('Must not be empty.').waitFor()
    assert.equal((await endorsementsOf(policy))[0]?.state, 'REQUESTED')
    await assertReadable(page)
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The certificate of birth is missing')
    await dialog.getByRole('textbox', { name: 'Your reference' }).fill('END-0042')
    await dialog.getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('The endorsement is now: Refused.').waitFor()
    assert.deepEqual(await issuesOf(policy), [[1]])

    const support = await logIn('platform')
    await open(support.page, '/endorsements?list=refused')
    await rowOf(support.page, policy).getByRole('button', { name: 'Details' }).click()
    await support.page.getByRole('dialog').getByText('The certificate of birth is missing').waitFor()
    await support.page.getByRole('dialog').getByText('END-0042').waitFor()
    await assertReadable(support.page)
    assert.deepEqual([...complaints, ...support.complaints], [])
  })
})

describe('the page of a policy', () => {
  it('sets the nominee, decides what waits with an amount in rupees, and has the certificate of each issue', async () => {
    const policy = family()
    const user = owner.user(policy.user_id)
    const [heir = assert.fail()] = (await user.policies.read(policy.id)).dependants
    await user.policies.setNominee(policy.id, { nominee_details: null })
    for (const one of await endorsementsOf(policy)) await owner.endorsements.setState(one.id, { state: 'ACCEPTED' })
    const before = (await issuesOf(policy)).flat()

    const support = await logIn('platform')
    await open(support.page, pageOf(policy))
    await support.page.getByRole('button', { name: 'Change the nominee' }).click()
    const choice = support.page.getByRole('dialog')
    await choice.getByRole('button', { name: 'Show all dependants' }).click()
    await choice.getByRole('button', { name: 'Show all dependants' }).waitFor({ state: 'detached' })
    await choice.getByRole('combobox', { name: 'Nominee' }).selectOption(heir.id)
    await assertReadable(support.page)
    await choice.getByRole('button', { name: 'Change the nominee' }).click()
    await support.page.getByText('The nominee is now:').waitFor()
    await support.page.getByRole('table', { name: 'Endorsements that wait' }).getByText('Another nominee').waitFor()
    assert.equal((await user.policies.read(policy.id)).nominee_details?.dependant_id, heir.id)

    const { page, complaints } = await logIn('benefit_provider')
    await open(page, pageOf(policy))
    assert.equal(await page.getByRole('button', { name: 'Change the nominee' }).count(), 0, 'not the insurer’s to say')
    await page.getByRole('table', { name: 'Endorsements that wait' }).getByRole('button', { name: 'Accept' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'You charge, in ₹' }).fill('12,50')
    await dialog.getByRole('button', { name: 'Accept' }).click()
    await dialog.getByText('Write an amount in rupees').waitFor()
    await dialog.getByRole('textbox', { name: 'You charge, in ₹' }).fill('1,250.50')
    await dialog.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('The endorsement is now: Accepted.').waitFor()
    const decided = (await endorsementsOf(policy)).find(({ amount }) => amount !== null)
    assert.deepEqual([decided?.state, decided?.amount?.paise], ['ACCEPTED', Money.rupees('1250.50').paise])

    const last = (before.at(-1) ?? 0) + 1
    const terms = page.getByRole('table', { name: 'Terms' })
    await terms.getByRole('link', { name: `Issue ${last}`, exact: true }).waitFor()
    assert.equal(await terms.locator('tbody tr').count(), 1, 'no term has begun by it')
    await terms.getByText('Runs').waitFor()
    const [certificate] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('policy_certificate?issue=1')),
      terms.getByRole('link', { name: 'Issue 1', exact: true }).click(),
    ])
    assert.equal(certificate.status(), 200)
    await page.getByText('Of issue 1', { exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Replace…' }).count(), 0, 'a former issue is only looked at')
    await assertReadable(page)
    await page.setViewportSize(PHONE)
    await page.reload()
    await settled(page)
    assert((await overflow(page)) <= 0)
    await page.setViewportSize(WIDE)
    await page.getByRole('button', { name: 'Show those of today' }).click()
    await page.getByRole('button', { name: 'Replace…' }).waitFor()
    assert.deepEqual([...complaints, ...support.complaints], [])
  })
})
