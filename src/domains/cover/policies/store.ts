import type { Static } from 'typebox'
import {
  isOwn,
  SCOPE_PARAMETERS,
  scopeValues,
  userIsInScope,
  type UserScope,
  userScopeFrom,
} from '../../../access/scope.ts'
import type { Day } from '../../../kernel/date.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { foundRow, onlyRow, type Queryable, statement, type WireTime } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { batchedRead } from '../../../kernel/batching/batched-read.ts'
import { type Call, type Deps, sinceText } from '../../../record/index.ts'
import type { Benefit } from '../../partners/benefits/index.ts'
import { unsealSponsor } from '../../partners/sponsors/index.ts'
import type { StructuredAddress } from '../../address.ts'
import { decodePending, type PendingEndorsement, pendingText } from '../endorsements/pending-store.ts'
import { decodeUploads, SNAPSHOT, uploadsText } from '../documents/store.ts'
import { type Policy, POLICY, type PolicyPath, type PolicyWithSince } from './records.ts'
import type { Conditions, Cover } from './find-rejection.ts'
import { OVER, type PolicyStatus } from './states.ts'
import {
  type OwnerRow,
  type PolicyRow,
  type UnsealOptions,
  TOLERANT,
  unsealOwner,
  unsealPolicy,
} from './unseal-policy.ts'

/** The organisations that documents name. */
export type Parties = {
  sponsorName: string
  providerName: string
  providerAddress: Static<typeof StructuredAddress> | null
  providerColour: string | null
}

const OWNER = 'u.platform_id, u.data_key, u.sealed as user_sealed'

/**
 * Returns SQL for the sealed dependants with these ids. Looks each up, so that it does not matter how many others a user has: without
 * `limit` the planner would read every version of all of them, because most users have few.
 */
const dependantsText = (user: string, ids: string) => `(
         select json_object_agg(d.dependant_id, d.sealed)
           from unnest(${ids}) as k (id)
          cross join lateral (
            select d.dependant_id, d.sealed
              from dependants d
             where d.user_id = ${user} and d.dependant_id = k.id
             limit 1) d)`

/** The dependants of the policy `p`, those of its last issue, its nominee, and those with days of their own. */
const NAMED = `p.dependant_ids
            || case when p.issued_dependant_ids <> p.dependant_ids then p.issued_dependant_ids end
            || case when p.nominee_dependant_id <> all (p.dependant_ids) then p.nominee_dependant_id end
            || case when p.member_days is not null then array(select m ->> 'id' from jsonb_array_elements(p.member_days) m) end`

export const PARTIES = `s.sponsor_id, s.data_key as sponsor_key, s.sealed as sponsor_sealed, i.name as provider_name,
         i.address as provider_address, i.colour as provider_colour`

export const JOIN_PARTIES = `join sponsors s on s.sponsor_id = b.sponsor_id
    join benefit_providers i on i.benefit_provider_id = b.benefit_provider_id`

/**
 * The user's data comes with the first row of a page only, and dependants only where a policy covers others than the one before it, so
 * that twenty policies do not carry twenty copies of the family. Without `offset 0` the planner would flatten that lookup
 * into the join and run it for every policy, which costs an eighth more. Policies are counted only when the page does not
 * show how many there are: with its last row when it is full, and when it is empty but not the first. It is the
 * hottest read. Ids begin with their time, so the primary key has the newest last.
 */
const LIST = batchedRead<ListedRow>({
  name: 'insurance_policies_list',
  parameters: `${SCOPE_PARAMETERS}, statuses text[], page_limit int, page_offset int`,
  text: (calls, user, platform, provider, statuses, limit, offset) => {
    const listed = `p.user_id = ${user}
          and ${isOwn(provider, 'p.benefit_provider_id')}
          and (${statuses} is null or p.status = any (${statuses}))`
    return `select c.n::int, ${POLICY.list}, p.benefit_name, owner.*,
          case when p.dependant_ids <> coalesce(p.dependant_ids_before, '{}') then ${dependantsText(user, 'p.dependant_ids')}
          end as dependants,
          case when p.position = ${offset} + ${limit} or p.position is null and ${offset} > 0 then (
            select count(*)::int from insurance_policies p where ${listed}) end as total
     from ${calls}
     join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}
     left join lateral (
       select ${POLICY.list}, b.name as benefit_name, row_number() over newest as position,
              case when row_number() over newest > ${offset} + 1 then lag(p.dependant_ids) over newest end as dependant_ids_before
         from insurance_policies p
         join benefits b on b.benefit_id = p.benefit_id
        where ${listed}
       window newest as (order by p.policy_id desc)
        order by p.policy_id desc
        limit ${limit} offset ${offset}) p on true
     left join lateral (select ${OWNER} where p.position = ${offset} + 1 offset 0) owner on true
    order by c.n, p.position`
  },
})

export const FIND_PARAMETERS = `${SCOPE_PARAMETERS}, policy_id text`

export function findText(calls: string, scope: readonly string[], more = { columns: '', joins: '' }): string {
  const [user = '', platform = '', provider = '', policy = ''] = scope
  return `
  select c.n::int, ${OWNER}, ${dependantsText(user, NAMED)} as dependants, ${POLICY.list}, b.name as benefit_name ${more.columns}
    from ${calls}
    join users u on u.user_id = ${user} and ${userIsInScope({ user, platform, provider })}
    join insurance_policies p on p.user_id = ${user} and p.policy_id = ${policy}
     and ${isOwn(provider, 'p.benefit_provider_id')}
    join benefits b on b.benefit_id = p.benefit_id
    ${more.joins}`
}

/** The columns of the policy `p` of the user `u` and the benefit `b` that `unsealFound` reads. */
export const FOUND = `${OWNER}, ${POLICY.list}, b.name as benefit_name,
          (select json_object_agg(d.dependant_id, d.sealed)
             from dependants d
            where d.user_id = u.user_id and d.dependant_id = any (${NAMED})) as dependants`

const FIND = batchedRead<Row>({
  name: 'insurance_policies_find',
  parameters: FIND_PARAMETERS,
  text: (calls, ...scope) => findText(calls, scope),
})

const FIND_WITH_PROVIDER = batchedRead<Row & { provider_name: string }>({
  name: 'insurance_policies_find_with_provider',
  parameters: FIND_PARAMETERS,
  text: (calls, ...scope) =>
    findText(calls, scope, {
      columns: ', i.name as provider_name',
      joins: 'join benefit_providers i on i.benefit_provider_id = b.benefit_provider_id',
    }),
})

const FIND_WITH_UPLOADS = batchedRead<Row & { uploads: object[] | null }>({
  name: 'insurance_policies_find_with_uploads',
  parameters: `${FIND_PARAMETERS}, document_type text`,
  text: (calls, user, platform, provider, policy, documentType) =>
    findText(calls, [user, platform, provider, policy], {
      columns: `, ${uploadsText({ user, policy, documentType })} as uploads`,
      joins: '',
    }),
})

/** One without a history has its state since then as its lists say. */
const policySinceText = (user: string, policy: string) =>
  `coalesce(${sinceText({ user, entity: policy })}, p.status_since, p.created_at) as since, p.is_sent_back`

/** Returns SQL: true for a policy that has not ended. */
export const isOpen = (policy: string): string => `${policy}.status not in (${OVER})`

/** Returns SQL for the covers of a user's open policies in a plan. */
export const coversText = ({ user, benefit, plan }: Record<'user' | 'benefit' | 'plan', string>, but = 'true') =>
  `(select json_agg(json_build_object('id', o.policy_id, 'from', coalesce(o.covered_from, o.start_date),
                      'status', o.status, 'endDate', o.end_date, 'renewalWindowDays', o.renewal_window_days,
                      'graceDays', o.grace_days, 'graceUntil', o.grace_until, 'issue', o.issue,
                      'endsOn', o.ends_on) order by o.policy_id)
      from insurance_policies o
     where o.user_id = ${user} and o.benefit_id = ${benefit} and o.plan_code = ${plan}
       and ${isOpen('o')} and ${but})`

export type ConditionsRow = { is_archived: boolean; is_sponsor_active: boolean; others: Cover[] | null }

/** The `Conditions` of the policy `p` of the benefit `b` and the sponsor `s`. */
export const conditionsText = (user: string, policy: string) =>
  `b.status = 'ARCHIVED' as is_archived, s.status = 'ACTIVE' as is_sponsor_active,
         ${coversText({ user, benefit: 'p.benefit_id', plan: 'p.plan_code' }, `o.policy_id <> ${policy}`)} as others`

const FIND_WITH_SINCE = batchedRead<Row & Since & ConditionsRow>({
  name: 'insurance_policies_find_with_since',
  parameters: FIND_PARAMETERS,
  text: (calls, user, platform, provider, policy) =>
    findText(calls, [user, platform, provider, policy], {
      columns: `, ${policySinceText(user, policy)}, ${conditionsText(user, policy)}`,
      joins: 'join sponsors s on s.sponsor_id = b.sponsor_id',
    }),
})

type ChangingRow = Row &
  PartiesRow &
  Since &
  ConditionsRow &
  PendingRow & { snapshot: string | null; cover_revision: number; plan: Benefit['plans'][number] | null }

/** The pending endorsements of the policy `p`, which only one that was issued has. */
export const pendingOf = (user: string) =>
  `case when p.issue > 0 then ${pendingText(user, 'p.policy_id')} end as pending`
export type PendingRow = { pending: object[] | null }

/**
 * Includes the last snapshot: for an issue out of grace, because equal content is no new issue, and for a return from
 * EXPIRED, because the member may have been corrected since.
 */
const FIND_TO_CHANGE = batchedRead<ChangingRow>({
  name: 'insurance_policies_find_to_change',
  parameters: `${FIND_PARAMETERS}, is_issue boolean`,
  text: (calls, user, platform, provider, policy, isIssue) =>
    findText(calls, [user, platform, provider, policy], {
      columns: `, ${policySinceText(user, policy)}, ${conditionsText(user, policy)}, ${PARTIES}, u.cover_revision, ${pendingOf(user)},
         (select plan from jsonb_array_elements(b.plans) plan where plan ->> 'plan_code' = p.plan_code) as plan,
         case when p.status = 'EXPIRED'
                or ${isIssue} and (p.status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' or p.end_date < p.terms_from
                    or p.issue = 1 and p.status = 'REQUIRES_CUSTOMER_RENEWAL' and p.status_since > now() - interval '1 day') then (
           select a.sealed from policy_snapshots a where a.user_id = ${user} and a.policy_id = ${policy} and a.issue = p.issue
         ) end as snapshot`,
      joins: JOIN_PARTIES,
    }),
})

/** Returns SQL: true when policies that are not EXPIRED or REJECTED use the benefit. */
export const usesBenefit = (benefit: string): string =>
  `exists (select 1 from insurance_policies p where p.benefit_id = ${benefit} and ${isOpen('p')})`

/** Returns SQL for the users with a policy that has the benefit provider's number. */
export const holdersOfPolicy = (number: string): string =>
  `select distinct p.user_id from insurance_policies p where p.external_policy_id = ${number}`

/**
 * Reads the minimum from the index: with `exists` the planner soon scans the whole table, 50 ms for 300,000 policies.
 */
const HAS_DUE = statement(
  'insurance_policies_has_due',
  'select coalesce(min(next_move_on) <= $1, false) as has_due from insurance_policies',
)

const LIST_DUE = statement(
  'insurance_policies_list_due',
  `select ${FOUND}, ${pendingOf('p.user_id')}
     from insurance_policies p
     join users u on u.user_id = p.user_id
     join benefits b on b.benefit_id = p.benefit_id
    where p.next_move_on <= $1 and p.policy_id <> all ($2)
    order by p.next_move_on
    limit $3`,
)

export type Row = OwnerRow & PolicyRow
/** An empty page is one row without a policy. */
type ListedRow = Row & { policy_id: string | null; total: number | null }
type Since = { since: WireTime; is_sent_back: boolean }
export type PartiesRow = Record<'sponsor_id' | 'sponsor_key' | 'sponsor_sealed' | 'provider_name', string> & {
  provider_address: Parties['providerAddress']
  provider_colour: string | null
}

export type ListCall = UserScope & Page & { statuses: PolicyStatus[] | undefined }

/** Returns a page of a user's policies. Throws 404 `not_found` when the user is not in the caller's scope. */
export async function findPolicies(
  { db, vault }: Deps,
  { statuses, limit, offset, ...scope }: ListCall,
): Promise<Paged<Policy>> {
  const rows = await LIST(db, [...scopeValues(scope), statuses ?? null, limit, offset])
  const first = foundRow(rows)
  const total = rows.at(-1)?.total
  if (first.policy_id === null) return { rows: [], total: total ?? 0 }
  const dependants = Object.assign(Object.create(null), ...rows.map((row) => row.dependants)) as OwnerRow['dependants']
  const owner = unsealOwner({ ...first, dependants }, vault, TOLERANT)
  return { rows: rows.map((row) => unsealPolicy(row, owner, TOLERANT)), total: total ?? offset + rows.length }
}

export const unseal = (row: Row, vault: Vault, reading?: UnsealOptions): Policy =>
  unsealPolicy(row, unsealOwner(row, vault, reading), reading)

/** For lists of many users’ policies: a part that cannot be read is shown as unavailable. */
export const unsealFound = (row: Row, vault: Vault): Policy => unseal(row, vault, TOLERANT)

/** Returns a policy in the caller's scope. Throws 404 `not_found` when there is none. */
export async function findPolicy({ db, vault }: Deps, scope: UserScope, id: string, reading?: UnsealOptions) {
  return unseal(foundRow(await FIND(db, [...scopeValues(scope), id])), vault, reading)
}

/** Returns the same with the name of its benefit provider. */
export async function findPolicyWithProvider({ db, vault }: Deps, scope: UserScope, id: string) {
  const row = foundRow(await FIND_WITH_PROVIDER(db, [...scopeValues(scope), id]))
  return { policy: unseal(row, vault), providerName: row.provider_name }
}

type PathOfPolicy = Pick<Call<Deps, typeof PolicyPath>, 'deps' | 'request' | 'params'>

/** Returns the policy in the path. Throws 404 `not_found` when it is not in the caller's scope. */
export const policyInPath = ({ deps, request, params }: PathOfPolicy) =>
  findPolicy(deps, userScopeFrom(request), params.insurance_policy_id)

/** Returns the same for documents: a part that cannot be read is shown as unavailable. */
export const shownPolicyInPath = ({ deps, request, params }: PathOfPolicy) =>
  findPolicy(deps, userScopeFrom(request), params.insurance_policy_id, TOLERANT)

/**
 * Returns the same with the uploads that replace a document, at most one an issue. Throws 404 `not_found` when it is
 * not in the caller's scope.
 */
export async function policyWithUploadsInPath({ deps, request, params }: PathOfPolicy, documentType: string) {
  const values = [...scopeValues(userScopeFrom(request)), params.insurance_policy_id, documentType]
  const row = foundRow(await FIND_WITH_UPLOADS(deps.db, values))
  return { policy: unseal(row, deps.vault, TOLERANT), uploads: decodeUploads(row.uploads) }
}

/** Returns the policy in the path with the time its status began. Throws 404 `not_found` when it is not in scope. */
export async function policyWithSinceInPath({ deps, request, params }: PathOfPolicy): Promise<PolicyWithSince> {
  const scope = userScopeFrom(request)
  const row = foundRow(await FIND_WITH_SINCE(deps.db, [...scopeValues(scope), params.insurance_policy_id]))
  return {
    policy: unseal(row, deps.vault),
    since: row.since,
    isSentBack: row.is_sent_back,
    conditions: conditionsFrom(row),
  }
}

export const conditionsFrom = ({ is_archived, is_sponsor_active, others }: ConditionsRow): Conditions => ({
  isArchived: is_archived,
  isSponsorActive: is_sponsor_active,
  others: others ?? [],
})

/**
 * Returns a policy with what a transition needs: the parties for its documents, and what it is compared with. Throws 404
 * `not_found` when it is not in the caller's scope.
 */
export async function findPolicyToChange(
  { db, vault }: Deps,
  scope: UserScope,
  { id, isIssue }: { id: string; isIssue: boolean },
) {
  const row = foundRow(await FIND_TO_CHANGE(db, [...scopeValues(scope), id, isIssue]))
  const policy = unseal(row, vault)
  const lastSnapshot =
    row.snapshot === null ? undefined : SNAPSHOT.unsealOr(policy.key, policy, row.snapshot, undefined)
  return {
    policy,
    since: row.since,
    isSentBack: row.is_sent_back,
    parties: () => ({ ...decodeParties(row, vault), planName: row.plan?.plan_name ?? null }),
    lastSnapshot,
    pending: decodePending(row.pending),
    plan: row.plan ?? undefined,
    conditions: conditionsFrom(row),
    coverRevision: row.cover_revision,
  }
}

export const decodeParties = (row: PartiesRow, vault: Vault): Parties => ({
  sponsorName: unsealSponsor(vault, { id: row.sponsor_id, dataKey: row.sponsor_key, sealed: row.sponsor_sealed }).name,
  providerName: row.provider_name,
  providerAddress: row.provider_address,
  providerColour: row.provider_colour,
})

export async function hasDuePolicies(db: Queryable, today: Day): Promise<boolean> {
  return onlyRow(await db.query<{ has_due: boolean }>(HAS_DUE, [today])).has_due
}

/** A policy that is decrypted lazily: one that cannot be decrypted must not block the others. */
export type DuePolicy = { userId: string; id: string; unseal: () => ChangingPolicy }

/** A policy with its pending endorsements, which a change of it can decide. */
export type ChangingPolicy = { policy: Policy; pending: readonly PendingEndorsement[] }

/** Returns due policies except the given ids, most overdue first. */
export async function listDuePolicies(
  { db, vault }: Deps,
  { today, without, limit }: { today: Day; without: string[]; limit: number },
): Promise<DuePolicy[]> {
  const rows = await db.query<Row & PendingRow & { policy_id: string }>(LIST_DUE, [today, without, limit])
  return rows.map((row) => ({
    userId: row.user_id,
    id: row.policy_id,
    unseal: () => ({ policy: unseal(row, vault), pending: decodePending(row.pending) }),
  }))
}
