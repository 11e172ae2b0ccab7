import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { assertReadable, settled, startDashboard } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'

const { workspace, origin, logIn } = await startDashboard(1)
const { platform, sandbox, newPerson } = await createPeople(workspace)

const open = (page: Page, path: string) => page.goto(`${origin}/dashboard${path}`).then(() => settled(page))
const deliveriesOf = async (id: Parameters<typeof platform.webhookEndpoints.listDeliveries>[0]) =>
  (await platform.webhookEndpoints.listDeliveries(id)).data

describe('the deliveries of last night', () => {
  it('that failed are counted, then sent again, and no others', async () => {
    const receiver = sandbox.webhooks('night')
    const { id } = await platform.webhookEndpoints.create({ url: receiver.url, event_types: ['user.created'] })
    for (let index = 0; index < 3; index++) await newPerson()
    const areDelivered = async (count: number) => {
      const all = await deliveriesOf(id)
      return all.length === count && all.every(({ status }) => status === 'DELIVERED')
    }
    await within(DEADLINE_MS, () => areDelivered(3))
    const before = await deliveriesOf(id)
    const failed = await workspace.sql<{ event_id: string }>(
      `update webhook_deliveries set status = 'FAILED'
        where endpoint_id = $1 and event_id in (
          select event_id from webhook_deliveries where endpoint_id = $1 order by event_id limit 2)
       returning event_id`,
      [id],
    )
    const arrivedBefore = (await receiver.received()).length

    const { page, complaints } = await logIn('operator')
    await open(page, '/webhooks')
    await page.getByLabel('Whose').selectOption('Demo Platform')
    await page.getByRole('link', { name: receiver.url }).click()
    await page.getByRole('button', { name: 'Replay a time…' }).click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByLabel('Which events').inputValue(), 'FAILED')
    await dialog.getByRole('button', { name: 'Count them' }).click()
    await dialog.getByText('2 events would be sent again.').waitFor()
    await assertReadable(page, { part: '[role=dialog]' })
    assert.equal((await receiver.received()).length, arrivedBefore, 'a count sends nothing')
    await dialog.getByRole('button', { name: 'Send 2 events again' }).click()
    await page.getByText('2 events are sent again.').waitFor()
    await within(DEADLINE_MS, () => areDelivered(3))
    const again = (await deliveriesOf(id)).filter(
      ({ id: delivery, attempts }) =>
        attempts.length > (before.find((one) => one.id === delivery)?.attempts.length ?? 0),
    )
    assert.equal(again.length, failed.length)
    // Without a reload.
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Failed').first().waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Replay a time…' }).click()
    await dialog.getByRole('button', { name: 'Count them' }).click()
    await dialog.getByText('There are none.').waitFor()
    assert.equal(await dialog.getByRole('button', { name: /^Send/ }).count(), 0)
    assert.deepEqual(complaints, [])
  })
})

describe('the events', () => {
  it('that Home leads to begin with the newest', async () => {
    const { id } = await newPerson()
    const { page, complaints } = await logIn('owner')
    await open(page, '/')
    await page.getByRole('link', { name: 'All events' }).click()
    await settled(page)
    const first = page.getByRole('table', { name: 'Events' }).locator('tbody tr').first()
    await first.waitFor()
    const row = page.getByRole('table', { name: 'Events' }).locator('tbody tr').filter({ hasText: id })
    await row.first().waitFor()
    const times = await page
      .getByRole('table', { name: 'Events' })
      .locator('tbody time')
      .evaluateAll((all) => all.map((time) => String(time.getAttribute('datetime'))))
    assert.deepEqual(times, times.toSorted().toReversed())
    assert.deepEqual(complaints, [])
  })
})
