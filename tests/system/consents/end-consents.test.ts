import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { settleWithdrawals } from '../../../src/domains/administration/next-actions/index.ts'
import { endConsents } from '../../../src/domains/privacy/consents/index.ts'
import { type Body, openTestApp } from '../../support/app.ts'
import { consentScenes, OF_PARENT } from '../../support/consents.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp({ own: true })
const { notice, give, withdraw } = consentScenes(t)

afterEach(() => {
  t.calendar.at = t.clock.at = undefined
})

/** Sets both clocks to a time of a day in India. */
const on = (day: string, time = '12:00:00') => void (t.calendar.at = t.clock.at = new Date(`${day}T${time}+05:30`))

const END = '2026-06-10'

type Person = { id: string }

/** A parent on the first day, with a benefit provider. */
async function scene() {
  on('2026-04-01')
  const { platform, provider, benefit } = await t.makeOffer()
  const user = await t.user(platform, { first_name: 'Asha', last_name: 'Example', dob: '1980-05-17' })
  await notice(platform)
  await t.policy(platform, user, benefit)
  const register = async (...births: string[]): Promise<string[]> => {
    const dependants = births.map((date_of_birth, index) => ({
      first_name: `Ravi ${index}`,
      last_name: 'Example',
      date_of_birth,
    }))
    const made = await t.made('POST', `/v1/users/${user.id}/dependants/bulk`, {
      token: t.operator,
      body: { dependants },
    })
    return made.data.map(({ id }: Person) => id)
  }
  const consent = async (input: object, of: Person = user) => {
    const made = await give(of, await tokenOf(platform), input)
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  const consents = async (of: Person = user): Promise<Body[]> =>
    (await t.made('GET', `/v1/users/${of.id}/consents`, { token: t.viewer })).data
  const actions = async (of: Person = user): Promise<Body[]> => {
    const { data } = await t.made('GET', `/v1/users/${of.id}/next_actions`, { token: t.viewer })
    return data.filter(({ code }: Body) => code === 'obtain_consent')
  }
  return { platform, provider, user, register, consent, consents, actions }
}
type Scene = Awaited<ReturnType<typeof scene>>

/** A token of the day, which those of another one are not valid on. */
async function tokenOf({ basicToken }: { basicToken: string }): Promise<string> {
  const [headers, body] = [{ authorization: `Basic ${basicToken}` }, { grant_type: 'client_credentials' }]
  return (await t.made('POST', '/v1/oauth/token', { headers, body })).access_token
}

async function eventsOf({ user }: Pick<Scene, 'user'>, token = t.viewer): Promise<Body[]> {
  await settled(t)
  const { data } = await t.made('GET', '/v1/events?type=consent.ended&limit=100', { token })
  return data.filter((event: Body) => event.data.user_id === user.id)
}

const OF_ONE = { purpose: 'care', given_by: 'PARENT', verified_by: 'TOKEN' }

/** What a worker does on a day, twice, as one that was restarted. */
async function pass(day: string, time = '00:00:30'): Promise<void> {
  on(day, time)
  await endConsents(t.deps)
  assert.equal(await endConsents(t.deps), 0, 'once a day')
}

describe('the consents of a parent or guardian', () => {
  it('end on the 18th birthday, with one event for the platform and the benefit provider, and a next action', async () => {
    const at = await scene()
    await at.consent(OF_PARENT)
    const [child, younger] = (await at.register('2008-06-10', '2012-06-10')) as [string, string]
    const care = await at.consent({ ...OF_ONE, dependant_id: child })
    const other = await at.consent({ ...OF_ONE, dependant_id: younger })
    for (const day of ['2026-04-01', '2026-05-10', '2026-06-09']) {
      await pass(day, '23:59:59')
      assert.deepEqual([await eventsOf(at), await at.actions()], [[], []], day)
    }
    await pass(END)
    const data = { user_id: at.user.id, dependant_id: child, benefit_provider_id: at.provider.id }
    for (const token of [t.viewer, await tokenOf(at.platform), await tokenOf(at.provider)]) {
      const events = await eventsOf(at, token)
      assert.deepEqual(
        events.map((event) => [event.type, event.platform_id, event.data]),
        [['consent.ended', at.platform.id, data]],
      )
    }
    const all = await at.consents()
    assert.deepEqual(
      all.flatMap(({ id, ended_at: ended }) => (ended === null ? [] : [id])),
      [care],
      'the other child still has the rest',
    )
    assert.equal(all.find(({ id }) => id === other)?.withdrawn_at, null)
    const [action, ...others] = await at.actions()
    assert.deepEqual(others, [])
    assert.deepEqual(
      [action?.subject, action?.subject_kind, action?.who, action?.due_on],
      [child, 'dependant', 'platform', null],
    )
    const { data: work } = await t.made('GET', `/v1/next_actions?who=platform`, { token: await tokenOf(at.platform) })
    assert.deepEqual(
      work.map(({ code, subject }: Body) => [code, subject]),
      [['obtain_consent', child]],
    )
    assert.deepEqual(
      (await t.made('GET', '/v1/next_actions', { token: await tokenOf(at.provider) })).data.filter(
        ({ code }: Body) => code === 'obtain_consent',
      ),
      [],
    )
    await pass('2026-07-20')
    assert.equal((await eventsOf(at)).length, 1)
    const [policy] = await t.sql<{ status: string }>('select status from insurance_policies where user_id = $1', [
      at.user.id,
    ])
    assert.equal(policy?.status, 'PENDING', 'it ends no policy')
  })

  it('end for each child by itself, and wholly for the last', async () => {
    const at = await scene()
    const id = await at.consent(OF_PARENT)
    const children = await at.register('2008-06-10', '2008-06-12', '1990-01-01')
    await pass('2026-04-03')
    await pass(END)
    assert.deepEqual(
      (await at.consents()).map(({ ended_at }) => ended_at),
      [null],
    )
    await pass('2026-06-12')
    assert.deepEqual(new Set((await eventsOf(at)).map(({ data }) => data.dependant_id)), new Set(children.slice(0, 2)))
    const [ended] = await at.consents()
    assert.deepEqual([ended?.id, typeof ended?.ended_at], [id, 'string'])
  })

  it('are followed by the consent of the person, which settles the next action; a child has none of their own', async () => {
    const at = await scene()
    await at.consent(OF_PARENT)
    const [child] = (await at.register('2008-06-10')) as [string]
    const early = await give(at.user, await tokenOf(at.platform), { dependant_id: child })
    assert.equal(early.status, 422)
    await pass('2026-04-03')
    await pass(END)
    assert.equal((await at.actions()).length, 1)
    await at.consent({ dependant_id: child })
    assert.deepEqual(await at.actions(), [])
    const late = await give(at.user, await tokenOf(at.platform), { ...OF_ONE, dependant_id: child })
    assert.equal(late.status, 422)
  })

  it('leave nothing that waits, where the person consented before a worker looked', async () => {
    const at = await scene()
    await at.consent(OF_PARENT)
    const [child] = (await at.register('2008-06-10')) as [string]
    await pass('2026-04-03')
    on(END, '00:00:10')
    const own = await at.consent({ dependant_id: child })
    await pass(END)
    assert.equal((await eventsOf(at)).length, 1)
    assert.deepEqual(await at.actions(), [])
    assert.equal((await at.consents()).find(({ id }) => id === own)?.ended_at, null, 'her own goes on')
  })

  it('of a user who is a child end too, and name no dependant', async () => {
    const at = await scene()
    const minor = await t.user(at.platform, { first_name: 'Ravi', last_name: 'Example', dob: '2008-06-10' })
    await at.consent({ ...OF_ONE, dependant_id: null }, minor)
    await pass('2026-06-09')
    assert.deepEqual(await eventsOf({ user: minor }), [])
    await pass(END)
    assert.deepEqual(
      (await eventsOf({ user: minor })).map(({ data }) => data),
      [{ user_id: minor.id, dependant_id: null, benefit_provider_id: null }],
    )
    const [action] = await at.actions(minor)
    assert.deepEqual([action?.subject, action?.subject_kind], [minor.id, 'user'])
    await at.consent({ purpose: 'care' }, minor)
    assert.deepEqual(await at.actions(minor), [])
  })

  it('follow a corrected birth within a month, once', async () => {
    const at = await scene()
    await at.consent(OF_PARENT)
    const [child] = (await at.register('2012-06-10')) as [string]
    const care = await at.consent({ ...OF_ONE, dependant_id: child })
    await pass('2026-04-03')
    on('2026-04-04')
    const corrected = await t.made('PATCH', `/v1/users/${at.user.id}/dependants/${child}`, {
      token: t.operator,
      body: { date_of_birth: '2008-06-10' },
    })
    await pass(END)
    assert.deepEqual(
      (await eventsOf(at)).map(({ data }) => data.dependant_id),
      [corrected.id],
    )
    const ended = (await at.consents()).filter(({ ended_at }) => ended_at !== null)
    assert.equal(ended.length, 2)
    assert(ended.some(({ id }) => id === care))
  })

  it('that were withdrawn, and those of adults, end for nobody', async () => {
    const at = await scene()
    const id = await at.consent(OF_PARENT)
    const [child] = (await at.register('2008-06-10')) as [string]
    await withdraw(at.user, await tokenOf(at.platform), id)
    await at.consent({ purpose: 'insurance' })
    await pass('2026-04-03')
    await pass(END)
    assert.deepEqual([await eventsOf(at), await at.actions()], [[], []])
    assert.deepEqual(
      (await at.consents()).map(({ ended_at }) => ended_at),
      [null, null],
    )
    assert.equal(typeof child, 'string')
  })

  it('that had ended before their withdrawal are not waited for', async () => {
    const at = await scene()
    const [child] = (await at.register('2008-06-10')) as [string]
    const id = await at.consent({ ...OF_ONE, purpose: 'insurance', dependant_id: child })
    await pass('2026-04-03')
    await pass(END)
    await withdraw(at.user, await tokenOf(at.platform), id)
    assert.deepEqual(await t.sql('select waits_since from consents where user_id = $1', [at.user.id]), [
      { waits_since: null },
    ])
  })

  it('end for each child whose birth can be read, where that of another cannot', async () => {
    const at = await scene()
    await at.consent(OF_PARENT)
    const [lost, child] = (await at.register('2008-06-09', '2008-06-10')) as [string, string]
    await pass('2026-04-03')
    await t.sql('update dependants set sealed = $2 where dependant_id = $1', [lost, 'gone'])
    await pass(END)
    assert.deepEqual(
      (await eventsOf(at)).map(({ data }) => data.dependant_id),
      [child],
    )
  })

  it('of an erased person end no more, though they are held', async () => {
    const at = await scene()
    await at.consent(OF_PARENT)
    await at.register('2008-06-10')
    await pass('2026-04-03')
    await t.sql('update users set data_key = null where user_id = $1', [at.user.id])
    on(END)
    assert.equal(await endConsents(t.deps), 0)
    assert.deepEqual(await eventsOf(at), [])
    assert.deepEqual(await t.sql('select 1 from came_of_age where user_id = $1', [at.user.id]), [])
  })

  it('end once when several workers are at it, and what is stored of a child far from 18 says no birthday', async () => {
    const at = await scene()
    await at.consent(OF_PARENT)
    const [child] = (await at.register('2008-06-10')) as [string]
    for (const purpose of ['care', 'insurance']) await at.consent({ ...OF_ONE, purpose, dependant_id: child })
    await pass('2026-04-03')
    const rows = await t.sql<{ look_on: string }>(`select look_on::text from consents where user_id = $1`, [at.user.id])
    assert.deepEqual([...new Set(rows.map(({ look_on }) => look_on))], ['2026-05-03'])
    on(END)
    await Promise.all([1, 2, 3].map(() => endConsents(t.deps)))
    assert.equal((await eventsOf(at)).length, 1)
    assert((await at.consents()).every(({ ended_at }) => ended_at !== null))
  })
})

describe('withdrawals that wait', () => {
  it('are taken out where nothing rests on them any more, and only there', async () => {
    const [over, open] = [await scene(), await scene()]
    for (const at of [over, open])
      await withdraw(at.user, await tokenOf(at.platform), await at.consent({ purpose: 'insurance' }))
    await t.sql(`update insurance_policies set status = 'REJECTED', next_move_on = null where user_id = $1`, [
      over.user.id,
    ])
    for (const at of [over, open]) {
      const { data } = await t.made('GET', `/v1/users/${at.user.id}/next_actions`, { token: t.viewer })
      const codes = data.map(({ code }: Body) => code)
      assert.equal(codes.includes('follow_withdrawal'), at === open, 'with or without the worker')
    }
    for (let times = 0; times < 2; times++) await settleWithdrawals(t.deps.db)
    const rows = await t.sql<{ user_id: string }>('select user_id from consents where waits_since is not null')
    assert.deepEqual(rows, [{ user_id: open.user.id }])
  })

  it('wait again when an end is taken back', async () => {
    const at = await scene()
    await withdraw(at.user, await tokenOf(at.platform), await at.consent({ purpose: 'insurance' }))
    const waits = async () => {
      const { data } = await t.made('GET', `/v1/users/${at.user.id}/next_actions`, { token: t.viewer })
      return data.some(({ code }: Body) => code === 'follow_withdrawal')
    }
    const setEnd = (day: string | null) =>
      t.sql('update insurance_policies set ends_on = $2 where user_id = $1', [at.user.id, day])
    await setEnd('2026-06-30')
    await settleWithdrawals(t.deps.db)
    assert.equal(await waits(), false)
    await setEnd(null)
    assert.equal(await waits(), true)
  })
})
