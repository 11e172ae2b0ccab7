import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decideDependants as createDependants } from '../../../src/domains/people/dependants/create-dependants.ts'
import { SNAPSHOT } from '../../../src/domains/cover/documents/index.ts'
import { decideCorrection as correctDependant } from '../../../src/domains/people/dependants/correct-dependant.ts'
import { correctionStatements } from '../../../src/domains/people/dependants/store.ts'
import { enrol } from '../../../src/domains/cover/policies/enrol-policy.ts'
import {
  LINKED_TO_DEPENDANT,
  LINKED_TO_USER,
} from '../../../src/domains/cover/policy-propagation/decide-propagation.ts'
import { decideStatusChange } from '../../../src/domains/cover/policies/set-policy-status.ts'
import { updateStatements } from '../../../src/domains/people/users/store.ts'
import { decideUpdate as updateUser } from '../../../src/domains/people/users/update-user.ts'
import type { Database } from '../../../src/kernel/db/database.ts'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { type Author, applyWithRetry, type Decision } from '../../../src/record/index.ts'
import { openTestApp, PLAN } from '../../support/app.ts'

const t = await openTestApp()

const ACTOR = { caller: { kind: 'owner', subject: 'test' }, requestId: 'req_test' } as const
const corrections = correctionStatements(LINKED_TO_DEPENDANT)
const updates = updateStatements(LINKED_TO_USER)

/**
 * A user with a dependant, a benefit to enrol in, and the operations as another process runs them: without its queues here.
 */
async function scene() {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider)
  const user = await t.onboardedUser(platform)
  const [ravi = ''] = await t.dependants({ ...user, token: platform.token }, ['Ravi'])
  const input = { benefit_id: benefit, plan_code: PLAN.plan_code, start_date: '2026-04-01', dependant_ids: [ravi] }
  const owned = { userId: user.id }
  const patch = { first_name: 'Corrected' }
  return {
    benefit,
    user,
    ravi,
    enrolling: (by: Author, db: Database = t.db) => enrol({ ...t.deps, db }, { ...owned, input }, by),
    correction: (by: Author, db: Database = t.db) =>
      correctDependant(
        { ...t.deps, db, ...corrections },
        { ...owned, dependantId: ravi, ifMatch: undefined, patch },
        by,
      ),
    renaming: (by: Author, db: Database = t.db) =>
      updateUser({ ...t.deps, db, ...updates }, { ...owned, ifMatch: undefined, patch: { first_name: 'Aasha' } }, by),
    rename: () => t.made('PATCH', `/v1/users/${user.id}`, { token: platform.token, body: { first_name: 'Aasha' } }),
    transition:
      (policyId: string, status: 'ISSUED' | 'EXPIRED') =>
      (by: Author, db: Database = t.db) =>
        decideStatusChange({ ...t.deps, db }, { ...owned, policyId, input: { status }, ifMatch: undefined }, by),
    correct: () =>
      t.made('PATCH', `/v1/users/${user.id}/dependants/${ravi}`, {
        token: platform.token,
        body: { first_name: 'Ravindra' },
      }),
    enrol: () => t.policy(platform, user, benefit, { dependant_ids: [ravi] }),
    put: (policyId: string, status: string) =>
      t.made('PUT', `/v1/users/${user.id}/insurance_policies/${policyId}/status`, { token: t.owner, body: { status } }),
  }
}

/** Runs an operation that is overtaken after it has read and decided. */
async function overtaken<Result>(decide: (by: Author) => Promise<Decision<Result>>, by: () => Promise<unknown>) {
  let decisions = 0
  const result = applyWithRetry(t.deps, ACTOR, async (now) => {
    decisions++
    const decision = await decide(now)
    if (decisions === 1) await by()
    return decision
  })
  const ended = await result.catch((error: unknown) => {
    if (error instanceof ProblemError) return error
    throw error
  })
  assert.equal(decisions, 2, 'it was decided again')
  return ended
}

const policiesOf = (user: { id: string }) =>
  t.sql<{ policy_id: string; status: string; dependant_ids: string[] }>(
    'select policy_id, status, dependant_ids from insurance_policies where user_id = $1 order by policy_id',
    [user.id],
  )

/** The number of the user's rows that an enrolment or a correction writes. */
async function countsOf(user: { id: string }) {
  const [row] = await t.sql(
    `select (select count(*)::int from insurance_policies where user_id = $1) as policies,
            (select count(*)::int from policy_snapshots where user_id = $1) as snapshots,
            (select count(*)::int from user_status_changes where user_id = $1 and entity_id like 'pol%') as history,
            (select count(*)::int from events
              where type = 'policy.status_changed' and data ->> 'user_id' = $1) as events,
            (select count(*)::int from user_providers where user_id = $1) as providers,
            (select count(*)::int from dependants where user_id = $1) as versions`,
    [user.id],
  )
  return row
}

const NOTHING = { policies: 0, snapshots: 0, history: 0, events: 0, providers: 0 }

describe('an enrolment that is overtaken', () => {
  it('by a correction of its dependant: 422, because there is a newer version', async () => {
    const at = await scene()
    const refused = await overtaken(at.enrolling, at.correct)
    assert.ok(refused instanceof ProblemError)
    assert.deepEqual(
      refused.errors?.map(({ pointer }) => pointer),
      ['/dependant_ids/0'],
    )
    assert.deepEqual(await countsOf(at.user), { ...NOTHING, versions: 2 })
  })

  it('by the same enrolment: 409, and there is one policy', async () => {
    const at = await scene()
    const refused = await overtaken(at.enrolling, at.enrol)
    assert.ok(refused instanceof ProblemError && refused.code === 'conflict')
    assert.deepEqual(await countsOf(at.user), {
      policies: 1,
      snapshots: 1,
      history: 1,
      events: 1,
      providers: 1,
      versions: 1,
    })
  })

  for (const [what, first] of [
    ['the deletion of the benefit', (at: Scene) => t.made('DELETE', `/v1/benefits/${at.benefit}`, { token: t.owner })],
    ['its sponsor being made inactive', makeSponsorInactive],
  ] as const) {
    it(`by ${what}: 409, and nothing is stored`, async () => {
      const at = await scene()
      const refused = await overtaken(at.enrolling, () => first(at))
      assert.ok(refused instanceof ProblemError && refused.code === 'conflict')
      assert.deepEqual(await countsOf(at.user), { ...NOTHING, versions: 1 })
    })
  }
})

type Scene = Awaited<ReturnType<typeof scene>>

async function makeSponsorInactive({ benefit }: Scene): Promise<void> {
  const { sponsor_id } = await t.made('GET', `/v1/benefits/${benefit}`, { token: t.owner })
  await t.made('PUT', `/v1/sponsors/${sponsor_id}/status`, { token: t.owner, body: { status: 'INACTIVE' } })
}

describe('a correction that is overtaken', () => {
  it('by an enrolment of the dependant: the new policy follows too', async () => {
    const at = await scene()
    const next = await overtaken(at.correction, at.enrol)
    assert.ok(!(next instanceof ProblemError))
    const [policy] = await policiesOf(at.user)
    assert.deepEqual([policy?.status, policy?.dependant_ids], ['PENDING', [next.id]])
  })

  it('by a transition of a following policy: it follows from its new state', async () => {
    const at = await scene()
    const id = await at.enrol()
    for (const status of ['VERIFICATION', 'APPROVED']) await at.put(id, status)
    const next = await overtaken(at.correction, () => at.put(id, 'ISSUED'))
    assert.ok(!(next instanceof ProblemError))
    const [policy] = await policiesOf(at.user)
    assert.deepEqual([policy?.status, policy?.dependant_ids], ['REQUIRES_POLICY_REISSUANCE', [next.id]])
  })

  it('by another correction: 409, and the versions form a single line', async () => {
    const at = await scene()
    await at.enrol()
    const refused = await overtaken(at.correction, at.correct)
    assert.ok(refused instanceof ProblemError && refused.code === 'conflict')
    assert.equal((await countsOf(at.user))?.['versions'], 2)
  })
})

describe('a transition that is overtaken by a correction', () => {
  it('is decided again: an issue to somebody that nobody has looked at is a 409', async () => {
    const at = await scene()
    const id = await at.enrol()
    for (const status of ['VERIFICATION', 'APPROVED']) await at.put(id, status)
    const refused = await overtaken(at.transition(id, 'ISSUED'), at.correct)
    assert.ok(refused instanceof ProblemError)
    assert.deepEqual(refused.members, { reason: 'persons_changed', persons_version: 1 })
    assert.deepEqual(await namesIssued(id), ['Asha'], 'the enrolment form alone')
    const [policy] = await policiesOf(at.user)
    assert.equal(policy?.status, 'APPROVED')
    assert.ok(!policy.dependant_ids.includes(at.ravi))
  })
})

describe('a user’s new name', () => {
  it('overtaken by an enrolment and its issue: that policy must be issued again', async () => {
    const at = await scene()
    await overtaken(at.renaming, async () => {
      const id = await at.enrol()
      for (const status of ['VERIFICATION', 'APPROVED', 'ISSUED']) await at.put(id, status)
    })
    assert.deepEqual(
      (await policiesOf(at.user)).map(({ status }) => status),
      ['REQUIRES_POLICY_REISSUANCE'],
    )
  })

  it('overtaking an issue: 409, and no certificate has either name', async () => {
    const at = await scene()
    const id = await at.enrol()
    for (const status of ['VERIFICATION', 'APPROVED']) await at.put(id, status)
    const refused = await overtaken(at.transition(id, 'ISSUED'), at.rename)
    assert.ok(refused instanceof ProblemError)
    assert.deepEqual(refused.members, { reason: 'persons_changed', persons_version: 1 })
    assert.deepEqual(await namesIssued(id), ['Asha'])
  })

  it('overtaking an enrolment: the enrolment form has the new name', async () => {
    const at = await scene()
    await overtaken(at.enrolling, at.rename)
    const [policy] = await policiesOf(at.user)
    assert.deepEqual(await namesIssued(String(policy?.policy_id)), ['Aasha'])
  })
})

/** The member's first name in each issue of a policy, the enrolment first. */
async function namesIssued(policyId: string): Promise<(string | null)[]> {
  const rows = await t.sql<{ user_id: string; data_key: string; issue: number; sealed: string }>(
    `select u.user_id, u.data_key, f.issue, f.sealed
       from policy_snapshots f join users u using (user_id)
      where f.policy_id = $1 order by f.issue`,
    [policyId],
  )
  return rows.map(({ user_id: userId, data_key, issue, sealed }) => {
    const key = t.deps.vault.unwrap(data_key)
    return SNAPSHOT.unseal(key, { userId, id: policyId, issue }, sealed).member.first_name
  })
}

describe('the database cost of an operation', () => {
  /** The names of the statements that an operation sends. */
  async function sentBy(decide: (by: Author, db: Database) => Promise<Decision<unknown>>): Promise<string[]> {
    const sent: string[] = []
    const db: Database = {
      ...t.db,
      query: (step, values) => (sent.push(step.name), t.db.query(step, values)),
      pipeline: () => assert.fail('one statement is enough'),
    }
    await applyWithRetry({ ...t.deps, db }, ACTOR, (by) => decide(by, db))
    return sent.filter((name) => name !== 'events_notify')
  }

  it('is one read and one write', async () => {
    const at = await scene()
    const newcomers = { userId: at.user.id, inputs: [{ first_name: 'A', last_name: 'B', date_of_birth: '2015-08-02' }] }
    const created = await sentBy((by, db) => createDependants({ ...t.deps, db }, newcomers, by))
    assert.deepEqual(created, ['dependants_find_family', 'dependants_insert'])
    assert.deepEqual(await sentBy(at.enrolling), ['insurance_policies_find_enrolment', 'insurance_policies_enrol'])
    const [policy] = await policiesOf(at.user)
    const id = String(policy?.policy_id)
    for (const status of ['VERIFICATION', 'APPROVED']) await at.put(id, status)
    const change = ['insurance_policies_find_to_change', 'insurance_policies_change']
    assert.deepEqual(await sentBy(at.transition(id, 'ISSUED')), change)
    assert.deepEqual(await sentBy(at.transition(id, 'ISSUED')), change.slice(0, 1), 'and no write when nothing changes')
    assert.deepEqual(await sentBy(at.correction), ['dependants_find_to_correct', 'dependants_correct'])
    assert.deepEqual(await sentBy(at.renaming), ['users_find_to_update', 'users_update'])
    assert.deepEqual(await sentBy(at.transition(id, 'EXPIRED')), change)
  })
})
