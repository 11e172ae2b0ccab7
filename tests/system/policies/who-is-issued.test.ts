import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { ONBOARDING, openTestApp } from '../../support/app.ts'
import { enrolFamily, type PolicyScene, setPolicyStatusTo } from '../../support/issued-policies.ts'
import { meetAt } from '../../support/meeting.ts'
import { conflictOf } from '../../support/problems.ts'

const t = await openTestApp()

/** Within the first term of every enrolment here, whenever this runs. */
const BEGIN = new Date('2026-07-01T06:00:00Z')
beforeEach(() => void (t.calendar.at = BEGIN))
afterEach(() => void (t.calendar.at = undefined))

const words = (count: number) => ['Asha', 'Ravi', 'Mira', 'Meera', 'Kiran', 'Grandfather'][count % 6] ?? ''
const births = (count: number) => `${1941 + (count % 60)}-01-20`

/** Who is on the policy now, as its platform reads them; nothing of what was counted. */
async function peopleOf({ platform: { token }, user, address }: PolicyScene): Promise<string> {
  const { title, gender, user: member } = await t.made('GET', `/v1/users/${user.id}/export`, { token })
  const { dependant_ids } = await t.made('GET', address, { token })
  const dependants = await Promise.all(
    dependant_ids.map((id: string) => t.made('GET', `/v1/users/${user.id}/dependants/${id}`, { token })),
  )
  return JSON.stringify([
    [title, member.first_name, member.last_name, gender, member.dob],
    ...dependants.map((one) => [one.id, one.first_name, one.last_name, one.date_of_birth]),
  ])
}

type Life = PolicyScene & {
  isOnboarded: boolean
  /** The people when the provider last made a transition, or of the number that it named. */
  seen: string
  correctedSince: number
  /** The people that the provider saw, by number. */
  looks: Map<number, string>
  decisions: { made: number; refused: number }
}

type Act = {
  kind: 'member' | 'dependant' | 'token' | 'onboarding' | 'look' | 'status' | 'decide' | 'pass'
  pick: number
}

/** A correction by who may; counts it if the service took it for one. */
async function correct(life: Life, { kind, pick }: Act): Promise<void> {
  const { platform, user, address } = life
  const before = await peopleOf(life)
  const name = pick % 2 === 0 ? { first_name: words(pick) } : { last_name: words(pick + 1) }
  if (kind === 'dependant') {
    const { dependant_ids } = await t.made('GET', address, { token: platform.token })
    const token = [user.token, platform.token, t.operator][pick % 3] ?? ''
    const body = pick % 5 === 0 ? { date_of_birth: births(pick) } : name
    const id = dependant_ids[pick % dependant_ids.length]
    const { status, text } = await t.call('PATCH', `/v1/users/${user.id}/dependants/${id}`, { token, body })
    assert.ok(status === 200 || status === 409, text) // 409: the other one has this name
  } else if (kind === 'member') {
    const fields = [
      name,
      { dob: births(pick) },
      { gender: pick % 4 === 0 ? 'MALE' : 'OTHER' },
      { email: 'new@example.com' },
    ]
    await t.made('PATCH', `/v1/users/${user.id}`, { token: platform.token, body: fields[pick % fields.length] ?? name })
  } else if (kind === 'token') {
    const body = { phone_country_code: '+91', phone_number: user.phone, ...name }
    await t.made('POST', '/v1/auth/token', { token: platform.token, body })
  } else if (!life.isOnboarded) {
    const path = `/v1/users/${user.id}/complete_onboarding`
    await t.made('POST', path, { token: platform.token, body: { ...ONBOARDING, ...name } })
    life.isOnboarded = true
  }
  if ((await peopleOf(life)) !== before) life.correctedSince++
}

const statusOf = ({ address, provider: { token } }: PolicyScene) => t.made('GET', `${address}/status`, { token })

/** A transition by the provider or an administrator, with the current number, one of before, or none. */
async function setStatus(life: Life, { kind, pick }: Act): Promise<void> {
  const { status, allowed_transitions, persons_version } = await statusOf(life)
  const open = allowed_transitions.filter((to: string) => to !== 'EXPIRED' && to !== 'REJECTED')
  const deciding = open.filter((to: string) => to === 'ISSUED' || to === 'APPROVED')
  const wanted = kind === 'decide' && deciding.length > 0 ? deciding : open
  if (wanted.length === 0) return
  const to = wanted[pick % wanted.length]
  const known = [...life.looks.keys()]
  const named = [undefined, known.at(-1), known[pick % known.length]][pick % 3]
  const now = await peopleOf(life)
  const token = [life.provider.token, life.provider.token, t.operator][pick % 3] ?? ''
  const body = { status: to, reason: 'A reason', ...(named !== undefined && { persons_version: named }) }
  const response = await t.call('PUT', `${life.address}/status`, { token, body })
  const isDecision = to === 'ISSUED' || to === 'APPROVED'
  const mustRefuse = named === undefined ? isDecision && life.correctedSince > 0 : named !== persons_version
  if (mustRefuse) {
    assert.equal(conflictOf(response), 'persons_changed', `${status} to ${to}`)
    assert.equal(response.body.persons_version, persons_version)
    assert.equal((await statusOf(life)).status, status)
    life.decisions.refused++
    return
  }
  assert.equal(response.status, 200, response.text)
  if (isDecision) {
    const expected = named === undefined ? life.seen : life.looks.get(named)
    assert.equal(now, expected, `${to}: somebody is on the policy that the provider has not seen`)
    life.decisions.made++
  }
  life.seen = now
  life.correctedSince = 0
}

async function live(life: Life, act: Act): Promise<void> {
  switch (act.kind) {
    case 'look':
      life.looks.set((await statusOf(life)).persons_version, await peopleOf(life))
      return
    case 'pass':
      t.calendar.at = new Date(Number(t.calendar.at) + (act.pick % 20) * 86_400_000)
      return
    case 'status':
    case 'decide':
      return setStatus(life, act)
    case 'member':
    case 'dependant':
    case 'token':
    case 'onboarding':
      return correct(life, act)
  }
}

const acts: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom('member', 'dependant', 'token', 'onboarding', 'look', 'status', 'decide', 'decide', 'pass'),
  pick: fc.nat(1_000),
})

describe('who is on a policy when it is approved or issued', () => {
  it('is who was on it at the last transition by people, or at the number that they name, whatever is corrected by anyone', async () => {
    const decisions = { made: 0, refused: 0 }
    const lives = fc.array(acts, { minLength: 15, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(lives, fc.boolean(), async (path, isOnboarded) => {
        t.calendar.at = BEGIN
        const at = await enrolFamily(t, { dependants: ['Ravi', 'Mira'], isOnboarded })
        const people = await peopleOf(at)
        const life = { ...at, isOnboarded, seen: people, correctedSince: 0, looks: new Map([[0, people]]), decisions }
        for (const act of path) await live(life, act)
      }),
      { numRuns: 20, endOnFailure: true },
    )
    assert.ok(decisions.made > 0 && decisions.refused > 0, JSON.stringify(decisions))
  })
})

describe('a correction and an issue at once', () => {
  it('one of them is decided again: either the issue is refused, or the policy waits for another issue', async () => {
    for (let round = 0; round < 4; round++) {
      const at = await enrolFamily(t)
      await setPolicyStatusTo(t, at, ['VERIFICATION', 'APPROVED'])
      const [dependant] = at.dependants
      const row = { table: 'insurance_policies', key: 'policy_id', id: at.id }
      const [issued, corrected] = await meetAt(t, row, [
        () => t.call('PUT', `${at.address}/status`, { token: at.provider.token, body: { status: 'ISSUED' } }),
        () =>
          t.call('PATCH', `/v1/users/${at.user.id}/dependants/${dependant}`, {
            token: at.user.token,
            body: { first_name: 'Grandfather' },
          }),
      ])
      assert.ok(issued && corrected)
      assert.equal(corrected.status, 200, corrected.text)
      const { status, persons_version } = await statusOf(at)
      const ofNew = await t.call('GET', `${at.documents}/health_card/${corrected.body.id}`, { token: at.user.token })
      assert.deepEqual([persons_version, ofNew.status], [1, 404], 'nobody has seen the new one')
      if (issued.status === 200) assert.equal(status, 'REQUIRES_POLICY_REISSUANCE')
      else assert.deepEqual([conflictOf(issued), status], ['persons_changed', 'APPROVED'])
    }
  })
})
