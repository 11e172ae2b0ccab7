import { isOwn, userIsInScope, type UserScope } from '../../access/scope.ts'
import type { Day } from '../../kernel/date.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import { type Column, columns, flag, type RecordOf, text } from '../../kernel/db/columns.ts'
import { type Database, onlyRow, type Queryable, statement, type WireTime } from '../../kernel/db/database.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { shareStatement } from '../../kernel/db/shared-statement.ts'
import { notFound } from '../../kernel/refusal.ts'
import { recordedWrite, sinceText } from '../../record/index.ts'
import type { Benefit } from '../benefits/index.ts'
import { openSnapshot, type PolicySnapshot, SNAPSHOT_PARTS } from '../documents/index.ts'
import { openSponsor } from '../sponsors/index.ts'
import { decodeUser, PROVIDERS_PART, type User, USER_COLUMNS } from '../users/index.ts'
import type { Cover } from './check-apart.ts'
import {
  openDependants,
  openOwner,
  openPolicy,
  type Owner,
  type OwnerRow,
  type Policy,
  POLICY,
  type PolicyRow,
  type Standing,
} from './open-policy.ts'
import type { PolicyStatus } from './states.ts'

/** Who stands on its documents beside the people. */
export type Parties = { sponsorName: string; providerName: string }

const ownerOf = (user: string) => `u.platform_id, u.data_key, u.sealed as user_sealed,
  (select json_object_agg(d.dependant_id, d.sealed) from dependants d where d.user_id = ${user}) as dependants`

const PARTIES = 's.sponsor_id, s.data_key as sponsor_key, s.sealed as sponsor_sealed, i.name as provider_name'

const JOIN_PARTIES = `join sponsors s on s.sponsor_id = b.sponsor_id
    join benefit_providers i on i.benefit_provider_id = b.benefit_provider_id`

/**
 * What belongs to the user comes with the first row of a page only, so that twenty policies do not carry twenty copies
 * of the family. Without its `offset 0` that look-up would be flattened into the join and run for every policy, which
 * costs the database an eighth more. `call` are the expressions for user, platform, provider, statuses, limit and
 * offset.
 */
function pageText(n: string, from: string, call: readonly string[]): string {
  const [user = '', platform = '', provider = '', statuses, limit, offset] = call
  const listed = `p.user_id = ${user}
          and ${isOwn(provider, 'p.benefit_provider_id')}
          and (${statuses}::text is null or p.status = any (string_to_array(${statuses}, ',')))`
  return `select ${n}::int as n, t.total, page.*, owner.*
     from ${from}
    cross join lateral (select count(*)::int as total from insurance_policies p where ${listed}) t
     left join lateral (
       select ${POLICY.list}, b.name as benefit_name,
              row_number() over (order by p.created_at desc, p.policy_id desc) as place
         from insurance_policies p
         join benefits b on b.benefit_id = p.benefit_id
        where ${listed}
        order by p.created_at desc, p.policy_id desc
        limit ${limit} offset ${offset}) page on true
     left join lateral (select ${ownerOf(user)} where page.place = ${offset} + 1 offset 0) owner on true
    where u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}
    order by n, page.place`
}

const CALLS = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[]) with ordinality
       as c (user_id, platform_id, provider_id, statuses, page_limit, page_offset, n)
     join users u on u.user_id = c.user_id`
const CALL = ['user_id', 'platform_id', 'provider_id', 'statuses', 'page_limit', 'page_offset'].map(
  (name) => `c.${name}`,
)

/** For N calls at once: 4.6 is the hottest read. */
const LIST = statement('insurance_policies_list', pageText('c.n', CALLS, CALL))

const ONE_CALL = ['$1', '$2', '$3', '$4', '$5::int', '$6::int']
const LIST_ONE = statement('insurance_policies_list_one', pageText('1', 'users u', ONE_CALL))

const findText = (more = { columns: '', joins: '' }) => `
  select ${ownerOf('$1')}, ${POLICY.list}, b.name as benefit_name ${more.columns}
    from users u
    join insurance_policies p on p.user_id = $1 and p.policy_id = $4 and ${isOwn('$3', 'p.benefit_provider_id')}
    join benefits b on b.benefit_id = p.benefit_id
    ${more.joins}
   where u.user_id = $1 and ${userIsInScope({ user: '$1', platform: '$2', provider: '$3' })}`

const FIND = statement('insurance_policies_find', findText())

const SINCE = `${sinceText({ user: '$1', entity: '$4' })} as since`

const FIND_STANDING = statement('insurance_policies_find_standing', findText({ columns: `, ${SINCE}`, joins: '' }))

/** What the open policies of `$1` in a plan cover. */
const coversOf = ({ benefit, plan }: { benefit: string; plan: string }, but = 'true') =>
  `(select json_agg(
             json_build_object('id', o.policy_id, 'from', coalesce(o.covered_from, o.start_date), 'to', o.end_date)
             order by o.policy_id)
      from insurance_policies o
     where o.user_id = $1 and o.benefit_id = ${benefit} and o.plan_code = ${plan}
       and o.status not in ('EXPIRED', 'REJECTED') and ${but})`

/**
 * With what else the user has of the plan, and the last snapshot when it is to be issued (`$5`) out of grace: what says
 * the same is no new issue.
 */
const FIND_TO_CHANGE = statement(
  'insurance_policies_find_to_change',
  findText({
    columns: `, ${SINCE}, ${PARTIES}, a.sealed as snapshot, u.cover_revision,
         ${coversOf({ benefit: 'p.benefit_id', plan: 'p.plan_code' }, 'o.policy_id <> $4')} as others`,
    joins: `${JOIN_PARTIES}
    left join policy_facts a on a.user_id = $1 and a.policy_id = $4 and a.issue = p.issue
     and $5 and p.status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'`,
  }),
)

/** A benefit as somebody can be enrolled in it. */
const OFFER = columns('o', {
  benefitId: text('benefit_id'),
  benefitName: text('benefit_name'),
  benefitProviderId: text('benefit_provider_id'),
  sponsorId: text('sponsor_id'),
  isArchived: flag('is_archived'),
  isSponsorInactive: flag('is_sponsor_inactive'),
  plans: { column: 'plans', decode: (stored) => stored as Benefit['plans'] } satisfies Column<Benefit['plans']>,
})

const FIND_ENROLMENT = statement(
  'insurance_policies_find_enrolment',
  `select ${USER_COLUMNS}, ${OFFER.list}, o.sponsor_key, o.sponsor_sealed, o.provider_name,
          (select json_object_agg(d.dependant_id, d.sealed)
             from dependants d
            where d.user_id = $1 and d.dependant_id = any ($6) and d.superseded_at is null) as dependants,
          ${coversOf({ benefit: '$4', plan: '$5' })} as others
     from users u
     left join lateral (
       select b.benefit_id, b.name as benefit_name, b.benefit_provider_id, b.plans, ${PARTIES},
              b.status = 'ARCHIVED' as is_archived, s.status = 'INACTIVE' as is_sponsor_inactive
         from benefits b
         ${JOIN_PARTIES}
        where b.benefit_id = $4 and b.platform_id = u.platform_id) o on true
    where u.user_id = $1 and ${userIsInScope({ user: '$1', platform: '$2', provider: '$3' })}`,
)

/**
 * `$1` to `$5` are the user, the `cover_revision` that was read, the benefit, its sponsor and the row: neither is
 * archived or made inactive, and no dependant gets a new version, before the policy is there.
 */
export const ENROL = recordedWrite({
  name: 'insurance_policies_enrol',
  one: `covered as (
       update users
          set cover_revision = cover_revision + 1
        where user_id = $1 and cover_revision = $2
          and exists (select from benefits where benefit_id = $3 and status = 'ACTIVE' for share)
          and exists (select from sponsors where sponsor_id = $4 and status <> 'INACTIVE' for share)
       returning user_id
     ), changed as (
       insert into insurance_policies (${POLICY.names})
       select ${POLICY.list}
         from covered
         join json_populate_record(null::insurance_policies, $5) as p using (user_id)
       returning 1 as n)`,
  parts: [PROVIDERS_PART, ...SNAPSHOT_PARTS],
  history: 'user',
})

/** What a transition can change, from the row `r`. */
const SET_CHANGED = `status = r.status, start_date = r.start_date, end_date = r.end_date, covered_from = r.covered_from,
               external_policy_id = r.external_policy_id, master_policy_number = r.master_policy_number,
               sealed = r.sealed, grace_until = r.grace_until, next_move_on = r.next_move_on, issue = r.issue,
               issued_dependant_ids = r.issued_dependant_ids, revision = r.revision,
               last_modified_at = r.last_modified_at`

/** `$4` is the row with what a transition can change, guarded by the revision that was read. */
export const CHANGE_POLICY = recordedWrite({
  name: 'insurance_policies_change',
  one: `update insurance_policies p
           set ${SET_CHANGED}
          from json_populate_record(null::insurance_policies, $4) as r
         where p.user_id = $1 and p.policy_id = $2 and p.revision = $3
        returning 1 as n`,
  parts: SNAPSHOT_PARTS,
  history: 'user',
})

/**
 * The same for a transition after which the policy covers further days; `$5` is the `cover_revision` that was read, so
 * that no other policy has come to cover them.
 */
export const EXTEND_POLICY = recordedWrite({
  name: 'insurance_policies_extend',
  one: `covered as (
       update users
          set cover_revision = cover_revision + 1
        where user_id = $1 and cover_revision = $5
          and exists (select from insurance_policies p
                       where p.user_id = $1 and p.policy_id = $2 and p.revision = $3
                         for no key update)
       returning user_id
     ), changed as (
       update insurance_policies p
           set ${SET_CHANGED}
          from covered, json_populate_record(null::insurance_policies, $4) as r
         where p.user_id = $1 and p.policy_id = $2 and p.revision = $3
       returning 1 as n)`,
  parts: SNAPSHOT_PARTS,
  history: 'user',
})

/** SQL: policies that are not EXPIRED or REJECTED use the benefit that the expression names. */
export const usesBenefit = (benefit: string): string =>
  `exists (select 1 from insurance_policies p where p.benefit_id = ${benefit} and p.status not in ('EXPIRED', 'REJECTED'))`

/** By the first day of the index: asked with `exists`, the planner soon reads the whole table, 50 ms for 300,000 policies. */
const HAS_DUE = statement(
  'insurance_policies_has_due',
  'select coalesce(min(next_move_on) <= $1, false) as has_due from insurance_policies',
)

const LIST_DUE = statement(
  'insurance_policies_list_due',
  `select ${ownerOf('u.user_id')}, ${POLICY.list}, b.name as benefit_name
     from insurance_policies p
     join users u on u.user_id = p.user_id
     join benefits b on b.benefit_id = p.benefit_id
    where p.next_move_on <= $1 and p.policy_id <> all ($2)
    order by p.next_move_on
    limit $3`,
)

type Kit = { db: Queryable; vault: Vault }
type Row = OwnerRow & PolicyRow
type Since = { since: WireTime }
type PartiesRow = Record<'sponsor_id' | 'sponsor_key' | 'sponsor_sealed' | 'provider_name', string>

export type ListCall = UserScope & Page & { statuses: PolicyStatus[] | undefined }

/** A page of a user's policies (4.6), shared by concurrent calls. Throws 404 `not_found` outside the caller's scope. */
export function openPolicyList(db: Database, vault: Vault): (call: ListCall) => Promise<Paged<Policy>> {
  const toValues = ({ statuses, limit, offset, ...scope }: ListCall) => [
    ...scopeValues(scope),
    statuses?.join(',') ?? null,
    limit,
    offset,
  ]
  const find = shareStatement<ListCall, Row & { n: number; total: number }>(db, LIST, toValues, LIST_ONE)
  return async (call) => {
    const rows = await find(call)
    const [first] = rows
    if (!first) throw notFound()
    let owner: Owner | undefined
    return decodePage(rows, 'policy_id', (row) => openPolicy(row, (owner ??= openOwner(first, vault))))
  }
}

const scopeValues = ({ userId, platformId, providerId }: UserScope) => [userId, platformId, providerId]

/** Throws 404 `not_found` when the policy is not in the caller's scope. */
export async function findPolicy({ db, vault }: Kit, scope: UserScope, id: string): Promise<Policy> {
  const [row] = await db.query<Row>(FIND, [...scopeValues(scope), id])
  if (!row) throw notFound()
  return openPolicy(row, openOwner(row, vault))
}

/** The same with when it came into its status. */
export async function findStanding({ db, vault }: Kit, scope: UserScope, id: string): Promise<Standing> {
  const [row] = await db.query<Row & Since>(FIND_STANDING, [...scopeValues(scope), id])
  if (!row) throw notFound()
  return { policy: openPolicy(row, openOwner(row, vault)), since: row.since }
}

/** A policy with what a transition needs: who stands on its documents, and what it has to be compared with. */
export type PolicyToChange = Standing & {
  parties: () => Parties
  lastSnapshot: PolicySnapshot | undefined
  /** What the user's other open policies of the plan cover. */
  others: readonly Cover[]
  coverRevision: number
}

/** The same for a transition. */
export async function findPolicyToChange(
  { db, vault }: Kit,
  scope: UserScope,
  { id, isIssue }: { id: string; isIssue: boolean },
): Promise<PolicyToChange> {
  type Found = Row & PartiesRow & Since & { snapshot: string | null; others: Cover[] | null; cover_revision: number }
  const [row] = await db.query<Found>(FIND_TO_CHANGE, [...scopeValues(scope), id, isIssue])
  if (!row) throw notFound()
  const policy = openPolicy(row, openOwner(row, vault))
  const lastSnapshot = row.snapshot === null ? undefined : openSnapshot(policy, row.snapshot)
  return {
    policy,
    since: row.since,
    parties: () => partiesOf(row, vault),
    lastSnapshot,
    others: row.others ?? [],
    coverRevision: row.cover_revision,
  }
}

/**
 * What an enrolment is decided on: the user, the benefit if it is their platform's, current dependants among those
 * named.
 */
export type EnrolmentScene = {
  user: User
  offer: (RecordOf<typeof OFFER> & Parties) | undefined
  dependant: Owner['dependant']
  /** What the user's open policies of the plan cover. */
  others: readonly Cover[]
}

type Named = { benefitId: string; planCode: string; dependantIds: readonly string[] }

/** Throws 404 `not_found` when the user is not in the caller's scope. */
export async function findEnrolmentScene(
  { db, vault }: Kit,
  scope: UserScope,
  { benefitId, planCode, dependantIds }: Named,
): Promise<EnrolmentScene> {
  type Found = Pick<OwnerRow, 'dependants'> & { others: Cover[] | null } & (
      | { benefit_id: null }
      | ({ benefit_id: string } & PartiesRow)
    )
  const [row] = await db.query<Found>(FIND_ENROLMENT, [...scopeValues(scope), benefitId, planCode, dependantIds])
  if (!row) throw notFound()
  const user = decodeUser(row, vault)
  return {
    user,
    offer: row.benefit_id === null ? undefined : { ...OFFER.decode(row), ...partiesOf(row, vault) },
    dependant: openDependants({ userId: user.id, key: user.key }, row.dependants),
    others: row.others ?? [],
  }
}

const partiesOf = (row: PartiesRow, vault: Vault): Parties => ({
  sponsorName: openSponsor(vault, { id: row.sponsor_id, dataKey: row.sponsor_key, sealed: row.sponsor_sealed }).name,
  providerName: row.provider_name,
})

/** True when the day of some policy has come. */
export async function hasDuePolicies(db: Queryable, today: Day): Promise<boolean> {
  return onlyRow(await db.query<{ has_due: boolean }>(HAS_DUE, [today])).has_due
}

/** A policy that is opened only when its turn comes: one that cannot be opened must not keep the others waiting. */
export type DuePolicy = { userId: string; id: string; open: () => Policy }

/** Due policies except the given ids, most overdue first. */
export async function listDuePolicies(
  { db, vault }: Kit,
  { today, without, limit }: { today: Day; without: string[]; limit: number },
): Promise<DuePolicy[]> {
  const rows = await db.query<Row & { policy_id: string }>(LIST_DUE, [today, without, limit])
  return rows.map((row) => ({
    userId: row.user_id,
    id: row.policy_id,
    open: () => openPolicy(row, openOwner(row, vault)),
  }))
}
