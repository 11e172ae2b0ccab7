import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { userId } from '../../client/src/index.ts'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { assertReadable, personalTraces, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, people, logIn } = await startDashboard(40)
const { owner, platform } = await createPeople(workspace)

describe('a session', () => {
  it('covers what it shows when the session ends elsewhere, and asks the service by itself without using it', async () => {
    const { page } = await logIn('viewer')
    const polls: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().includes('/v1/')) polls.push(request.headers()['session-use'])
    })
    await page.clock.install()
    await page.reload()
    const table = page.getByRole('table', { name: 'Policies by state' })
    await table.waitFor()
    assert(
      polls.every((use) => use === undefined),
      'opening the page is a use of it',
    )
    polls.length = 0
    await page.clock.fastForward('02:00')
    await within(DEADLINE_MS, async () => polls.length > 0)
    assert(polls.every((use) => use === 'none'))
    await page.context().clearCookies()
    await page.clock.fastForward('01:01')
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    await table.waitFor({ state: 'detached' })
    assert.equal((await page.getByRole('main').innerText()).trim(), '')
  })
})

describe('the search', () => {
  const find = async (page: Page, text: string) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByLabel('Search for').fill(text)
    await page.keyboard.press('Enter')
    await settled(page)
  }

  it('finds a policy by what card and certificate print, and leads from it to the person', async () => {
    const [policy = assert.fail('none is issued')] = (await owner.policies.list({ status: ['ISSUED'], limit: 1 })).data
    const { page, complaints } = await logIn('platform')
    const printed = (policy.id.slice(-12).toUpperCase().match(/.{4}/g) ?? []).join('-')
    for (const text of [printed, printed.toLowerCase().replaceAll('-', ''), policy.id]) {
      await find(page, text)
      await page.getByRole('table', { name: 'Policies found' }).getByRole('link').first().waitFor()
    }
    await page.getByRole('table', { name: 'Policies found' }).getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: /^Policy/ }).waitFor()
    const { external_policy_id: own } = await owner.user(policy.user_id).policies.read(policy.id)
    await page
      .getByText(own ?? printed, { exact: true })
      .first()
      .waitFor()
    await page.getByRole('link', { name: policy.user_id }).click()
    await page.getByRole('heading', { level: 1, name: /^Person/ }).waitFor()
    // A busy machine typesets later, which the browser reports.
    assert.deepEqual(
      complaints.filter((text) => !text.includes('503')),
      [],
    )
  })

  it('finds a person by phone, identity or id, and a company by a part of its name', async () => {
    const [person = assert.fail('nobody')] = people
    const { page } = await logIn('operator')
    for (const text of [`${person.phone_number}`, `+91 ${person.phone_number}`]) {
      await find(page, text)
      await page.getByRole('table', { name: 'People' }).getByText(String(person.user_id)).waitFor()
    }
    await find(page, String(person.user_id))
    await page.getByRole('link', { name: `The person ${person.user_id}` }).waitFor()
    await find(page, 'demo platf')
    await page.getByRole('list', { name: 'Companies' }).getByRole('link', { name: 'Demo Platform' }).waitFor()
    assert.deepEqual(await personalTraces(page, people), [])
    await find(page, 'nobody is called so')
    await page.getByText('Nothing was found').waitFor()
    await page.getByText('Names of people are sealed, so they cannot be searched').waitFor()
    await assertReadable(page)
    await find(page, 'EMP 417')
    await page.getByText('Check the number; it has to be whole').waitFor()
  })

  it('finds a person by the number that the employer has given', async () => {
    const [person = assert.fail('nobody')] = people
    await platform.user(userId(String(person.user_id))).setReference({ employee_number: 'EMP 17/B' })
    const { page } = await logIn('platform')
    await find(page, 'EMP 17/B')
    await page.getByRole('table', { name: 'People' }).getByText(String(person.user_id)).waitFor()
  })

  it('shows every policy of a group, page by page', async () => {
    const { data } = await owner.policies.list({ status: ['APPROVED', 'VERIFICATION', 'PENDING'], limit: 100 })
    const group = data.slice(0, 3)
    for (const { user_id, id, status } of group) {
      const { policies } = owner.user(user_id)
      if (status === 'PENDING') await policies.setStatus(id, { status: 'VERIFICATION' })
      if (status !== 'APPROVED') await policies.setStatus(id, { status: 'APPROVED' })
      await policies.setStatus(id, { status: 'ISSUED', master_policy_number: 'GROUP 7/2026' })
    }
    const { page } = await logIn('benefit_provider')
    await page.route('**/v1/insurance_policies/search*', (route) => {
      const url = new URL(route.request().url())
      url.searchParams.set('limit', '2')
      return route.continue({ url: url.href })
    })
    await find(page, 'GROUP 7/2026')
    const rows = page.getByRole('table', { name: 'Policies found' }).locator('tbody tr')
    await page.getByRole('button', { name: 'Show more' }).click()
    await within(DEADLINE_MS, async () => (await rows.count()) === 3)
    assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0)
  })

  it('shows what is retained of an erased person’s policy, and leads nowhere from it', async () => {
    const { data } = await owner.policies.list({ status: ['PENDING', 'VERIFICATION', 'APPROVED'], limit: 100 })
    const erased = async ({ user_id }: (typeof data)[number]) => {
      const { holds_money } = await owner.user(user_id).previewErasure()
      if (!holds_money) await owner.user(user_id).erase({ end_policies: 'true' })
      return !holds_money
    }
    let policy: (typeof data)[number] | undefined
    for (const one of data) if (policy === undefined && (await erased(one))) policy = one
    assert(policy, 'somebody has no money in the wallet')
    const { page } = await logIn('operator')
    await find(page, policy.id)
    const retained = page.getByRole('list', { name: 'Retained policies' })
    await retained.getByText(/retained until .*Companies Act/).waitFor()
    assert.equal(await retained.getByRole('link').count(), 0)
    assert.equal(await page.getByRole('table', { name: 'Policies found' }).count(), 0)
    await assertReadable(page)
  })
})

describe('the list of policies', () => {
  it('leads to the person, and reads no sponsor to show names', async () => {
    const [policy = assert.fail('none is issued')] = (await owner.policies.list({ status: ['ISSUED'], limit: 1 })).data
    for (const role of ['platform', 'viewer', 'operator', 'owner'] as const) {
      const { page, complaints } = await logIn(role)
      const read: string[] = []
      page.on('request', (request) => read.push(new URL(request.url()).pathname))
      await page.goto(`${origin}/dashboard/policies?status=ISSUED`)
      await settled(page)
      const link = page.getByRole('table', { name: 'Policies' }).getByRole('link', { name: policy.user_id })
      await link.waitFor()
      assert(!read.includes('/v1/sponsors'), role)
      await link.click()
      await page.getByRole('heading', { level: 1, name: /^Person/ }).waitFor()
      assert.deepEqual(complaints, [])
    }
  })
})
