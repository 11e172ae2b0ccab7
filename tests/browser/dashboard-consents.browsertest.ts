import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { benefitProviderId } from '../../client/src/index.ts'
import { SANDBOX_PARTNERS } from '../../src/settings/sandbox-partners.ts'
import { NOTICE } from '../support/consents.ts'
import { assertReadable, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, logIn } = await startDashboard(60)
const { platform, newPerson } = await createPeople(workspace)

describe('what a person agreed to, and asked for', () => {
  it('is read by a partner’s desk after a reason, a withdrawal too', async () => {
    const { id } = await newPerson()
    await platform.notices.set('2027-05', 'en', NOTICE)
    const consent = { purpose: 'care', notice_version: '2027-05', language: 'en', given_by: 'SELF' } as const
    const given = await platform.user(id).consents.give({ ...consent, basis: 'CONSENT', proof: 'Screen 4' })
    await platform
      .user(id)
      .consultations.create({ benefit_provider_id: benefitProviderId(SANDBOX_PARTNERS.provider.id) })
    await platform.user(id).consents.withdraw(given.id)
    await platform.user(id).rightsRequests.create({ kind: 'GRIEVANCE', text: 'Nobody calls me back' })
    const { page } = await logIn('platform')
    const show = async (tab: string, what: string) => {
      await page.goto(`${origin}/dashboard/users/${id}?tab=${tab}`)
      await settled(page)
      assert.equal(await page.getByText('Screen 4').or(page.getByText('Nobody calls me back')).count(), 0)
      await page.getByRole('button', { name: `Show ${what}` }).click()
    }
    await show('consents', 'consents')
    const row = page.getByRole('table', { name: 'Consents of this person' }).getByRole('row').nth(1)
    await row.getByText('Care').waitFor()
    await row.getByText('Screen 4').waitFor()
    assert.equal(await row.getByRole('time').or(row.locator('time')).count(), 2, 'given and withdrawn')
    await row.getByText('Withdrawn').waitFor()
    await assertReadable(page)
    await page.goto(`${origin}/dashboard/users/${id}?tab=next`)
    await settled(page)
    const next = page.getByRole('link', { name: 'Stop what rests on the withdrawn consent' })
    assert.match(String(await next.getAttribute('href')), /tab=consents/)
    await show('rights', 'requests')
    const request = page.getByRole('table', { name: 'Requests of this person' }).getByRole('row').nth(1)
    for (const text of ['Grievance', 'Received', 'Nobody calls me back']) await request.getByText(text).waitFor()
    await assertReadable(page)
  })
})
