import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { announceDue } from '../../../src/domains/administration/next-actions/index.ts'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import { type Body, openTestApp, PLAN } from '../../support/app.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp({ own: true })

afterEach(() => {
  t.calendar.at = t.clock.at = undefined
})

/** Sets both clocks to a time of a day in India. */
const on = (day: string, time = '12:00:00') => void (t.calendar.at = t.clock.at = new Date(`${day}T${time}+05:30`))

const PERSON = { first_name: 'Asha', last_name: 'Example', dob: '1990-05-17', gender: 'FEMALE' }

async function enrolled() {
  on('2026-04-01')
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider, [{ ...PLAN, renewal_window_days: 30, grace_period_days: 30 }])
  const user = await t.user(platform, PERSON)
  const id = await t.policy(platform, user, benefit)
  return { platform, provider, user, id, address: `/v1/users/${user.id}/insurance_policies/${id}` }
}
type Scene = Awaited<ReturnType<typeof enrolled>>

async function set({ address }: Scene, ...path: string[]): Promise<void> {
  for (const status of path)
    await t.made('PUT', `${address}/status`, { token: t.owner, body: { status, reason: 'a reason' } })
}

/** The events about what belongs to the policy, as a receiver with this token has them. */
async function eventsOf({ id }: Scene, token = t.viewer): Promise<Body[]> {
  await settled(t)
  const { data } = await t.made('GET', '/v1/events?type=next_action.due&limit=100', { token })
  return data.filter((event: Body) => event.data.insurance_policy_id === id)
}

const codesOf = async (at: Scene, token = t.viewer): Promise<string[]> =>
  (await eventsOf(at, token)).map(({ data }) => `${data.code} ${data.due_on}`)

/** Tokens of a day, which those of another one are not valid on. */
async function tokensOf({ platform, provider }: Scene): Promise<[string, string]> {
  const tokenOf = async ({ basicToken }: { basicToken: string }) => {
    const [headers, body] = [{ authorization: `Basic ${basicToken}` }, { grant_type: 'client_credentials' }]
    return (await t.made('POST', '/v1/oauth/token', { headers, body })).access_token
  }
  return [await tokenOf(platform), await tokenOf(provider)]
}

describe('the event next_action.due', () => {
  it('is sent on the day before, once, to the platform and to the benefit provider that is waited for', async () => {
    const at = await enrolled()
    for (const day of ['2026-04-01', '2026-04-06']) {
      on(day, '23:59:59')
      await announceDue(t.deps)
      assert.deepEqual(await codesOf(at), [], day)
    }
    on('2026-04-07', '00:00:01')
    assert.equal(await announceDue(t.deps), 1)
    assert.equal(await announceDue(t.deps), 0)
    on('2026-04-08')
    assert.equal(await announceDue(t.deps), 0)
    for (const token of [t.viewer, ...(await tokensOf(at))]) {
      const [event, ...others] = await eventsOf(at, token)
      assert.deepEqual(others, [])
      assert.deepEqual([event?.subject, event?.platform_id], [at.id, at.platform.id])
      assert.deepEqual(event?.data, {
        subject_id: at.id,
        subject_kind: 'insurance_policy',
        user_id: at.user.id,
        insurance_policy_id: at.id,
        benefit_provider_id: at.provider.id,
        code: 'take_up_application',
        who: 'benefit_provider',
        due_on: '2026-04-08',
        rule: 'decision',
      })
    }
    const [stranger, other] = [await t.platform(), await t.provider()]
    for (const { token } of [stranger, other]) assert.deepEqual(await eventsOf(at, token), [])
  })

  it('is sent late where no worker ran, but not of what was due before; a policy stays as it was for its readers', async () => {
    const [missed, past] = [await enrolled(), await enrolled()]
    await t.sql(`update insurance_policies set created_at = created_at - interval '1 day' where policy_id = $1`, [
      past.id,
    ])
    on('2026-04-08')
    const before = await t.call('GET', missed.address, { token: t.owner })
    await announceDue(t.deps)
    const after = await t.call('GET', missed.address, { token: t.owner })
    assert.deepEqual(await codesOf(missed), ['take_up_application 2026-04-08'])
    assert.deepEqual(await codesOf(past), [])
    assert.deepEqual([after.headers['etag'], after.body], [before.headers['etag'], before.body])
  })

  it('is sent again for another day, of the policy as of its endorsement; and of a premium to the platform alone', async () => {
    const at = await enrolled()
    on('2026-04-07')
    await announceDue(t.deps)
    await set(at, 'VERIFICATION')
    await announceDue(t.deps) // the same day, whatever has to be done
    await set(at, 'APPROVED', 'ISSUED')
    const [ravi = ''] = await t.dependants({ ...at.user, token: t.owner })
    const body = { from: '2026-04-07', event: 'MISSED' }
    await t.made('PUT', `${at.address}/members/${ravi}`, { token: t.owner, body })
    on('2026-04-13')
    await Promise.all([announceDue(t.deps), announceDue(t.deps)])
    const sent = await codesOf(at)
    const firsts = ['decide_endorsement 2026-04-14', 'reissue_policy 2026-04-14', 'take_up_application 2026-04-08']
    assert.deepEqual(sent.toSorted(), firsts)
    const [{ subject }] = (await eventsOf(at)).filter(({ data }) => data.subject_kind === 'endorsement') as [Body]
    await t.made('PUT', `/v1/endorsements/${subject}/state`, { token: t.owner, body: { state: 'ACCEPTED' } })
    on('2027-03-05')
    await runCalendar(t.deps)
    on('2027-03-30')
    await announceDue(t.deps)
    const [platform, provider] = await tokensOf(at)
    assert.deepEqual(await codesOf(at, platform), [...sent, 'renew_policy 2027-03-31'])
    assert.deepEqual(await codesOf(at, provider), sent)
  })

  it('is sent of a rights request on the day before, to the platform alone, and not of one that has its response', async () => {
    const at = await enrolled()
    const requests = `/v1/users/${at.user.id}/rights_requests`
    const ask = async () =>
      (
        await t.made('POST', requests, {
          token: at.platform.token,
          body: { kind: 'GRIEVANCE', text: 'Nobody calls me' },
        })
      ).id
    const [open, done] = [await ask(), await ask()]
    for (const state of ['IN_PROGRESS', 'ANSWERED'])
      await t.made('PUT', `${requests}/${done}/state`, { token: at.platform.token, body: { state } })
    const of = async (token = t.viewer) => {
      await settled(t)
      const { data } = await t.made('GET', '/v1/events?type=next_action.due&limit=100', { token })
      return data.filter(({ data: { subject_id: id } }: Body) => [open, done].includes(id))
    }
    on('2026-06-28')
    await announceDue(t.deps)
    assert.deepEqual(await of(), [])
    on('2026-06-29')
    await Promise.all([announceDue(t.deps), announceDue(t.deps)])
    await announceDue(t.deps)
    const [platform, provider] = await tokensOf(at)
    const [event, ...others] = await of(platform)
    assert.deepEqual(others, [])
    assert.deepEqual(event.data, {
      subject_id: open,
      subject_kind: 'rights_request',
      user_id: at.user.id,
      insurance_policy_id: null,
      benefit_provider_id: null,
      code: 'answer_rights_request',
      who: 'platform',
      due_on: '2026-06-30',
      rule: 'rights_request',
    })
    assert.deepEqual(await of(provider), [])
  })

  it('is sent of many records by two workers, once of each', async () => {
    const at = await enrolled()
    await t.sql(
      `insert into policy_endorsements (user_id, endorsement_id, policy_id, platform_id, benefit_provider_id, kind, on_day,
              persons_version, due_on, state, actor, created_at, last_modified_at)
       select $1, 'edo_' || i, $2, $3, $4, 'NOMINEE', date '2026-04-01', 1, date '2026-05-02', 'REQUESTED', 'test', now(), now()
         from generate_series(1, 250) i`,
      [at.user.id, at.id, at.platform.id, at.provider.id],
    )
    on('2026-05-01')
    const sent = await Promise.all([announceDue(t.deps), announceDue(t.deps)])
    assert.equal(sent[0] + sent[1], 250)
    const rows = await t.sql<{ subject: string }>(
      `select subject from events where type = 'next_action.due' and data ->> 'due_on' = '2026-05-02'`,
    )
    assert.equal(rows.length, 250)
    assert.equal(new Set(rows.map(({ subject }) => subject)).size, 250)
  })
})

describe('the notice of an erasure', () => {
  it('is among the next actions of the person until it is over or taken back, and in no work list and no event', async () => {
    on('2026-04-01')
    const platform = await t.platform()
    const user = await t.user(platform)
    const { call } = await t.openNode({ erasure: { ...t.deps.erasure, noticeHours: 48 } })
    const { status } = await call('DELETE', `/v1/users/${user.id}`, { token: platform.token })
    assert.equal(status, 200)
    const next = async () => (await t.made('GET', `/v1/users/${user.id}/next_actions`, { token: t.viewer })).data
    const [{ code, subject, subject_kind, who, due_on, rule }, ...others] = await next()
    assert.deepEqual(others, [])
    assert.deepEqual(
      [code, subject, subject_kind, who, due_on, rule],
      ['cancel_erasure', user.id, 'user', 'platform', '2026-04-03', 'erasure_notice'],
    )
    assert.deepEqual((await t.made('GET', '/v1/next_actions', { token: platform.token })).data, [])
    on('2026-04-02')
    await announceDue(t.deps)
    await settled(t)
    const { data } = await t.made('GET', '/v1/events?type=next_action.due&limit=100', { token: t.viewer })
    assert(!data.some((event: Body) => event.data.user_id === user.id))
    await t.made('DELETE', `/v1/users/${user.id}/erasure`, { token: t.owner })
    assert.deepEqual(await next(), [])
  })
})
