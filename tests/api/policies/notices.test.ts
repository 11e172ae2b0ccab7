import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { runCalendar, sendNotices } from '../../../src/domains/cover/policies/index.ts'
import { openTestApp } from '../../support/app.ts'
import { prepareEnds, type Scene } from '../../support/ends.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp()
const { on, issued, transition, ended, take } = prepareEnds(t)

afterEach(() => {
  t.calendar.at = undefined
})

const WINDOW = { renewal_window_days: 30, grace_days: 30 }
const scene = () => issued(WINDOW)

/** Moves the sandbox's calendar to each of these days; the worker does then what it has to. */
async function passTo(...days: string[]): Promise<void> {
  for (const day of days) {
    on(day)
    await runCalendar(t.deps)
    await sendNotices(t.deps, { noticeDays: [30, 7, 1] })
  }
}

type Event = { id: string; type: string; subject: string; platform_id: string; data: Record<string, string | number> }

/** The notices of a policy that a caller finds among its events. */
async function readBy(token: string, { id }: Pick<Scene, 'id'>): Promise<Event[]> {
  await settled(t)
  const { data } = await t.made('GET', `/v1/events?subject=${id}&limit=100`, { token })
  return (data as Event[]).filter(({ type }) => type === 'policy.renewal_due' || type === 'policy.term_started')
}

/** The same of its platform, in short. */
const noticesOf = async (at: Scene) =>
  (await readBy(at.platform.token, at)).map(({ type, data }) => `${type} ${data['days_left'] ?? data['start_date']}`)

const etagOf = async ({ url, user }: Scene) => {
  const { headers } = await t.call('GET', `${url}/documents/policy_certificate`, { token: user.token })
  return headers['etag']
}

describe('policy.renewal_due', () => {
  it('goes to platform and benefit provider 30, 7 and 1 days before the end, with ids and days alone', async () => {
    const at = await scene()
    await passTo('2027-02-28')
    assert.deepEqual(await noticesOf(at), [])
    await passTo('2027-03-01', '2027-03-23', '2027-03-24', '2027-03-29', '2027-03-30', '2027-03-31', '2027-04-01')
    for (const token of [at.platform.token, at.provider.token, t.owner]) {
      const events = await readBy(token, at)
      assert.deepEqual(
        events.map(({ type, platform_id, data }) => ({ type, platform_id, data })),
        [30, 7, 1].map((days_left) => ({
          type: 'policy.renewal_due',
          platform_id: at.platform.id,
          data: {
            user_id: at.user.id,
            insurance_policy_id: at.id,
            benefit_provider_id: at.provider.id,
            end_date: '2027-03-31',
            days_left,
          },
        })),
      )
    }
    for (const other of [await t.platform(), await t.provider()]) assert.deepEqual(await readBy(other.token, at), [])
    await passTo('2027-05-01', '2028-03-24')
    assert.equal((await noticesOf(at)).length, 3, 'none of a policy that is over')
  })

  it('is not sent again, however often the worker looks, the record is read or changes are accepted', async () => {
    const at = await scene()
    await passTo('2027-03-24')
    await t.made('PATCH', `/v1/users/${at.user.id}`, { token: at.platform.token, body: { first_name: 'Aasha' } })
    const { data } = await t.made('GET', '/v1/endorsements', { token: at.provider.token })
    await t.made('PUT', `/v1/endorsements/${data[0].id}/state`, {
      token: at.provider.token,
      body: { state: 'ACCEPTED' },
    })
    await t.made('GET', at.url, { token: at.platform.token })
    await passTo('2027-03-24', '2027-03-25')
    assert.deepEqual(await noticesOf(at), ['policy.renewal_due 7'])
  })

  it('is not sent once it is renewed, nor while the certificate of the next term is awaited', async () => {
    const [renewed, awaited] = [await scene(), await scene()]
    await passTo('2027-03-02')
    await transition(renewed, 'ISSUED')
    await transition(awaited, 'REQUIRES_POLICY_REISSUANCE')
    await passTo('2027-03-24', '2027-03-30')
    for (const at of [renewed, awaited]) assert.deepEqual(await noticesOf(at), ['policy.renewal_due 29'])
    await passTo('2028-03-01')
    assert.deepEqual((await noticesOf(renewed)).slice(-1), ['policy.renewal_due 30'], 'of the next term')
  })

  it('is not sent while an end is set; once that is taken back, the one that was missed is', async () => {
    const at = await scene()
    await passTo('2027-03-01')
    await ended(at, { on: '2027-03-31' })
    await passTo('2027-03-24', '2027-03-25')
    assert.deepEqual(await noticesOf(at), ['policy.renewal_due 30'])
    assert.equal((await take(at)).status, 200)
    await passTo('2027-03-25', '2027-03-26', '2027-03-30')
    assert.deepEqual(await noticesOf(at), ['policy.renewal_due 30', 'policy.renewal_due 6', 'policy.renewal_due 1'])
  })

  it('is not sent of a policy that ended, nor of a person who was erased', async () => {
    const [over, erased] = [await scene(), await scene()]
    await passTo('2027-03-02')
    await transition(over, 'EXPIRED')
    await transition(erased, 'EXPIRED')
    assert.equal((await t.call('DELETE', `/v1/users/${erased.user.id}`, { token: erased.platform.token })).status, 200)
    await passTo('2027-03-24', '2027-03-30')
    for (const at of [over, erased]) assert.deepEqual(await noticesOf(at), ['policy.renewal_due 29'])
  })
})

describe('policy.term_started', () => {
  it('goes to platform and benefit provider on the day on which documents become those of the next term', async () => {
    const at = await scene()
    await passTo('2027-03-10')
    await transition(at, 'ISSUED')
    await passTo('2027-03-31')
    const running = await etagOf(at)
    assert.deepEqual((await noticesOf(at)).slice(1), [], 'the documents are those of the running term')
    await passTo('2027-04-01', '2027-04-01', '2027-04-02')
    assert.notEqual(await etagOf(at), running)
    for (const token of [at.platform.token, at.provider.token]) {
      const [, event, ...others] = await readBy(token, at)
      assert.deepEqual(others, [])
      assert.deepEqual(event?.type, 'policy.term_started')
      assert.deepEqual(event.data, {
        user_id: at.user.id,
        insurance_policy_id: at.id,
        benefit_provider_id: at.provider.id,
        start_date: '2027-04-01',
        end_date: '2028-03-31',
      })
    }
  })

  it('is sent of a certificate that followed before the first day, and not of one that followed later', async () => {
    const [early, late] = [await scene(), await scene()]
    await passTo('2027-03-10')
    for (const at of [early, late]) await transition(at, 'REQUIRES_POLICY_REISSUANCE')
    await passTo('2027-03-20')
    await transition(early, 'ISSUED')
    await passTo('2027-04-01', '2027-04-05')
    await transition(late, 'ISSUED')
    await passTo('2027-04-05', '2027-04-06', '2027-06-01')
    assert.deepEqual((await noticesOf(early)).slice(1), ['policy.term_started 2027-04-01'])
    assert.deepEqual((await noticesOf(late)).slice(1), [])
  })

  it('is not sent of the first term, nor of a renewal in grace, whose documents hold at once', async () => {
    const [first, late] = [await scene(), await scene()]
    await passTo('2027-03-01', '2027-04-10')
    await transition(late, 'ISSUED')
    await passTo('2027-04-10', '2027-04-11', '2027-12-01')
    for (const at of [first, late])
      assert.ok(!(await noticesOf(at)).some((notice) => notice.startsWith('policy.term_started')))
  })

  it('is not sent of a term that an end rules out, and is of one in which the policy ends', async () => {
    const [before, within] = [await scene(), await scene()]
    await passTo('2027-03-10')
    for (const at of [before, within]) await transition(at, 'ISSUED')
    await ended(before, { on: '2027-03-20' })
    await ended(within, { on: '2027-06-30' })
    await passTo('2027-04-01', '2027-07-01')
    assert.deepEqual((await noticesOf(before)).slice(1), [])
    assert.deepEqual((await noticesOf(within)).slice(1), ['policy.term_started 2027-04-01'])
  })
})
