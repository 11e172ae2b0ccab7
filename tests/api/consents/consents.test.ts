import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../support/app.ts'
import { consentScenes, OF_PARENT } from '../../support/consents.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const { notice, give, withdraw, eventsOf } = consentScenes(t)
const list = (user: { id: string }, token: string) => t.call('GET', `/v1/users/${user.id}/consents`, { token })

/** A user of a platform with a notice, and the benefit provider of their policy. */
async function scene({ dob = '1990-05-17' } = {}) {
  const { platform, provider, benefit } = await t.makeOffer()
  const user = await t.user(platform, { first_name: 'Asha', last_name: 'Example', dob })
  await notice(platform)
  return { platform, provider, benefit, user }
}

const person = (date_of_birth: string, first_name = 'Ravi') => ({ first_name, last_name: 'Example', date_of_birth })

async function dependant(user: { id: string }, token: string, born: string): Promise<string> {
  const body = { dependants: [person(born)] }
  return (await t.made('POST', `/v1/users/${user.id}/dependants/bulk`, { token, body })).data[0].id
}

describe('POST /v1/users/{user_id}/consents', () => {
  it('201 records a consent, for the user and for the platform; the proof is sealed', async () => {
    const { platform, user } = await scene()
    const made = await give(user, user.token, { proof: 'Screen 4, by Asha' })
    assert.equal(made.status, 201, made.text)
    const { id, created_at, last_modified_at, ...record } = made.body
    assert.deepEqual(record, {
      user_id: user.id,
      purpose: 'insurance',
      dependant_id: null,
      notice_version: '2027-05',
      language: 'en',
      given_by: 'SELF',
      verified_by: null,
      basis: 'CONSENT',
      withdrawn_at: null,
      ended_at: null,
      proof: 'Screen 4, by Asha',
    })
    assert(created_at && last_modified_at)
    const other = await give(user, platform.token, { purpose: 'care', basis: 'NOTICED_BEFORE' })
    assert.deepEqual([other.status, other.body.proof], [201, null])
    const { body } = await list(user, t.viewer)
    assert.deepEqual(
      body.data.map((one: { id: string }) => one.id),
      [other.body.id, id],
    )
    const [row] = await t.sql<{ stored: string }>(
      'select row_to_json(c)::text as stored from consents c where consent_id = $1',
      [id],
    )
    assert(row && !row.stored.includes('Screen 4'))
  })

  it('emits an event for each benefit provider of the person, which the platform sees too, and for no other', async () => {
    const { platform, provider, benefit, user } = await scene()
    const stranger = await t.provider()
    await t.policy(platform, user, benefit)
    const { body } = await give(user, user.token)
    const data = { user_id: user.id, consent_id: body.id, purpose: 'insurance' }
    assert.deepEqual(
      (await eventsOf(platform.token, body.id)).map((event) => [event.type, event.data]),
      [['consent.given', { ...data, benefit_provider_id: provider.id }]],
    )
    assert.deepEqual(
      (await eventsOf(provider.token, body.id)).map((event) => [event.type, event.data]),
      [['consent.given', { ...data, benefit_provider_id: provider.id }]],
    )
    assert.deepEqual(await eventsOf(stranger.token, body.id), [])
  })

  it('422 for a notice that the platform does not have, and for a dependant of somebody else', async () => {
    const { user, platform } = await scene()
    const theirs = await scene()
    const other = await dependant(theirs.user, theirs.platform.token, '2015-08-02')
    assert.deepEqual(errorsOf(await give(user, user.token, { notice_version: '2028' })), [
      '/notice_version unknown_reference',
    ])
    assert.deepEqual(errorsOf(await give(user, platform.token, { language: 'hi', dependant_id: other })), [
      '/dependant_id unknown_reference',
      '/notice_version unknown_reference',
    ])
    assert.deepEqual((await list(user, user.token)).body.data, [])
  })

  it('422 for children by a user who is below 18, whose birth is not known, or who is no parent', async () => {
    const child = await scene({ dob: '2009-01-01' })
    assert.deepEqual(errorsOf(await give(child.user, child.user.token, OF_PARENT)), ['/purpose not_allowed'])
    const unknown = await t.user(child.platform)
    assert.deepEqual(errorsOf(await give(unknown, unknown.token, OF_PARENT)), ['/purpose not_allowed'])
    const { user } = await scene()
    assert.deepEqual(errorsOf(await give(user, user.token, { ...OF_PARENT, given_by: 'SELF' })), [
      '/given_by not_allowed',
    ])
    assert.deepEqual(errorsOf(await give(user, user.token, { ...OF_PARENT, verified_by: null })), [
      '/verified_by required',
    ])
    assert.equal((await give(user, user.token, OF_PARENT)).status, 201)
  })

  it('a person below 18 is consented for by a parent, and from 18 on consents as SELF', async () => {
    const { platform, user } = await scene()
    t.calendar.at = new Date('2026-04-01T12:00:00+05:30')
    const [almost, just] = [
      await dependant(user, platform.token, '2008-04-02'),
      await dependant(user, platform.token, '2008-04-01'),
    ]
    const self = (dependant_id: string) => give(user, platform.token, { dependant_id })
    const parent = (dependant_id: string) =>
      give(user, platform.token, { dependant_id, given_by: 'PARENT', verified_by: 'TOKEN' })
    assert.deepEqual(errorsOf(await self(almost)), ['/given_by not_allowed'])
    assert.equal((await parent(almost)).status, 201)
    assert.deepEqual(errorsOf(await parent(just)), ['/given_by not_allowed'])
    assert.equal((await self(just)).status, 201)
    t.calendar.at = undefined
  })

  it('404 for another platform and another user; 403 for an insurer', async () => {
    const [ours, theirs] = [await scene(), await scene()]
    const missing = await give({ id: '999999999999' }, ours.platform.token)
    assertSameNotFound(await give(theirs.user, ours.platform.token), missing)
    assertSameNotFound(await list(theirs.user, ours.user.token), await list({ id: '999999999999' }, ours.user.token))
    assert.equal((await give(ours.user, ours.provider.token)).status, 403)
    assert.equal((await give(ours.user, t.owner)).status, 403)
  })
})

describe('DELETE /v1/users/{user_id}/consents/{consent_id}', () => {
  it('200 keeps the consent with the time of its withdrawal, once, and emits events for all who are concerned', async () => {
    const { platform, provider, benefit, user } = await scene()
    const policy = await t.policy(platform, user, benefit)
    const { body: given } = await give(user, user.token, { proof: 'Screen 4' })
    const gone = await withdraw(user, user.token, given.id)
    assert.equal(gone.status, 200, gone.text)
    assert.notEqual(gone.body.withdrawn_at, null)
    assert.deepEqual(
      { ...gone.body, withdrawn_at: null, last_modified_at: given.last_modified_at },
      { ...given, withdrawn_at: null },
    )
    assert.deepEqual((await withdraw(user, platform.token, given.id)).body, gone.body)
    assert.deepEqual((await list(user, user.token)).body.data, [gone.body])
    for (const token of [platform.token, provider.token]) {
      const types = (await eventsOf(token, given.id)).map(({ type }) => type)
      assert.deepEqual(types, ['consent.given', 'consent.withdrawn'])
    }
    const { body: kept } = await t.call('GET', `/v1/users/${user.id}/insurance_policies/${policy}/status`, {
      token: user.token,
    })
    assert.equal(kept.status, 'PENDING', 'it ends no policy')
  })

  const waiting = async (at: { user: { id: string }; platform: { token: string } }): Promise<unknown[]> => {
    const { platform, user } = at
    const of = await t.made('GET', `/v1/users/${user.id}/next_actions`, { token: platform.token })
    const all = await t.made('GET', '/v1/next_actions?who=platform', { token: platform.token })
    const codes = [of, all].map(({ data }) =>
      data.filter(({ subject_kind: kind }: Body) => kind === 'consent').map(({ subject }: Body) => subject),
    )
    assert.deepEqual(codes[0], codes[1], 'the work list and that of the person')
    return codes[0] as unknown[]
  }

  it('is a next action of the platform, until a later consent for the purpose', async () => {
    const at = await scene()
    const { platform, provider, benefit, user } = at
    await t.policy(platform, user, benefit)
    const { body: given } = await give(user, user.token)
    assert.deepEqual(await waiting(at), [])
    await withdraw(user, user.token, given.id)
    assert.deepEqual(await waiting(at), [given.id])
    const { data } = await t.made('GET', `/v1/users/${user.id}/next_actions`, { token: platform.token })
    const [action] = data.filter(({ code }: Body) => code === 'follow_withdrawal')
    assert.deepEqual([action.who, action.due_on, action.rule, action.user_id], ['platform', null, null, user.id])
    const ofProvider = await t.made('GET', '/v1/next_actions', { token: provider.token })
    assert(ofProvider.data.every(({ subject }: Body) => subject !== given.id))
    await give(user, user.token, { purpose: 'care' })
    const born = await dependant(user, platform.token, '1992-01-01')
    await give(user, user.token, { dependant_id: born })
    assert.deepEqual(await waiting(at), [given.id], 'another purpose and another person settle nothing')
    await give(user, user.token)
    assert.deepEqual(await waiting(at), [])
  })

  it('of a dependant waits until the dependant consents again, by any version, or nothing rests on it', async () => {
    const at = await scene()
    const { platform, benefit, user } = at
    const id = await dependant(user, platform.token, '1992-01-01')
    const policy = await t.policy(platform, user, benefit)
    const { body: given } = await give(user, user.token, { dependant_id: id })
    await withdraw(user, user.token, given.id)
    assert.deepEqual(await waiting(at), [], 'no policy has a dependant')
    await t.made('PUT', `/v1/users/${user.id}/insurance_policies/${policy}/members/${id}`, {
      token: platform.token,
      body: {},
    })
    assert.deepEqual(await waiting(at), [given.id])
    const corrected = await t.made('PATCH', `/v1/users/${user.id}/dependants/${id}`, {
      token: platform.token,
      body: { last_name: 'Corrected' },
    })
    await give(user, user.token)
    assert.deepEqual(await waiting(at), [given.id])
    await give(user, user.token, { dependant_id: corrected.id })
    assert.deepEqual(await waiting(at), [])
  })

  it('waits for nobody where nothing rests on it, and no longer once that is over', async () => {
    const at = await scene()
    const { platform, provider, user } = at
    const withdrawn: Record<string, string> = {}
    for (const purpose of ['insurance', 'care', 'wallet', 'accounts']) {
      const { body } = await give(user, user.token, { purpose })
      withdrawn[purpose] = body.id
      await withdraw(user, user.token, body.id)
    }
    assert.deepEqual(await waiting(at), [])
    const consultation = await t.consultation(platform, user, provider)
    assert.deepEqual(await waiting(at), [withdrawn['care']])
    await t.made('PUT', `/v1/users/${user.id}/consultations/${consultation}/status`, {
      token: platform.token,
      body: { status: 'CLOSED' },
    })
    assert.deepEqual(await waiting(at), [])
    await t.wallet(platform, user)
    assert.deepEqual(await waiting(at), [withdrawn['wallet']])
  })

  it('404 for a consent of another user, which stays', async () => {
    const [ours, theirs] = [await scene(), await scene()]
    const { body } = await give(theirs.user, theirs.user.token)
    assertSameNotFound(
      await withdraw(ours.user, ours.user.token, body.id),
      await withdraw(ours.user, ours.user.token, 'cst_missing'),
    )
    assert.equal((await list(theirs.user, theirs.user.token)).body.data[0].withdrawn_at, null)
  })
})
