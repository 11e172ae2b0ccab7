import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { decideAction } from '../../../src/domains/administration/next-actions/decide-action.ts'
import { listWaiting } from '../../../src/domains/administration/next-actions/list-store.ts'
import { actionOf, WAITED_FOR } from '../../../src/domains/administration/next-actions/states.ts'
import { listSubjects } from '../../../src/domains/administration/next-actions/subject-store.ts'
import { type Body, openTestApp } from '../../support/app.ts'
import { DEADLINES } from '../../support/installation.ts'
import { changedBefore } from '../../support/policies-in-bulk.ts'

const t = await openTestApp({ own: true })
const TODAY = '2026-06-15'
const COUNT = 240

type Found = { id: string; code: string; dueOn: string | null; platformId: string; benefitProviderId: string | null }

/** Gives the policies of a platform every state, mark and day, and their users what else can wait. */
async function scatter(platformId: string): Promise<void> {
  await t.sql(
    `with every as (
       select user_id, row_number() over (order by user_id)::int as i from insurance_policies where platform_id = $1)
     update insurance_policies p
        set status = (array['PENDING', 'VERIFICATION', 'APPROVED', 'REQUIRES_POLICY_REISSUANCE', 'REQUIRES_CUSTOMER_RENEWAL',
                            'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'ISSUED', 'EXPIRED'])[1 + i % 8],
            issue = case when i % 8 in (3, 4, 5, 6) or i % 3 = 0 then 1 else 0 end,
            is_sent_back = i % 5 = 0,
            begins_cover = i % 7 = 0,
            created_at = '2026-06-01T20:00:00Z'::timestamptz + i % 11 * interval '1 day',
            status_since = case when i % 4 = 0 then null else '2026-06-03T20:00:00Z'::timestamptz + i % 13 * interval '1 day' end,
            end_date = date '2026-06-20' + i % 17,
            grace_until = case when i % 8 = 5 or (i % 8 < 4 and (i % 8 = 3 or i % 3 = 0)) then date '2026-06-10' + i % 29 end,
            ends_on = case when i % 6 = 1 and i % 8 in (3, 4, 5) then date '2026-06-12' + i % 19 end
       from every e
      where e.user_id = p.user_id`,
    [platformId],
  )
  await t.sql(`update insurance_policies set next_move_on = least(grace_until, ends_on) + 1 where platform_id = $1`, [
    platformId,
  ])
  await t.sql(
    `insert into policy_endorsements (user_id, endorsement_id, policy_id, platform_id, benefit_provider_id, kind, on_day,
            persons_version, due_on, state, actor, created_at, last_modified_at)
     select user_id, 'edo_' || user_id, policy_id, platform_id, benefit_provider_id, 'CORRECTION', date '2026-06-01', 1,
            date '2026-06-10' + user_id::bigint::int % 9, case when user_id::bigint % 3 = 0 then 'ACCEPTED' else 'REQUESTED' end,
            'test', now(), now()
       from insurance_policies where platform_id = $1 and user_id::bigint % 2 = 0`,
    [platformId],
  )
  await t.sql(
    `insert into consultations (user_id, consultation_id, platform_id, benefit_provider_id, status, awaits_provider, slot, last_modified_at)
     select user_id, 'con_' || user_id, platform_id, benefit_provider_id, 'OPEN', user_id::bigint % 3 = 0, 1,
            now() - user_id::bigint % 10 * interval '1 hour'
       from insurance_policies where platform_id = $1 and user_id::bigint % 4 = 0`,
    [platformId],
  )
  await t.sql(
    `insert into accounts (user_id, account_id, platform_id, account_type, status, created_at)
     select user_id, 'acc_' || user_id, platform_id, 'HSA', (array['PENDING', 'INACTIVE'])[1 + user_id::bigint::int % 2],
            now() - user_id::bigint % 10 * interval '1 hour'
       from insurance_policies where platform_id = $1 and user_id::bigint % 5 < 2`,
    [platformId],
  )
  await t.sql(
    `insert into wallets (user_id, platform_id, partner_wallet_id, wallet_status, wallet_status_partner, queued_at, last_modified_at)
     select user_id, platform_id, 'wal_' || user_id, state,
            case when state <> 'COMPLETED' then 'UNKNOWN' when user_id::bigint % 2 = 0 then 'ACTIVE' else 'BLOCKED' end, now(),
            now() - user_id::bigint % 10 * interval '1 hour'
       from insurance_policies,
            lateral (select (array['CREATED', 'PENDING', 'IN_PROGRESS', 'RETRYING', 'FAILED', 'COMPLETED'])[1 + user_id::bigint::int % 6] as state) s
      where platform_id = $1`,
    [platformId],
  )
}

describe('GET /v1/next_actions of many users', async () => {
  let expected: Found[] = []
  const made = await changedBefore(t, COUNT)
  const { platform, provider } = made
  let userIds: string[] = []

  before(async () => {
    t.calendar.at = new Date(`${TODAY}T12:00:00+05:30`)
    await scatter(platform.id)
    userIds = made.made.map(({ userId }) => userId)
    expected = await expectedBy(DEADLINES)
  })

  /** What each user has by itself, but rights, in the order of the list. */
  async function expectedBy(deadlines: typeof DEADLINES): Promise<Found[]> {
    const rules = { deadlines, correctionDays: 7, today: TODAY }
    const all = await Promise.all(
      userIds.map(async (userId) => {
        const scope = {
          userId: userId as Parameters<typeof listSubjects>[1]['userId'],
          platformId: null,
          providerId: null,
        }
        const subjects = await listSubjects(t.deps.db, scope)
        return subjects.flatMap((one) => {
          const decided = decideAction(one, rules)
          return decided === null || actionOf(decided.code).isRight ? [] : [{ ...one, ...decided }]
        })
      }),
    )
    return all.flat()
  }

  async function listed(query: string, token: string, limit = 13): Promise<Body[]> {
    const found: Body[] = []
    let after = ''
    do {
      const page = await t.made('GET', `/v1/next_actions?limit=${limit}${query}${after}`, { token })
      found.push(...page.data)
      assert(page.next === null || page.data.length === limit)
      after = page.next === null ? '' : `&after=${page.next}`
    } while (after !== '')
    return found
  }

  const keysOf = (all: readonly Found[]) => all.map(({ id, code, dueOn }) => `${dueOn} ${id} ${code}`).toSorted()
  const keysIn = (all: readonly Body[]) => all.map(({ subject, code, due_on }) => `${due_on} ${subject} ${code}`)

  it('200 is what each of them has, once, by due day, whatever the size of the pages', async () => {
    assert(expected.length > COUNT, `${expected.length} actions`)
    for (const limit of [13, 100]) {
      const found = await listed('', t.owner, limit)
      const own = found.filter(({ subject_kind }) => subject_kind !== 'sponsor')
      assert.deepEqual(keysIn(own).toSorted(), keysOf(expected))
      const days: string[] = found.map(({ due_on }) => due_on ?? '9999')
      assert.deepEqual(days, days.toSorted())
    }
  })

  it('200 of a benefit provider has nothing of accounts and wallets, of a platform all of its users', async () => {
    const kinds = ['insurance_policy', 'endorsement', 'consultation']
    const own = expected.filter(({ id }) => ['pol_', 'edo_', 'con_'].some((prefix) => id.startsWith(prefix)))
    const ofProvider = await listed('', provider.token)
    assert.deepEqual(keysIn(ofProvider).toSorted(), keysOf(own))
    assert(ofProvider.every(({ subject_kind }) => kinds.includes(subject_kind)))
    assert.deepEqual(keysIn(await listed('', platform.token)).toSorted(), keysOf(expected))
    const [other, stranger] = [await t.platform(), await t.provider()]
    for (const { token } of [other, stranger]) assert.deepEqual(await listed('', token), [])
  })

  it('200 has no consultation for an administrator who may list none', async () => {
    const kindsFor = async (token: string) => new Set((await listed('', token)).map(({ subject_kind }) => subject_kind))
    for (const token of [t.viewer, t.operator]) assert(!(await kindsFor(token)).has('consultation'))
    assert((await kindsFor(t.owner)).has('consultation'))
  })

  it('200 filtered by who is waited for and by the day', async () => {
    for (const who of WAITED_FOR) {
      const of = expected.filter(({ code }) => actionOf(code as Parameters<typeof actionOf>[0]).who === who)
      assert(of.length > 0, who)
      assert.deepEqual(keysIn(await listed(`&who=${who}`, platform.token)).toSorted(), keysOf(of), who)
    }
    const two = await listed('&who=sponsor&who=platform', platform.token)
    assert.deepEqual([...new Set<string>(two.map(({ who }) => who))].toSorted(), ['platform', 'sponsor'])
    for (const day of ['2026-06-09', TODAY, '2026-06-16', '2999-12-31']) {
      const due = expected.filter(({ dueOn }) => dueOn !== null && dueOn < day)
      for (const { token } of [platform, provider])
        assert.deepEqual(keysIn(await listed(`&due_before=${day}`, token)).toSorted(), keysOf(due), day)
    }
  })

  it('200 by other days from a day on, in the order of the days', async () => {
    const changing = {
      ...DEADLINES,
      decision: [
        { from: null, days: 12 },
        { from: '2026-06-08', days: 2 },
      ],
    }
    const of = await expectedBy(changing)
    for (const batching of [true, false]) {
      const filter = {
        scope: { platformId: platform.id, providerId: null },
        who: WAITED_FOR,
        dueBefore: undefined,
        seesConsultations: true,
      }
      const rows = await listWaiting(
        { ...t.deps.db, batching },
        { ...filter, today: TODAY, deadlines: changing, correctionDays: 7, after: undefined, limit: 2_000 },
      )
      const rules = { deadlines: changing, correctionDays: 7, today: TODAY }
      const found = rows.map((one) => ({ ...one, ...(decideAction(one, rules) ?? assert.fail(one.id)) }))
      assert.deepEqual(keysOf(found), keysOf(of))
      const days = found.map(({ dueOn }) => dueOn ?? '9999')
      assert.deepEqual(days, days.toSorted())
    }
  })
})
