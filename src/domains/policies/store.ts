import { isOwn, userIsInScope, type UserScope } from '../../access/scope.ts'
import type { Day } from '../../kernel/date.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import { columns, day, integer, nullable, oneOf, type RecordOf, text, texts } from '../../kernel/db/columns.ts'
import { type Database, onlyRow, type Queryable, statement } from '../../kernel/db/database.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { sharedRead } from '../../kernel/db/shared-read.ts'
import type { Part } from '../../kernel/db/write-statement.ts'
import { conflict, notFound } from '../../kernel/refusal.ts'
import { recordedWrite } from '../../record/index.ts'
import { openSnapshot, type PolicySnapshot, SNAPSHOT_PARTS } from '../documents/index.ts'
import { openSponsor } from '../sponsors/index.ts'
import { openOwner, openPolicy, type Owner, type OwnerRow, type Policy, POLICY, type PolicyRow } from './open-policy.ts'
import { POLICY_STATUSES, type PolicyStatus } from './states.ts'

/** Who stands on its documents beside the people. */
export type Parties = { sponsorName: string; providerName: string }

const ownerOf = (user: string) => `u.platform_id, u.data_key, u.sealed as user_sealed,
  (select json_object_agg(d.dependant_id, d.sealed) from dependants d where d.user_id = ${user}) as dependants`

export const PARTIES = 's.sponsor_id, s.data_key as sponsor_key, s.sealed as sponsor_sealed, i.name as provider_name'

export const JOIN_PARTIES = `join sponsors s on s.sponsor_id = b.sponsor_id
    join benefit_providers i on i.benefit_provider_id = b.benefit_provider_id`

/**
 * What belongs to the user comes with the first row of a page only, so that twenty policies do not carry twenty copies
 * of the family. Without its `offset 0` that look-up would be flattened into the join and run for every policy, which
 * costs the database an eighth more. 4.6 is the hottest read.
 */
const LIST = sharedRead<Row & { total: number }>({
  name: 'insurance_policies_list',
  parameters: 'user_id text, platform_id text, provider_id text, statuses text, page_limit int, page_offset int',
  text: (calls, user, platform, provider, statuses, limit, offset) => {
    const listed = `p.user_id = ${user}
          and ${isOwn(provider, 'p.benefit_provider_id')}
          and (${statuses} is null or p.status = any (string_to_array(${statuses}, ',')))`
    return `select c.n::int, t.total, page.*, owner.*
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}
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
    order by c.n, page.place`
  },
})

const FIND_PARAMETERS = 'user_id text, platform_id text, provider_id text, policy_id text'

function findText(calls: string, scope: readonly string[], more = { columns: '', joins: '' }): string {
  const [user = '', platform = '', provider = '', policy = ''] = scope
  return `
  select c.n::int, ${ownerOf(user)}, ${POLICY.list}, b.name as benefit_name ${more.columns}
    from ${calls}
    join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}
    join insurance_policies p on p.user_id = ${user} and p.policy_id = ${policy}
     and ${isOwn(provider, 'p.benefit_provider_id')}
    join benefits b on b.benefit_id = p.benefit_id
    ${more.joins}`
}

const FIND = sharedRead<Row>({
  name: 'insurance_policies_find',
  parameters: FIND_PARAMETERS,
  text: (calls, ...scope) => findText(calls, scope),
})

/** With the last snapshot when it is to be issued out of grace: what says the same is no new issue. */
const FIND_TO_CHANGE = sharedRead<Row & PartiesRow & { snapshot: string | null }>({
  name: 'insurance_policies_find_to_change',
  parameters: `${FIND_PARAMETERS}, is_issue boolean`,
  text: (calls, user, platform, provider, policy, isIssue) =>
    findText(calls, [user, platform, provider, policy], {
      columns: `, ${PARTIES}, a.sealed as snapshot`,
      joins: `${JOIN_PARTIES}
    left join policy_facts a on a.user_id = ${user} and a.policy_id = ${policy} and a.issue = p.issue
     and ${isIssue} and p.status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'`,
    }),
})

/** What a transition can change, from the row `r`. */
const SET_CHANGED = `status = r.status, start_date = r.start_date, end_date = r.end_date, covered_from = r.covered_from,
               external_policy_id = r.external_policy_id, master_policy_number = r.master_policy_number,
               sealed = r.sealed, grace_until = r.grace_until, next_move_on = r.next_move_on, issue = r.issue,
               issued_dependant_ids = r.issued_dependant_ids, revision = r.revision,
               last_modified_at = r.last_modified_at`

/** The policy, guarded by the revision that was read, and its row. */
export const CHANGE_POLICY = recordedWrite({
  name: 'insurance_policies_change',
  one: `update insurance_policies p
           set ${SET_CHANGED}
          from json_populate_record(null::insurance_policies, $4) as r
         where p.user_id = $1 and p.policy_id = $2 and p.revision = $3
        returning 1 as n`,
  many: {
    columns: 'user_id text, policy_id text, revision int, policy json',
    text: `held as (
       select c.n
         from calls c
         join insurance_policies p on p.user_id = c.user_id and p.policy_id = c.policy_id and p.revision = c.revision
          for no key update of p skip locked
     ), changed as (
       update insurance_policies p
           set ${SET_CHANGED}
          from calls c
          join held h on h.n = c.n
         cross join lateral json_populate_record(null::insurance_policies, c.policy) as r
         where p.user_id = c.user_id and p.policy_id = c.policy_id
       returning c.n)`,
  },
  parts: SNAPSHOT_PARTS,
  history: 'user',
})

/** SQL: policies that are not EXPIRED or REJECTED use the benefit that the expression names. */
export const usesBenefit = (benefit: string): string =>
  `exists (select 1 from insurance_policies p where p.benefit_id = ${benefit} and p.status not in ('EXPIRED', 'REJECTED'))`

/** SQL: the users who hold a policy to which its benefit provider gave the number that the expression names. */
export const holdersOfPolicy = (number: string): string =>
  `select distinct p.user_id from insurance_policies p where p.external_policy_id = ${number}`

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

const FOLLOWER = columns('f', {
  id: text('policy_id'),
  benefitProviderId: text('benefit_provider_id'),
  status: oneOf('policy_status', POLICY_STATUSES),
  dependantIds: texts('dependant_ids'),
  nomineeDependantId: nullable(text('nominee_dependant_id')),
  endDate: day('end_date'),
  renewalWindowDays: integer('renewal_window_days'),
  graceDays: integer('grace_days'),
  graceUntil: nullable(day('grace_until')),
  revision: integer('policy_revision'),
})

/** An open policy, as it is read together with the person whose correction it follows. */
export type Follower = RecordOf<typeof FOLLOWER>

/** The open policies of `$1` of which the condition is true. */
const openPolicies = (condition: string) => ({
  columns: FOLLOWER.list,
  from: `lateral (
       select p.policy_id, p.benefit_provider_id, p.status as policy_status, p.dependant_ids, p.nominee_dependant_id,
              p.end_date, p.renewal_window_days, p.grace_days, p.grace_until, p.revision as policy_revision
         from insurance_policies p
        where p.user_id = $1 and p.status not in ('EXPIRED', 'REJECTED')
          and ${condition}
        order by p.policy_id) f`,
})

/** Those that name the dependant `$4`. */
export const FOLLOWERS_OF_DEPENDANT = openPolicies('($4 = any (p.dependant_ids) or p.nominee_dependant_id = $4)')
/** All of them: each names its user. */
export const FOLLOWERS_OF_USER = openPolicies('true')

export const decodeFollowers = (rows: readonly object[]): Follower[] =>
  rows.filter((row) => (row as { policy_id: string | null }).policy_id !== null).map(FOLLOWER.decode)

/** True while every policy of `$1` that `$3` lists has the revision it says; holds them until the write is done. */
export const FOLLOWERS_GUARD = `not exists (
  select from json_to_recordset($3) as s (policy_id text, revision int)
   where not exists (
     select from insurance_policies p
      where p.user_id = $1 and p.policy_id = s.policy_id and p.revision = s.revision
        for no key update))`

export const FOLLOW_PART: Part = {
  name: 'followed',
  columns: `user_id text, policy_id text, status text, dependant_ids text[], nominee_dependant_id text,
    grace_until date, next_move_on date, at timestamptz`,
  text: `update insurance_policies p
        set status = r.status, dependant_ids = r.dependant_ids, nominee_dependant_id = r.nominee_dependant_id,
            grace_until = r.grace_until, next_move_on = r.next_move_on, revision = p.revision + 1,
            last_modified_at = r.at
       from r
       join changed using (n)
      where p.user_id = r.user_id and p.policy_id = r.policy_id`,
}

/** 409: a transition would make it equal to another policy that is open. */
export const ENROLLED_ALREADY = {
  insurance_policies_enrolment: () => conflict('The user is enrolled in this plan with this start already.'),
}

export type Kit = { db: Database; vault: Vault }
type Row = OwnerRow & PolicyRow
export type PartiesRow = Record<'sponsor_id' | 'sponsor_key' | 'sponsor_sealed' | 'provider_name', string>

export type ListCall = UserScope & Page & { statuses: PolicyStatus[] | undefined }

/** A page of a user's policies (4.6). Throws 404 `not_found` outside the caller's scope. */
export async function listPolicies(
  { db, vault }: Kit,
  { statuses, limit, offset, ...scope }: ListCall,
): Promise<Paged<Policy>> {
  const rows = await LIST(db, [...scopeValues(scope), statuses?.join(',') ?? null, limit, offset])
  const [first] = rows
  if (!first) throw notFound()
  let owner: Owner | undefined
  return decodePage(rows, 'policy_id', (row) => openPolicy(row, (owner ??= openOwner(first, vault))))
}

export const scopeValues = ({ userId, platformId, providerId }: UserScope) => [userId, platformId, providerId]

/** Throws 404 `not_found` when the policy is not in the caller's scope. */
export async function findPolicy({ db, vault }: Kit, scope: UserScope, id: string): Promise<Policy> {
  const [row] = await FIND(db, [...scopeValues(scope), id])
  if (!row) throw notFound()
  return openPolicy(row, openOwner(row, vault))
}

/** A policy with what an issue of it needs: who stands on its documents, and what it has to be compared with. */
export type PolicyToChange = { policy: Policy; parties: () => Parties; lastSnapshot: PolicySnapshot | undefined }

/** The same for a transition. */
export async function findPolicyToChange(
  { db, vault }: Kit,
  scope: UserScope,
  { id, isIssue }: { id: string; isIssue: boolean },
): Promise<PolicyToChange> {
  const [row] = await FIND_TO_CHANGE(db, [...scopeValues(scope), id, isIssue])
  if (!row) throw notFound()
  const policy = openPolicy(row, openOwner(row, vault))
  const lastSnapshot = row.snapshot === null ? undefined : openSnapshot(policy, row.snapshot)
  return { policy, parties: () => partiesOf(row, vault), lastSnapshot }
}

export const partiesOf = (row: PartiesRow, vault: Vault): Parties => ({
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
