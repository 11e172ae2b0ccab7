import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { Money, type UserId } from '../../client/src/index.ts'
import { assertReadable, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, logIn } = await startDashboard(24)
const { owner } = await createPeople(workspace)

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))

describe('a step with many policies', () => {
  it('leaves what a colleague has started meanwhile, and takes back what is its own only', async () => {
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/policies?status=PENDING')
    const rows = page.getByRole('checkbox', { name: /^Select policy/ })
    const ids: string[] = []
    for (const index of [0, 1, 2]) {
      await rows.nth(index).check()
      ids.push(String(await rows.nth(index).getAttribute('aria-label')).replace('Select policy ', ''))
    }
    const { data } = await owner.policies.list({ status: ['PENDING'], limit: 100 })
    const [theirs, mine, approved] = ids.map((id) => data.find((policy) => policy.id === id))
    assert(theirs && mine && approved)
    const policiesOf = ({ user_id }: typeof mine) => owner.user(user_id).policies
    const statusOf = async (policy: typeof mine) => (await policiesOf(policy).readStatus(policy.id)).status
    await policiesOf(theirs).setStatus(theirs.id, { status: 'VERIFICATION' })
    await page.getByRole('button', { name: 'Start verification' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start verification: 3' }).click()
    await page.getByText('Start verification: 3 of 3, 2 done').waitFor()
    const report = page.getByRole('table', { name: 'Report' })
    const rowOf = ({ id }: typeof mine) => report.getByRole('row').filter({ hasText: id })
    await rowOf(theirs).getByText('It has changed since. It is left as it is.').waitFor()

    await policiesOf(approved).setStatus(approved.id, { status: 'APPROVED' })
    await page.getByRole('button', { name: 'Undo (send back): 2' }).click()
    await page.getByText('Send back: 2 of 2, 1 done').waitFor()
    await rowOf(approved).getByText('It has changed since. It is left as it is.').waitFor()
    assert.deepEqual(
      [await statusOf(theirs), await statusOf(mine), await statusOf(approved)],
      ['VERIFICATION', 'PENDING', 'APPROVED'],
    )
    assert.deepEqual(
      complaints.filter((text) => !text.includes('412')),
      [],
    )
  })

  it('has no Undo after a step that would not be taken back by it', async () => {
    const { page } = await logIn('owner')
    await open(page, '/policies?status=ISSUED')
    await page
      .getByRole('checkbox', { name: /^Select policy/ })
      .first()
      .check()
    await page.getByRole('button', { name: 'Open renewal' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('Paid early')
    await dialog.getByRole('button', { name: 'Open renewal: 1' }).click()
    await page.getByText('Open renewal: 1 of 1, 1 done').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).and(page.locator(':enabled')).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Undo/ }).count(), 0)
  })
})

describe('a decision that is not sent yet', () => {
  const ofState = async (status: 'PENDING' | 'VERIFICATION') => {
    const [policy = assert.fail(`none is ${status}`)] = (await owner.policies.list({ status: [status], limit: 1 })).data
    const statusNow = async () => (await owner.user(policy.user_id).policies.readStatus(policy.id)).status
    return { policy, statusNow, path: `/users/${policy.user_id}/policies/${policy.id}` }
  }

  for (const way of ['Cancel', 'Escape'])
    it(`is not shown as made, and ${way} drops it before the connection is back`, async () => {
      const { path, statusNow } = await ofState('PENDING')
      const { page } = await logIn('benefit_provider')
      await open(page, path)
      const badge = page.getByRole('heading', { level: 1 })
      await page.getByRole('button', { name: 'Reject' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill('Pressed by mistake.')
      await page.context().setOffline(true)
      await dialog.getByRole('button', { name: 'Reject' }).click()
      await dialog.getByText('No connection. It is sent as soon as there is one').waitFor()
      assert.match(await badge.innerText(), /Pending/)
      if (way === 'Cancel') await dialog.getByRole('button', { name: way }).click()
      else await page.keyboard.press(way)
      await dialog.waitFor({ state: 'detached' })
      await page.context().setOffline(false)
      await page.getByText('No connection.').waitFor({ state: 'detached' })
      await page.reload()
      await settled(page)
      await badge.getByText('Pending').waitFor()
      assert.equal(await statusNow(), 'PENDING')
    })

  it('is kept when a key closes the dialog over what was typed, until somebody confirms it', async () => {
    const { path } = await ofState('PENDING')
    const { page } = await logIn('benefit_provider')
    await open(page, path)
    await page.getByRole('button', { name: 'Reject' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('textarea:focus').waitFor()
    await dialog.getByLabel('Reason').fill('Half a sentence')
    await page.keyboard.press('Escape')
    const question = dialog.getByRole('alert')
    await question.getByText('What you have typed is not sent.').waitFor()
    await assertReadable(page, { part: '[role=dialog]' })
    await question.getByRole('button', { name: 'Stay' }).click()
    assert.equal(await dialog.getByLabel('Reason').inputValue(), 'Half a sentence')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Close all the same' }).click()
    await dialog.waitFor({ state: 'detached' })
  })
})

describe('a step with many that takes long', () => {
  it('cannot be closed while it runs, and leaves those selected that failed', async () => {
    const { page } = await logIn('benefit_provider')
    await open(page, '/policies?status=PENDING')
    const rows = page.getByRole('checkbox', { name: /^Select policy/ })
    const ids: string[] = []
    for (const index of [0, 1]) {
      await rows.nth(index).check()
      ids.push(String(await rows.nth(index).getAttribute('aria-label')).replace('Select policy ', ''))
    }
    const [failing = ''] = ids
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(`**/insurance_policies/${failing}/status`, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      await held
      await route.fulfill({ status: 409, json: { code: 'conflict', detail: 'Something speaks against it.' } })
    })
    assert.equal(await page.getByRole('button', { name: 'End', exact: true }).count(), 0)
    await page.getByRole('button', { name: 'Start verification' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Start verification: 2' }).click()
    await page.getByText('Start verification: 1 of 2').waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByText('This still runs').waitFor()
    const asked = page.waitForEvent('dialog').then((question) => question.dismiss())
    await Promise.all([asked, page.evaluate('void setTimeout(() => history.back())')])
    await page.getByText('Start verification: 1 of 2').waitFor()
    release()
    await page.getByText('Start verification: 2 of 2, 1 done, 1 failed').waitFor()
    await dialog.getByRole('row', { name: failing }).getByText('Something speaks against it.').waitFor()
    await assertReadable(page, { part: '[role=dialog]' })
    await dialog.getByRole('button', { name: 'Select the failed: 1' }).click()
    await page.getByText('1 selected').waitFor()
    assert(await page.getByRole('checkbox', { name: `Select policy ${failing}` }).isChecked())
  })
})

describe('a file that is refused', () => {
  it('is refused with the reason of the service', async () => {
    const [policy = assert.fail('none is issued')] = (await owner.policies.list({ status: ['ISSUED'], limit: 1 })).data
    const { page } = await logIn('benefit_provider')
    await open(page, `/users/${policy.user_id}/policies/${policy.id}`)
    const buffer = Buffer.from('no document')
    await page.locator('input[type=file]').setInputFiles({ name: 'own.pdf', mimeType: 'application/pdf', buffer })
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    await page.getByText('Must be an intact PDF file with at least one page.').waitFor()
  })

  it('and so is a list with an address that is not one', async () => {
    const { page } = await logIn('viewer')
    await page.goto(`${origin}/dashboard/policies?after=garbage`)
    await page.getByText('After: Must be the `next` of a previous page, unchanged.').waitFor()
  })
})

describe('an address that leads nowhere', () => {
  it('says so once, for a policy, a person, and a screen that the role does not have', async () => {
    const [{ user_id } = assert.fail('there is none')] = (await owner.policies.list({ limit: 1 })).data
    const { page } = await logIn('viewer')
    await open(page, `/users/${user_id}/policies/pol_00000000000000000000000001`)
    await page.getByText('This policy does not exist here').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await open(page, '/users/000000000000')
    await page.getByRole('button', { name: 'Show profile' }).click()
    await page.getByText('This person does not exist here').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await open(page, '/benefits/new')
    await page.getByRole('heading', { level: 1, name: 'This page does not exist' }).waitFor()
  })
})

describe('what cannot be undone', () => {
  it('asks before a consultation is closed', async () => {
    const [consultation = assert.fail('none is open')] = (await owner.consultations.list({ status: ['OPEN'] })).data
    const { user_id, id } = consultation
    const { page } = await logIn('benefit_provider')
    await open(page, `/users/${user_id}/consultations/${id}`)
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This cannot be undone.').waitFor()
    assert.equal((await owner.user(user_id).consultations.read(id)).status, 'OPEN')
    await dialog.getByRole('button', { name: 'Close the consultation' }).click()
    await page.getByText('The consultation is closed.', { exact: true }).waitFor()
    assert.equal((await owner.user(user_id).consultations.read(id)).status, 'CLOSED')
  })
})

describe('a plan', () => {
  it('keeps its name on documents when something else of it is edited', async () => {
    const [like = assert.fail('no benefit')] = (await owner.benefits.list({ limit: 1 })).data
    const { benefit_provider_id, sponsor_id } = like
    const plans = like.plans.map((plan) => ({ ...plan, plan_name: 'Family floater of ₹5 lakh (Gold)' }))
    const { id } = await owner.benefits.create({ name: 'With names', benefit_provider_id, sponsor_id, plans })
    const { page } = await logIn('operator')
    await open(page, `/benefits/${id}?edit=plans`)
    assert.equal(await page.getByLabel('Name on documents').first().inputValue(), 'Family floater of ₹5 lakh (Gold)')
    await page.getByLabel('Grace, days after the end').first().fill('15')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The benefit is changed.').waitFor()
    const [changed] = (await owner.benefits.read(id)).plans
    assert.deepEqual([changed?.plan_name, changed?.grace_days], ['Family floater of ₹5 lakh (Gold)', 15])
    await page.getByRole('table', { name: 'Plans' }).getByText('Family floater of ₹5 lakh (Gold)').first().waitFor()
  })
})

describe('an amount', () => {
  const holders = async () => {
    const wallets = await owner.wallets.list({ wallet_status: ['COMPLETED'] }).all(50)
    return wallets.map(({ user_id }) => user_id)
  }
  const balanceOf = async (id: UserId) => (await owner.user(id).wallet.read()).balance.format()

  it('with a comma that groups nothing is not booked', async () => {
    const [id = assert.fail('nobody has a wallet')] = await holders()
    const before = await balanceOf(id)
    const { page, complaints } = await logIn('platform')
    await open(page, `/users/${id}?tab=wallet`)
    await page.getByRole('button', { name: 'Credit…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reference').fill('comma-1')
    for (const text of ['12,50', '1,5', '1.234,50', '0']) {
      await dialog.getByLabel('Amount in ₹').fill(text)
      await dialog.getByRole('button', { name: 'Credit', exact: true }).click()
      await dialog.getByText(text === '0' ? 'Write more than ₹0.00.' : 'commas only between groups of digits').waitFor()
    }
    assert.equal(await balanceOf(id), before)
    assert.deepEqual(complaints, [])
  })

  it('is read back with the balance after it, to screen readers too, before it is booked', async () => {
    const [id = assert.fail('nobody has a wallet')] = await holders()
    const before = (await owner.user(id).wallet.read()).balance
    const { page, complaints } = await logIn('platform')
    await open(page, `/users/${id}?tab=wallet`)
    await page.getByRole('button', { name: 'Credit…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount in ₹').fill('1,250')
    const after = before.plus(Money.rupees('1250')).format()
    const said = dialog.locator('[aria-live=polite]')
    const button = dialog.getByRole('button', { name: 'Credit ₹1,250.00' })
    await button.waitFor()
    assert((await said.textContent())?.endsWith(`Balance after${after}`))
    assert.equal(await button.getAttribute('aria-describedby'), await said.getAttribute('id'))
    assert.equal(await balanceOf(id), before.format(), 'nothing is booked by typing')
    await assertReadable(page, { part: '[role=dialog]' })
    await dialog.getByLabel('Reference').fill('read-back-1')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText(`₹1,250.00 credited. The balance is ${after}.`).waitFor()
    assert.equal(await balanceOf(id), after)
    assert.deepEqual(complaints, [])
  })

  it('that the wallet does not have is said before it is debited, by the balance of now', async () => {
    const [, id = assert.fail('only one has a wallet')] = await holders()
    const { page } = await logIn('platform')
    await open(page, `/users/${id}?tab=wallet`)
    const { balance } = await owner
      .user(id)
      .wallet.credit(Money.rupees('100'), { reference: 'meanwhile-1' })
      .then(() => owner.user(id).wallet.read())
    await page.getByRole('button', { name: 'Debit…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(balance.format()).waitFor()
    await dialog.getByLabel('Amount in ₹').fill(balance.plus(Money.rupees('20')).rupees)
    await dialog.getByText('The balance is ₹20.00 too low for this.').waitFor()
    await assertReadable(page, { part: '[role=dialog]' })
    await dialog.getByLabel('Reference').fill('too-much-1')
    await dialog.getByRole('button', { name: /^Debit ₹/ }).click()
    await dialog.getByText('The balance is lower than the amount.').waitFor()
    assert.equal(await balanceOf(id), balance.format())
  })

  it('or a number of a plan is not saved where it could be read in two ways', async () => {
    const [benefit = assert.fail('no benefit')] = (await owner.benefits.list({ limit: 1 })).data
    const { page } = await logIn('operator')
    await open(page, `/benefits/${benefit.id}?edit=plans`)
    await page.getByLabel('Premium a year, ₹').first().fill('12,50')
    await page.getByLabel('Grace, days after the end').first().fill('1e1')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('commas only between groups of digits').waitFor()
    await page.getByText('Write a whole number in digits, such as 12.').waitFor()
    assert.deepEqual((await owner.benefits.read(benefit.id)).plans, benefit.plans)
  })
})

describe('a policy number that contains blanks', () => {
  it('is found as it is written', async () => {
    const [policy = assert.fail('nothing is approved')] = (
      await owner.policies.list({ status: ['APPROVED'], limit: 1 })
    ).data
    const number = { external_policy_id: 'AB 12/34 77' }
    await owner.user(policy.user_id).policies.setStatus(policy.id, { status: 'ISSUED', ...number })
    const { page } = await logIn('benefit_provider')
    await open(page, '/search')
    await page.getByLabel('Search for').fill(' AB 12/34 77 ')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('table', { name: 'Policies found' }).getByText(policy.user_id).waitFor()
  })
})
