import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { Money, plainDate } from '../../client/src/index.ts'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { eventually } from '../support/server.ts'
import { assertReadable, overflow, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const NOTICE_HOURS = '48'

const { workspace, origin, userIds, logIn } = await startDashboard(60, { ERASURE_NOTICE_HOURS: NOTICE_HOURS })
const { owner, platform, sandbox, newPerson } = await createPeople(workspace)

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))

/** A policy in force, and the bytes of the certificate of another one. */
async function issuedPolicy() {
  const { data } = await owner.policies.list({ status: ['ISSUED'], limit: 2 })
  const [policy, other] = data
  assert(policy && other)
  const { bytes } = await owner.user(other.user_id).policies.downloadDocument(other.id, 'policy_certificate')
  return { policy, file: { name: 'own.pdf', mimeType: 'application/pdf', buffer: Buffer.from(await bytes()) } }
}

describe('the desk of an insurer', () => {
  it('issues three applications at once, and sees the certificate of one', async () => {
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/policies?status=APPROVED')
    const rows = page.getByRole('checkbox', { name: /^Select policy/ })
    for (const index of [0, 1, 2]) await rows.nth(index).check()
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Issue: 3' }).click()
    await page.getByText('Issue: 3 of 3, 3 done').waitFor()
    await assertReadable(page)
    await page.getByRole('button', { name: 'Close this dialog' }).click()
    await open(page, '/policies?status=ISSUED')
    await page.getByRole('table', { name: 'Policies' }).getByRole('link').first().click()
    await page.locator('iframe[title=Certificate]').waitFor()
    assert.deepEqual(complaints, [])
  })

  it('is shown who was corrected since before it can issue, and many at once leave such a policy as it is', async () => {
    const [policy] = (await owner.policies.list({ status: ['APPROVED'], limit: 1 })).data
    assert(policy)
    const user = owner.user(policy.user_id)
    const { first_name, last_name } = await user.update({ dob: plainDate('1941-01-20') })
    const isStill = async () => assert.equal((await user.policies.readStatus(policy.id)).status, 'APPROVED')

    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/policies?status=APPROVED')
    await page.getByRole('checkbox', { name: `Select policy ${policy.id}` }).check()
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Issue: 1' }).click()
    await page.getByText('A person on it was corrected since its status was last set.').waitFor()
    await isStill()

    await open(page, `/users/${policy.user_id}/policies/${policy.id}`)
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Issue', exact: true }).click()
    const notice = dialog.getByRole('alert')
    await notice.getByText(`${first_name} ${last_name} (member): date of birth`).waitFor()
    await isStill()
    await assertReadable(page)
    await dialog.getByRole('button', { name: 'Issue with these details' }).click()
    await page.getByText('The policy is now: Issued.').waitFor()
    // The browser reports each 409 that it gets; nothing else went wrong.
    assert.deepEqual(
      complaints.filter((complaint) => !complaint.includes('409')),
      [],
    )
  })

  it('sees who provides and pays by name, and no screen that its role does not have', async () => {
    const { page } = await logIn('benefit_provider')
    await open(page, '/consultations?list=all')
    await page.getByRole('cell', { name: 'Demo General Insurance' }).first().waitFor()
    assert.equal(await page.getByRole('link', { name: 'Demo General Insurance' }).count(), 0)
    const [policy] = (await owner.policies.list({ limit: 1 })).data
    assert(policy)
    const { name } = await owner.benefits.read(policy.benefit_id)
    await open(page, '/policies')
    await page.getByRole('cell', { name, exact: false }).first().waitFor()
    assert.equal(await page.getByText(policy.benefit_id).count(), 0)
  })
})

describe('a document that two people replace', () => {
  it('is overwritten only by choice, with the other file in view', async () => {
    const { policy, file } = await issuedPolicy()
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, `/users/${policy.user_id}/policies/${policy.id}`)
    await page.locator('input[type=file]').setInputFiles(file)
    const dialog = page.getByRole('dialog')
    await dialog.getByTitle('The chosen file').waitFor()
    const theirs = await owner.user(policy.user_id).policies.downloadDocument(policy.id, 'customer_information_sheet')
    const stored = await owner
      .user(policy.user_id)
      .policies.uploadDocument(policy.id, 'policy_certificate', await theirs.bytes())
    await dialog.getByRole('button', { name: 'Replace' }).click()
    await dialog.getByText('Somebody else has changed this since').waitFor()
    await dialog.getByTitle('The document that is shown now').waitFor()
    await assertReadable(page, { part: '[role=dialog]' }) // what is behind it is dimmed
    const read = () => owner.user(policy.user_id).policies.downloadDocument(policy.id, 'policy_certificate')
    assert.equal((await read()).etag, `"${stored.sha256}"`)
    await dialog.getByRole('button', { name: 'Replace all the same' }).click()
    await page.getByText('Certificate uploaded.').waitFor()
    assert.notEqual((await read()).etag, `"${stored.sha256}"`)

    await page.getByRole('button', { name: 'Use generated' }).click()
    await dialog.getByRole('button', { name: 'Use generated' }).click()
    await page.getByText('removed: the generated one is shown').waitFor()
    assert.deepEqual(
      complaints.filter((text) => !text.includes('412')),
      [],
    )
  })
})

describe('a document for the next issue', () => {
  it('is replaced twice without a question, because nobody else has replaced it', async () => {
    const { data } = await owner.policies.list({ status: ['REQUIRES_POLICY_REISSUANCE'], limit: 1 })
    const [policy] = data
    assert(policy)
    const { file } = await issuedPolicy()
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, `/users/${policy.user_id}/policies/${policy.id}`)
    const dialog = page.getByRole('dialog')
    const replace = async () => {
      await page.locator('input[type=file]').setInputFiles(file)
      await dialog.getByRole('button', { name: 'Replace' }).click()
    }
    for (const _ of [1, 2]) {
      await replace()
      await dialog.waitFor({ state: 'detached' })
    }
    await page.getByText('Certificate uploaded.').first().waitFor()
    assert.deepEqual(complaints, [])

    const theirs = await owner.user(policy.user_id).policies.downloadDocument(policy.id, 'customer_information_sheet')
    const bytes = await theirs.bytes()
    await owner.user(policy.user_id).policies.uploadDocument(policy.id, 'policy_certificate', bytes)
    await replace()
    await dialog.getByText('Somebody else has changed this since').waitFor()
    const [kept] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'PUT'),
      dialog.getByRole('button', { name: 'Replace all the same' }).click(),
    ])
    assert.equal(kept.status(), 200)
  })
})

describe('a benefit that two people edit', () => {
  it('is archived only by choice, with what the other has changed in view', async () => {
    const [like] = (await owner.benefits.list()).data
    assert(like)
    const { benefit_provider_id, sponsor_id, plans } = like
    const { id } = await owner.benefits.create({ name: 'Cover to end', benefit_provider_id, sponsor_id, plans })
    const { page } = await logIn('operator')
    await open(page, `/benefits/${id}`)
    await page.getByRole('button', { name: 'Archive' }).click()
    const dialog = page.getByRole('dialog')
    await owner.benefits.update(id, { name: 'Cover that goes on' })
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await dialog.getByText('Somebody else has changed this since').waitFor()
    await dialog.getByText('Cover that goes on').waitFor()
    await assertReadable(page, { part: '[role=dialog]' })
    assert.equal((await owner.benefits.read(id)).status, 'ACTIVE')
    await dialog.getByRole('button', { name: 'Archive all the same' }).click()
    await page.getByText('The benefit is archived.').waitFor()
    assert.equal((await owner.benefits.read(id)).status, 'ARCHIVED')
  })

  it('shows what the other has changed; both changes are kept when they are not of the same field', async () => {
    const { data } = await owner.benefits.list({ limit: 1 })
    const [benefit] = data
    assert(benefit)
    const { page } = await logIn('operator')
    await open(page, `/benefits/${benefit.id}?edit=plans`)
    await page.getByLabel('Grace, days after the end').first().fill('45')
    await owner.benefits.update(benefit.id, { name: 'Cover for families' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else has changed this meanwhile').waitFor()
    await page.getByRole('listitem').getByText('Cover for families').waitFor()
    await assertReadable(page)
    await page.getByRole('button', { name: 'Keep mine, then save' }).click()
    assert.equal(await page.getByLabel('Grace, days after the end').first().inputValue(), '45')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The benefit is changed.').waitFor()
    const now = await owner.benefits.read(benefit.id)
    assert.deepEqual([now.name, now.plans[0]?.grace_days], ['Cover for families', 45])
  })

  it('begins again with what the other has saved', async () => {
    const { data } = await owner.benefits.list({ limit: 1 })
    const [benefit] = data
    assert(benefit)
    const { page } = await logIn('operator')
    await open(page, `/benefits/${benefit.id}?edit=plans`)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Mine')
    const [plan, ...others] = benefit.plans
    assert(plan)
    const dearer = { ...plan.premium_amounts, annual: Money.rupees('19999') }
    await owner.benefits.update(benefit.id, { plans: [{ ...plan, premium_amounts: dearer }, ...others] })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('listitem').getByText('₹19,999.00 a year').waitFor()
    await page.getByRole('button', { name: 'Begin again with theirs' }).click()
    assert.equal(await page.getByLabel('Premium a year, ₹').first().inputValue(), '19999.00')
    assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(), benefit.name)
  })
})

describe('a person, to the support of a partner', () => {
  it('gets a dependant, whose date has to be one', async () => {
    const { id } = await newPerson()
    const { page } = await logIn('platform')
    await open(page, `/users/${id}?tab=dependants`)
    await page.getByRole('button', { name: 'Show dependants' }).click()
    await page.getByRole('button', { name: 'Add a dependant' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Given name').fill('Ravi')
    await dialog.getByLabel('Family name').fill('Example')
    await dialog.getByLabel('Born').fill('next year')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText(/^Must be/).waitFor()
    await dialog.getByLabel('Born').fill('2012-05-17')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('table', { name: 'Dependants' }).getByText('Ravi Example').waitFor()
    const { data } = await owner.user(id).dependants.list()
    assert.deepEqual(
      data.map(({ date_of_birth }) => date_of_birth),
      ['2012-05-17'],
    )
  })

  it('corrects a dependant after somebody else did, by choice; both corrections are kept', async () => {
    const { id } = await newPerson()
    const { dependants } = owner.user(id)
    const meera = { first_name: 'Meera', last_name: 'Exampel', date_of_birth: plainDate('2012-05-17') }
    const [first] = (await dependants.create({ dependants: [meera] })).data
    assert(first)
    const { page } = await logIn('platform')
    await open(page, `/users/${id}?tab=dependants`)
    await page.getByRole('button', { name: 'Show dependants' }).click()
    await page.getByRole('button', { name: 'Correct' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Family name').fill('Example')
    const theirs = await dependants.update(first.id, { first_name: 'Mira' })
    await dialog.getByRole('button', { name: 'Correct' }).click()
    await dialog.getByText('Somebody else has changed this meanwhile').waitFor()
    await dialog.getByRole('listitem').getByText('Mira').waitFor()
    await assertReadable(page, { part: '[role=dialog]' })
    assert.deepEqual(
      (await dependants.list()).data.map((one) => one.id),
      [theirs.id],
      'nothing is overwritten',
    )
    await dialog.getByRole('button', { name: 'Keep mine, then save' }).click()
    await dialog.getByRole('button', { name: 'Correct' }).click()
    await page.getByRole('table', { name: 'Dependants' }).getByText('Mira Example').waitFor()
    const [now, ...others] = (await dependants.list()).data
    assert.deepEqual([now?.previous_version_id, now?.last_name, others], [theirs.id, 'Example', []])
  })

  it('is exported as a file, and an erasure is cancelled before its day', async () => {
    const { id, phone } = await newPerson()
    const { page, complaints } = await logIn('platform')
    await open(page, `/users/${id}?tab=data`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    assert.equal(download.suggestedFilename(), `person-${id}.json`)
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    assert(Buffer.concat(chunks).includes(phone.phone_number))

    await page.getByRole('button', { name: 'Erase the person…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('The id of the person').fill(id)
    await dialog.getByRole('button', { name: 'Erase' }).click()
    await page.getByText('Until then the erasure can be cancelled').waitFor()
    await assertReadable(page)
    await page.getByRole('button', { name: 'Cancel the erasure' }).click()
    await page.getByRole('button', { name: 'Erase the person…' }).waitFor()
    assert.equal((await owner.user(id).read()).phone_number, phone.phone_number)
    assert.deepEqual(complaints, [])
  })
})

describe('a webhook endpoint that fails', () => {
  it('is on the home page of operators, who find it without knowing whose it is', async () => {
    const receiver = sandbox.webhooks('failing')
    await receiver.behave({ mode: 'fail' })
    const { id } = await platform.webhookEndpoints.create({ url: receiver.url, event_types: ['*'] })
    await platform.webhookEndpoints.test(id)
    const { page, complaints } = await logIn('operator')
    const card = page.getByRole('link', { name: /^Failing webhooks ?1/ })
    // The attempt is made within seconds.
    for (; (await card.count()) === 0; await settled(page)) await open(page, '/')
    await card.click()
    const failing = page.getByRole('table', { name: 'Failing endpoints' })
    await failing.getByRole('cell', { name: 'Demo Platform' }).waitFor()
    await assertReadable(page)
    await failing.getByRole('link', { name: receiver.url }).click()
    await page.getByRole('button', { name: /^Replay webhook_endpoint.tested/ }).waitFor()
    assert.deepEqual(complaints, [])
  })
})

describe('a long list', () => {
  it('is where it was when the person comes back, also after a reload', async () => {
    assert(userIds.length > 40, 'longer than the window')
    const { page } = await logIn('owner')
    await page.setViewportSize({ width: 1_280, height: 500 })
    await open(page, '/policies')
    const link = page.getByRole('table', { name: 'Policies' }).getByRole('row').nth(36).getByRole('link').first()
    await link.scrollIntoViewIfNeeded()
    const left = Number(await page.evaluate('scrollY'))
    assert(left > 300)
    const isBack = async () => {
      await page.getByRole('table', { name: 'Policies' }).waitFor()
      await eventually(
        async () => Number(await page.evaluate('scrollY')),
        (place) => Math.abs(place - left) <= 2,
      )
    }
    await link.click()
    await page.getByRole('heading', { name: /^Policy/ }).waitFor()
    await page.goBack()
    await isBack()
    await page.reload()
    await isBack()
  })
})

describe('the audit', () => {
  it('begins with the newest entry and goes back in time, page by page', async () => {
    const { page, complaints } = await logIn('owner')
    await open(page, '/audit')
    const table = page.getByRole('table', { name: 'Audit' })
    const timesShown = () =>
      table.locator('tbody time').evaluateAll((all) => all.map((time) => time.getAttribute('datetime') ?? ''))
    await table.getByRole('link', { name: 'Asha Example' }).first().waitFor()
    const newest = await timesShown()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.waitForURL(/after=/)
    await settled(page)
    await page.reload()
    await settled(page)
    const older = await timesShown()
    // Entries are in the order of their commits, which differs a little from that of their times.
    assert((newest[0] ?? '') > (older.at(-1) ?? assert.fail('nothing older')))
    await page.getByRole('button', { name: 'First page' }).click()
    await page.waitForURL(`${origin}/dashboard/audit`)
    assert.deepEqual(complaints, [])
  })
})

describe('the home page', () => {
  it('shows what has changed by the hour, also at 360 px', async () => {
    for (const [role, label] of [
      ['benefit_provider', 'Changes by hour'],
      ['platform', 'Events by hour'],
      ['viewer', 'Events by hour'],
    ] as const) {
      const { page, complaints } = await logIn(role)
      const hours = page.getByRole('list', { name: label }).getByRole('listitem')
      const totalOf = async () => {
        await open(page, '/')
        const counts = await hours.locator('.count').allTextContents()
        return counts.reduce((sum, count) => sum + Number(count.replaceAll(',', '')), 0)
      }
      // The worker counts twice a minute.
      await within(DEADLINE_MS, async () => (await totalOf()) >= userIds.length)
      assert.equal(await hours.count(), 24)
      await page.setViewportSize({ width: 360, height: 740 })
      await open(page, '/')
      assert((await overflow(page)) <= 0, role)
      await assertReadable(page)
      assert.deepEqual(complaints, [])
    }
  })
})
