import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'
import { addManyPeople } from './many-people.ts'

const MANY = 20_000
const NEW = ['PENDING', 'VERIFICATION', 'APPROVED'] as const

const { workspace, origin, logIn } = await startDashboard(1)
const { owner } = await createPeople(workspace)
const [seen = assert.fail('nobody has a policy')] = (await owner.policies.list({ limit: 1 })).data
const { platform_id: platformId, benefit_provider_id: benefitProviderId, benefit_id: benefitId } = seen
assert(platformId)
const people = await addManyPeople(
  workspace,
  { platformId, benefitProviderId, benefitId, planCode: seen.plan_code },
  MANY,
)
const [first, second, last] = [people[0], people[1], people.at(-1)]
assert(first && second && last)

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))
const rowsOf = (page: Page, name: string) => page.getByRole('table', { name, exact: true }).locator('tbody tr')

type Listed = { id?: string; user_id: string }
type ReadPage = (at: {
  after: string | undefined
  limit: number
}) => PromiseLike<{ data: readonly Listed[]; next: string | null }>

/** Each list that has them all, oldest first. */
const LISTS: readonly { name: string; path: string; read: ReadPage }[] = [
  {
    name: 'Policies',
    path: '/policies?status=PENDING&status=VERIFICATION&status=APPROVED&order=oldest',
    read: (at) => owner.policies.list({ status: NEW, order: 'oldest', ...at }),
  },
  {
    name: 'Consultations',
    path: '/consultations?order=oldest',
    read: (at) => owner.consultations.list({ unanswered_by: 'provider', order: 'oldest', ...at }),
  },
  {
    name: 'Wallets',
    path: '/wallets?order=oldest',
    read: (at) => owner.wallets.list({ wallet_status: ['FAILED'], order: 'oldest', ...at }),
  },
  {
    name: 'Accounts',
    path: '/accounts?list=inactive&order=oldest',
    read: (at) => owner.accounts.list({ status: ['INACTIVE'], order: 'oldest', ...at }),
  },
]

const API_PAGE = 100

/** Reads a list to its end: everybody in it, and the cursor before the last whole page. */
async function walk(read: ReadPage) {
  const users = new Set<string>()
  const cursors: string[] = []
  for (let after: string | undefined; ; ) {
    const { data, next } = await read({ after, limit: API_PAGE })
    for (const { user_id } of data) users.add(user_id)
    if (next === null) return { users, cursor: cursors.at(-1) }
    if (after !== undefined) cursors.push(after)
    after = next
  }
}

describe(`${MANY.toLocaleString('en-IN')} people`, () => {
  it('are counted on Home, with the age of the one who waits longest, for desk and operator', async () => {
    for (const role of ['benefit_provider', 'operator'] as const) {
      const { page, complaints } = await logIn(role)
      const applications = page.getByRole('link', { name: /^Applications/ })
      // The service counts twice a minute.
      await within(DEADLINE_MS, async () => {
        await open(page, '/')
        return /20,00\d(?!\+)/.test(await applications.innerText())
      })
      const waiting = page.getByRole('region', { name: 'Waiting for you' })
      assert.doesNotMatch(await waiting.innerText(), /\d\+/)
      assert.match(await applications.innerText(), /days ago/)
      await applications.click()
      await settled(page)
      assert.match(await rowsOf(page, 'Policies').first().innerHTML(), new RegExp(first.policyId))
      assert.deepEqual(complaints, [])
    }
  })

  for (const { name, path, read } of LISTS) {
    it(`are all in the list “${name}”, the oldest first, and its pages reach the last one`, async () => {
      const { users, cursor } = await walk(read)
      assert(people.every(({ userId }) => users.has(userId)))
      assert(cursor)
      const { page, complaints } = await logIn('owner')
      await open(page, path)
      assert.match(await rowsOf(page, name).first().innerHTML(), new RegExp(first.userId))
      assert.match(await rowsOf(page, name).nth(1).innerHTML(), new RegExp(second.userId))
      await page.getByRole('button', { name: 'Next page' }).click()
      await page.getByRole('button', { name: 'First page' }).waitFor()
      await settled(page)
      assert.match(await rowsOf(page, name).first().innerHTML(), new RegExp(String(people[50]?.userId)))
      await open(page, `${path}&after=${cursor}`)
      const next = page.getByRole('button', { name: 'Next page' })
      const shown = await rowsOf(page, name).allInnerTexts()
      while ((await next.count()) > 0) {
        const before = page.url()
        await next.click()
        await page.waitForURL((url) => url.href !== before)
        await settled(page)
        shown.push(...(await rowsOf(page, name).allInnerTexts()))
      }
      assert(shown.some((text) => text.includes(last.userId)))
      assert.deepEqual(complaints, [])
    })
  }

  it('have a page for each policy and account, also where no transition is kept', async () => {
    const { page, complaints } = await logIn('owner')
    for (const { userId, policyId, at } of [first, last]) {
      await open(page, `/users/${userId}/policies/${policyId}`)
      const way = page.getByRole('list', { name: 'The way of this policy' })
      await way.locator(`[aria-current=step] time[datetime="${at}"]`).waitFor()
      await open(page, `/users/${userId}?tab=accounts`)
      await page.locator('main').getByText('Inactive').first().waitFor()
      assert.equal(await page.getByText('This did not work').count(), 0)
    }
    // Their enrolments are not stored as documents.
    assert.deepEqual(
      complaints.filter((complaint) => !complaint.includes('404')),
      [],
    )
  })

  it('have their events and entries of the audit in lists that turn their pages, and are found in these by their id', async () => {
    const { page, complaints } = await logIn('owner')
    for (const [name, path] of [
      ['Events', '/events?from=all'],
      ['Audit', '/audit?action=read'],
    ] as const) {
      await open(page, path)
      const newest = await rowsOf(page, name).first().innerHTML()
      await page.getByRole('button', { name: 'Next page' }).click()
      await page.getByRole('button', { name: 'First page' }).waitFor()
      await settled(page)
      assert.notEqual(await rowsOf(page, name).first().innerHTML(), newest)
      for (const { userId } of [first, last]) {
        await open(page, `${path}&subject=${userId}`)
        assert.match(await rowsOf(page, name).first().innerHTML(), new RegExp(userId))
        assert.equal(await page.getByRole('button', { name: 'Next page' }).count(), 0)
      }
    }
    assert.deepEqual(complaints, [])
  })

  it('leave the lists of partners as they are', async () => {
    const { page, complaints } = await logIn('owner')
    for (const [name, path] of [
      ['Sponsors', '/sponsors'],
      ['Benefits', '/benefits'],
      ['Platforms', '/platforms'],
      ['Benefit providers', '/benefit_providers'],
    ] as const) {
      await open(page, path)
      assert((await rowsOf(page, name).count()) > 0, name)
      await rowsOf(page, name).first().getByRole('link').first().click()
      await page.waitForURL((url) => !url.pathname.endsWith(path))
      await settled(page)
    }
    assert.deepEqual(complaints, [])
  })

  it('lead from the 12 digits of a person to the page of that person', async () => {
    const { page, complaints } = await logIn('operator')
    for (const { userId } of [first, last]) {
      await open(page, '/search')
      await page.getByLabel('Search for').fill(`${userId.slice(0, 4)} ${userId.slice(4, 8)} ${userId.slice(8)}`)
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: `The person ${userId}` }).click()
      await page.waitForURL((url) => url.pathname.endsWith(`/users/${userId}`))
      await settled(page)
      await page
        .getByRole('link', { name: 'Policies' })
        .or(page.getByRole('tab', { name: 'Policies' }))
        .first()
        .waitFor()
    }
    assert.deepEqual(complaints, [])
  })

  it('are found, one of the last too, by phone, identity and policy number', async () => {
    const { page, complaints } = await logIn('operator')
    const printed = (last.policyId.slice(-12).toUpperCase().match(/.{4}/g) ?? []).join('-')
    for (const [text, table] of [
      [last.phone, 'People'],
      [last.idProof, 'People'],
      [printed, 'Policies found'],
      [last.policyId, 'Policies found'],
    ] as const) {
      await open(page, '/search')
      await page.getByLabel('Search for').fill(text)
      await page.keyboard.press('Enter')
      await page.getByRole('table', { name: table }).locator('tbody tr').first().waitFor()
      assert.match(await rowsOf(page, table).first().innerHTML(), new RegExp(last.userId), text)
    }
    assert.deepEqual(complaints, [])
  })
})
