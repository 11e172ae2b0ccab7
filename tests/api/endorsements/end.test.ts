import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import { openTestApp } from '../../support/app.ts'
import { withMembers } from '../../support/members.ts'
import { conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const { on, issued, setStatus, put, decide, endorsements, certificate } = withMembers(t)

type Scene = Awaited<ReturnType<typeof issued>>

const inr = (value: number) => ({ currency: 'INR', value })

const end = ({ address, platform }: Scene, body: object, token = platform.token) =>
  t.call('PUT', `${address}/end`, { token, body: { code: 'LEFT', ...body } })

/** The end of the policy: its day, and what the benefit provider pays back. */
async function endOf({ address, platform }: Scene) {
  const { on: day, refund } = await t.made('GET', `${address}/end`, { token: platform.token })
  return [day, refund?.amount?.value ?? null]
}

/** The ENDs in the schedule: state and day, oldest first. */
const asked = async (at: Scene) =>
  (await endorsements(at)).filter(({ kind }) => kind === 'END').map((one) => `${one.state} ${one.on}`)

async function waiting(at: Scene) {
  const [one, ...others] = (await endorsements(at)).filter(({ kind, state }) => kind === 'END' && state === 'REQUESTED')
  assert(one && others.length === 0)
  return one
}

describe('an end that a platform sets', () => {
  it('waits for the benefit provider, who accepts it with what it pays back', async () => {
    const at = await issued()
    await end(at, { on: '2026-08-12' })
    const one = await waiting(at)
    const { refund, ...shown } = await t.made('GET', `/v1/endorsements/${one.id}`, { token: at.provider.token })
    assert.deepEqual([shown.person_id, shown.on, shown.due_on], [null, '2026-08-12', '2026-04-08'])
    const { refund: ofEnd } = await t.made('GET', `${at.address}/end`, { token: at.platform.token })
    assert.deepEqual(refund, { days: ofEnd.days, estimate: ofEnd.estimate })
    const body = { state: 'ACCEPTED', amount: inr(7_000), provider_reference: 'END-1' }
    const accepted = await decide(at, one.id, body)
    assert.deepEqual(
      [
        accepted.status,
        accepted.body.state,
        accepted.body.amount,
        accepted.body.provider_reference,
        accepted.body.issue,
      ],
      [200, 'ACCEPTED', inr(7_000), 'END-1', null],
    )
    assert.deepEqual(await endOf(at), ['2026-08-12', 7_000])
    assert.deepEqual((await decide(at, one.id, body)).body, accepted.body, 'the same again changes nothing')
    assert.equal((await decide(at, one.id, { state: 'WITHDRAWN' }, at.platform.token)).status, 409)
  })

  it('is accepted as it is, and the end is not set twice', async () => {
    const at = await issued()
    await end(at, { on: '2026-08-12', reason: 'Left the company' })
    const before = (await t.made('GET', `${at.address}/end`, { token: at.platform.token })).set_at
    const count = () => t.sql('select 1 from policy_ends where policy_id = $1', [at.id])
    assert.equal((await decide(at, (await waiting(at)).id, { state: 'ACCEPTED' })).status, 200)
    assert.equal((await count()).length, 1)
    const after = await t.made('GET', `${at.address}/end`, { token: at.platform.token })
    assert.deepEqual([after.set_at, after.reason], [before, 'Left the company'])
    const events = await t.sql("select 1 from events where subject = $1 and type = 'policy.end_scheduled'", [at.id])
    assert.equal(events.length, 1)
  })

  it('can be dated otherwise, not refused', async () => {
    const at = await issued()
    await end(at, { on: '2026-08-12' })
    const { id } = await waiting(at)
    const refused = await decide(at, id, { state: 'REFUSED', reason: 'No' })
    assert.equal(conflictOf(refused), 'not_refusable')
    assert.deepEqual(errorsOf(await decide(at, id, { state: 'ACCEPTED', on: '2027-04-01' })), ['/on too_large'])
    assert.deepEqual(await asked(at), ['REQUESTED 2026-08-12'])
    assert.equal((await decide(at, id, { state: 'ACCEPTED' }, at.platform.token)).status, 403)
    assert.equal((await decide(at, id, { state: 'ACCEPTED', on: '2026-08-31' })).status, 200)
    assert.deepEqual([await asked(at), await endOf(at)], [['ACCEPTED 2026-08-31'], ['2026-08-31', null]])
  })

  it('still waits once its day is over, for what is paid back', async () => {
    const at = await issued()
    await end(at, { on: '2026-08-12' })
    await put(at, at.ravi, { to: '2026-06-30' })
    const kinds = async () => (await endorsements(at)).map(({ kind, state }) => `${kind} ${state}`).toSorted()
    assert.deepEqual(await kinds(), ['END REQUESTED', 'LEAVE REQUESTED'])
    on('2026-08-13')
    await runCalendar(t.deps)
    assert.deepEqual(await kinds(), ['END REQUESTED', 'LEAVE WITHDRAWN'])
    const { id } = await waiting(at)
    const late = await decide(at, id, { state: 'WITHDRAWN' }, at.platform.token)
    assert.equal(late.status, 409, 'nobody goes on after the day')
    assert.equal((await decide(at, id, { state: 'ACCEPTED', amount: inr(7_000) })).status, 200)
    assert.deepEqual(await endOf(at), ['2026-08-12', 7_000])
  })

  it('is asked for again with each other day, and not by another reason', async () => {
    const at = await issued()
    await end(at, { on: '2026-08-12' })
    await end(at, { on: '2026-08-12', reason: 'Left the company' })
    assert.deepEqual(await asked(at), ['REQUESTED 2026-08-12'])
    await end(at, { on: '2026-09-30' })
    assert.deepEqual(await asked(at), ['WITHDRAWN 2026-08-12', 'REQUESTED 2026-09-30'])
  })

  it('is withdrawn with the end, from either side', async () => {
    for (const withdraw of [
      (at: Scene) => t.call('DELETE', `${at.address}/end`, { token: at.platform.token }),
      async (at: Scene) => decide(at, (await waiting(at)).id, { state: 'WITHDRAWN' }, at.platform.token),
    ]) {
      const at = await issued()
      await end(at, { on: '2026-08-12' })
      assert.equal((await withdraw(at)).status, 200)
      assert.deepEqual([await asked(at), await endOf(at)], [['WITHDRAWN 2026-08-12'], [null, null]])
    }
  })

  it('does not hold up who joins or leaves, and an issue leaves it open', async () => {
    const at = await issued()
    await end(at, { on: '2026-12-31' })
    await put(at, at.mira, { from: '2026-04-10' })
    const join = (await endorsements(at)).find(({ kind }) => kind === 'JOIN')
    assert(join)
    const accepted = await decide(at, join.id, { state: 'ACCEPTED' })
    assert.equal(accepted.body.issue, 2)
    assert.match(await certificate(at), /Mira/)
    await put(at, at.ravi, { to: '2026-06-30' })
    await setStatus(at, { status: 'ISSUED', persons_version: 2 })
    assert.deepEqual(await asked(at), ['REQUESTED 2026-12-31'])
    assert.equal((await decide(at, (await waiting(at)).id, { state: 'ACCEPTED' })).body.issue, null)
  })
})

describe('the word of a benefit provider on an end', () => {
  it('accepts what waits, with its own day and refund', async () => {
    const at = await issued()
    await end(at, { on: '2026-08-12' })
    await end(at, { on: '2026-08-31', amount: inr(6_500) }, at.provider.token)
    assert.deepEqual([await asked(at), await endOf(at)], [['ACCEPTED 2026-08-31'], ['2026-08-31', 6_500]])
    const [one] = await endorsements(at)
    const { amount } = await t.made('GET', `/v1/endorsements/${one?.id}`, { token: at.platform.token })
    assert.deepEqual(amount, inr(6_500))
  })

  it('asks nobody', async () => {
    const at = await issued()
    await end(at, { on: '2026-08-12' }, at.provider.token)
    assert.deepEqual(await asked(at), [])
  })

  it('is given once, though it is sent twice at once', async () => {
    const at = await issued()
    await end(at, { on: '2026-08-12' })
    const { id } = await waiting(at)
    const [one, other] = await Promise.all([
      decide(at, id, { state: 'ACCEPTED', amount: inr(1) }),
      decide(at, id, { state: 'WITHDRAWN' }, at.platform.token),
    ])
    assert.deepEqual(new Set([one.status, other.status]), new Set([200, 409]))
    const isAccepted = one.status === 200
    assert.deepEqual(await asked(at), [isAccepted ? 'ACCEPTED 2026-08-12' : 'WITHDRAWN 2026-08-12'])
    assert.deepEqual(await endOf(at), isAccepted ? ['2026-08-12', 1] : [null, null])
  })
})
