import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { dayOf, Money, NotFoundError, userId, type UserId } from '../../client/src/index.ts'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { assertReadable, startDashboard, settled } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, userIds, logIn } = await startDashboard(24)
const { owner, platform, sandbox, newPerson, newFailedWallet, exceedCodeLimit } = await createPeople(workspace)
const [anyone = userId('')] = userIds

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))
const reveal = (page: Page, what: string) => page.getByRole('button', { name: `Show ${what}` }).click()

describe('a person, to the support of a partner', () => {
  it('is sealed until a purpose is given, which stands in the access log, and leaves nothing behind', async () => {
    const { page, complaints } = await logIn('platform')
    await open(page, `/users/${anyone}`)
    const { first_name, phone_number } = await owner.user(anyone).read()
    await page.getByText('Sealed', { exact: true }).waitFor()
    assert.equal(await page.getByText(phone_number).count(), 0)
    await page.getByLabel('Why you need it').selectOption('Settling a complaint')
    await reveal(page, 'profile')
    await page.getByText(phone_number).waitFor()
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.title])',
    )
    for (const datum of [phone_number, String(first_name)]) assert(!String(kept).includes(datum))
    await page.getByRole('link', { name: 'Access log' }).click()
    const purpose = page.getByRole('cell', { name: 'Settling a complaint' }).first()
    // Reads are written a moment after their response.
    await within(DEADLINE_MS, async () => {
      await page.reload().then(() => settled(page))
      return purpose.isVisible()
    })
    await page.getByText('Sealed', { exact: true }).waitFor()
    assert.deepEqual(complaints, [])
  })

  it('says why no code came', async () => {
    const { id, phone } = await newPerson()
    const { page } = await logIn('platform')
    await open(page, `/users/${id}?tab=codes`)
    await reveal(page, 'one-time codes')
    await page.getByText('Nobody asked for a code for this number.').waitFor()
    await exceedCodeLimit(phone)
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByText('No code was made: there were too many requests for this phone.').first().waitFor()
    await page.getByText('The next request is possible at').waitFor()
  })

  it('is not there for the desk of an insurer, whose policies name the members', async () => {
    const { page } = await logIn('benefit_provider')
    await page.goto(`${origin}/dashboard/users/${anyone}`)
    await page.getByText('This page does not exist').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Show/ }).count(), 0)
  })
})

describe('the profile, edited', () => {
  it('shows the problem alongside its field and keeps the rest', async () => {
    const { page, complaints } = await logIn('operator')
    await open(page, `/users/${anyone}`)
    await reveal(page, 'profile')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Family name').fill('Exemplar')
    await page.getByLabel('Email').fill('not an address')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Must be an email address').waitFor()
    assert.equal(await page.getByLabel('Email').getAttribute('aria-invalid'), 'true')
    assert.equal(await page.getByLabel('Family name').inputValue(), 'Exemplar')
    await page.getByLabel('Email').fill('exemplar@example.com')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The profile is changed.').waitFor()
    const { last_name, email } = await owner.user(anyone).read()
    assert.deepEqual([last_name, email], ['Exemplar', 'exemplar@example.com'])
    assert.deepEqual(
      complaints.filter((text) => !text.includes('422')),
      [],
    )
  })

  it('lets one choose when somebody else has changed it, and overwrites nothing', async () => {
    const { page } = await logIn('operator')
    await open(page, `/users/${anyone}`)
    await reveal(page, 'profile')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('City').fill('Mysuru')
    await owner.user(anyone).update({ email: 'theirs@example.com' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else has changed this meanwhile').waitFor()
    await page.getByRole('listitem').getByText('theirs@example.com').waitFor()
    await page.getByRole('button', { name: 'Keep mine, then save' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The profile is changed.').waitFor()
    const { email, address } = await owner.user(anyone).read()
    assert.equal(email, 'theirs@example.com')
    assert(typeof address === 'object' && address.city === 'Mysuru')
  })
})

describe('wallets that failed', () => {
  let failed: UserId[] = []
  before(async () => {
    await sandbox.operator.mode('reject')
    failed = await Promise.all([newFailedWallet(), newFailedWallet(), newFailedWallet()])
    await sandbox.operator.mode('ok')
  })

  it('are shown to support, who cannot retry them', async () => {
    const { page } = await logIn('platform')
    await open(page, '/wallets')
    await page.getByRole('link', { name: failed[0] ?? '' }).waitFor()
    assert.equal(await page.getByRole('checkbox').count(), 0)
    await page.getByRole('link', { name: failed[0] ?? '' }).click()
    await page.getByRole('button', { name: 'Credit…' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Retry' }).count(), 0)
  })

  it('are retried by an operator, one on its page and many in the list, with a report a row', async () => {
    const { page, complaints } = await logIn('operator')
    await open(page, `/users/${failed[0]}?tab=wallet`)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('The operator is asked again.').waitFor()
    await page.getByRole('link', { name: 'Wallets' }).click()
    await page.getByRole('link', { name: failed[1] ?? '' }).waitFor()
    await page.getByLabel('Select all on this page').check()
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry: 2' }).click()
    await page.getByText('Retry: 2 of 2, 2 done').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByText('No wallet is failed now').waitFor()
    assert.deepEqual(complaints, [])
  })
})

describe('a consultation', () => {
  it('gets a reply of the desk, keeps a draft, and shows what is written meanwhile', async () => {
    const { page, complaints } = await logIn('benefit_provider')
    await open(page, '/consultations')
    await page.getByRole('table', { name: 'Consultations' }).getByRole('link').first().click()
    await page.getByLabel('Reply').fill('Rest, and drink enough.')
    const [, user = '', , consultation = ''] = new URL(page.url()).pathname
      .replace('/dashboard', '')
      .split('/')
      .slice(1)
    await page.getByRole('link', { name: 'Consultations' }).click()
    await page.getByRole('table', { name: 'Consultations' }).waitFor()
    await page.goBack()
    await page.getByText('Rest, and drink enough.').waitFor()
    await page.getByLabel('Reply').press('Control+Enter')
    const thread = page.getByRole('log', { name: 'Messages' })
    await thread.getByText('Rest, and drink enough.').waitFor()
    const messages = platform.user(userId(user)).consultations
    await messages.createMessage(consultation as never, { body: { content: 'Thank you.', message_type: 'TEXT' } })
    await thread.getByText('Thank you.').waitFor()
    const ofDesk = thread.locator('li[data-own]')
    await ofDesk.getByText('Rest, and drink enough.').waitFor()
    assert.equal(await ofDesk.getByText('Thank you.').count(), 0)
    assert.equal(await page.getByLabel('Reply').inputValue(), '')
    assert.deepEqual(complaints, [])
  })
})

describe('a person on a phone of 360 px', () => {
  it('is found, opened and credited without a line that is too long', async () => {
    const holders = await owner.wallets.list({ wallet_status: ['COMPLETED'] }).all(50)
    const holder = holders.at(-1)?.user_id ?? assert.fail('nobody has a wallet') // of the demo, with ₹1,250
    const { page, complaints } = await logIn('operator')
    await page.setViewportSize({ width: 360, height: 740 })
    const assertFits = async () => assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
    await open(page, '/wallets?list=all')
    await assertFits()
    await page.getByRole('link', { name: holder }).click()
    await page.getByRole('button', { name: 'Credit…' }).click()
    await page.getByLabel('Amount in ₹').fill('many')
    await page.getByLabel('Reference').fill('phone-1')
    await page.getByRole('button', { name: 'Credit', exact: true }).click()
    await page.getByText('Write an amount in rupees').waitFor()
    await page.getByLabel('Amount in ₹').fill('1,00,000.50')
    await assertFits()
    await page.getByRole('button', { name: 'Credit ₹1,00,000.50' }).click()
    await page.getByText('₹1,00,000.50 credited. The balance is ₹1,01,250.50.').waitFor()
    await reveal(page, 'ledger')
    await page.getByRole('table', { name: 'Ledger' }).waitFor()
    await assertFits()
    assert.deepEqual(complaints, [])
  })
})

describe('the limits of a platform’s wallets', () => {
  it('are shown with what is left of each; a refund names its booking and counts in none', async () => {
    const holders = await owner.wallets.list({ wallet_status: ['COMPLETED'] }).all(50)
    const [holder = assert.fail('nobody has a wallet')] = holders
    const of = owner.user(holder.user_id).wallet
    const limits = { from_day: dayOf(new Date()), credits_a_year: Money.rupees('90000000') }
    await owner.platforms.setWalletLimits(holder.platform_id, { wallet_limits: [limits] })
    await within(DEADLINE_MS, async () => (await of.read()).limits !== undefined)
    const [{ left } = assert.fail('there is no limit')] = (await of.read()).limits ?? []
    const spent = await of
      .credit(Money.rupees('70'), { reference: 'limits-1' })
      .then(() => of.debit(Money.rupees('40'), { reference: 'limits-2' }))
    const { page, complaints } = await logIn('operator')
    await open(page, `/users/${holder.user_id}?tab=wallet`)
    const shown = page.getByText(`${left.minus(Money.rupees('70')).format()} of ₹9,00,00,000.00 left`)
    await shown.waitFor()
    await page.getByRole('button', { name: 'Credit…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount in ₹').fill('41')
    await dialog.getByLabel('Gives back').fill(spent.id)
    await dialog.getByLabel('Reference').fill('limits-3')
    await dialog.getByRole('button', { name: 'Credit ₹41.00' }).click()
    await dialog.getByText('Of this booking, 4000 paise can still be given back.').waitFor()
    await dialog.getByLabel('Amount in ₹').fill('40')
    await dialog.getByRole('button', { name: 'Credit ₹40.00' }).click()
    await page.getByText('₹40.00 credited.').waitFor()
    await shown.waitFor()
    await reveal(page, 'ledger')
    await page
      .getByRole('row', { name: /limits-3/ })
      .getByText(spent.id.slice(-6))
      .waitFor()
    assert.match(complaints.join(), /^[^,]*409 \(Conflict\)$/)
  })
})

describe('the erasure of a person', () => {
  it('says before what becomes of each kind of data, asks for the id, and then leaves nothing to read', async () => {
    const { id } = await newPerson()
    const { page, complaints } = await logIn('platform')
    await open(page, `/users/${id}?tab=data`)
    await page
      .getByRole('row', { name: /^Profile/ })
      .getByText('Erased')
      .waitFor()
    await page.getByRole('button', { name: 'Erase the person…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('The id of the person').fill('0')
    await dialog.getByRole('button', { name: 'Erase' }).click()
    await dialog.getByText('This is not the id of the person.').waitFor()
    await dialog.getByLabel('The id of the person').fill(id)
    await dialog.getByRole('button', { name: 'Erase' }).click()
    await page.getByText('Nothing here can be read any more.').waitFor()
    await assert.rejects(owner.user(id).read(), NotFoundError)
    assert.deepEqual(complaints, [])
  })
})

describe('every tab of a person', () => {
  it('has no error that axe finds, open, in light and dark', async () => {
    const { page, complaints } = await logIn('owner')
    const [family = anyone] = await owner.policies
      .list({ limit: 1 })
      .then(({ data }) => data.map(({ user_id }) => user_id))
    await open(page, `/users/${family}`)
    await reveal(page, 'profile')
    const tabs = page.getByRole('navigation', { name: 'About this person' }).getByRole('link')
    for (const index of (await tabs.all()).keys()) {
      await tabs.nth(index).click()
      await settled(page)
      assert.equal(await tabs.nth(index).getAttribute('aria-current'), 'page')
      assert.equal(await page.locator('.tab[aria-current]').count(), 1)
      await assertReadable(page)
    }
    assert.deepEqual(
      complaints.filter((text) => !text.includes('404')),
      [],
    )
  })
})
