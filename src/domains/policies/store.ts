import { userIsInScope, type UserScope } from '../../access/scope.ts'
import { type DataKey, seal, unseal, type Vault } from '../../kernel/crypto/vault.ts'
import {
  type Database,
  onlyRow,
  type Queryable,
  statement,
  type Tx,
  violates,
  type WireTime,
} from '../../kernel/db/database.ts'
import { decodeUserId, decoderOf, type UserId } from '../../kernel/db/decode.ts'
import { decodePage, type Page, type Paged } from '../../kernel/db/page.ts'
import { shareStatement } from '../../kernel/db/shared-statement.ts'
import type { Day } from '../../kernel/date.ts'
import { conflict, notFound } from '../../kernel/refusal.ts'
import type { Paise } from '../../kernel/money.ts'
import { type DependantForm, openDependant } from '../dependants/index.ts'
import { type Profile, rowOfUser, type User } from '../users/index.ts'
import type { ProviderMetadata, Questionnaire } from './schemas.ts'
import { nextMoveOn, POLICY_STATUSES, type PolicyStatus } from './states.ts'

/** What is sealed of a policy: answers about health, and whatever the provider says. */
type Private = { questionnaire?: Questionnaire; provider_metadata?: ProviderMetadata }

/** The columns that a plan and an enrolment give to a policy. */
export type Terms = {
  benefit_id: string
  benefit_provider_id: string
  plan_code: string
  dependant_ids: string[]
  nominee_dependant_id: string | null
  start_date: Day
  end_date: Day
  term_months: number
  renewal_window_days: number
  grace_days: number
  currency: string
  premium_annual_paise: Paise
  premium_daily_paise: Paise
  premium_sponsor_paise: Paise
}

export type Policy = Terms & {
  id: string
  userId: UserId
  platformId: string
  key: DataKey
  status: PolicyStatus
  benefit_name: string
  member: Profile
  dependant: (id: string) => DependantForm | undefined
  private: Private
  external_policy_id: string | null
  master_policy_number: string | null
  /** Last day on which somebody can still renew, pay or issue again; null when nobody has to. */
  grace_until: Day | null
  /** How often it was issued. */
  issue: number
  /** Whom the last issue covers beside the member; null before the first. */
  issued_dependant_ids: string[] | null
  /** The start of its first term; terms follow each other without a gap. */
  covered_from: Day
  revision: number
  created_at: WireTime
  last_modified_at: WireTime
}

type OwnerRow = {
  user_id: string
  platform_id: string
  data_key: string
  user_sealed: string
  dependants: Record<string, string> | null
}

type PolicyRow = Terms &
  Pick<
    Policy,
    | 'benefit_name'
    | 'external_policy_id'
    | 'master_policy_number'
    | 'grace_until'
    | 'issue'
    | 'issued_dependant_ids'
    | 'covered_from'
    | 'revision'
    | 'created_at'
    | 'last_modified_at'
  > & {
    policy_id: string
    status: string
    sealed: string | null
  }

const COLUMNS = `p.policy_id, p.benefit_id, p.benefit_provider_id, p.plan_code, p.status, p.dependant_ids,
  p.nominee_dependant_id, p.start_date, p.end_date, p.term_months, p.renewal_window_days, p.grace_days, p.currency,
  p.premium_annual_paise, p.premium_daily_paise, p.premium_sponsor_paise, p.external_policy_id, p.master_policy_number,
  p.grace_until, p.issue, p.issued_dependant_ids, coalesce(p.covered_from, p.start_date) as covered_from, p.sealed,
  p.revision, p.created_at, p.last_modified_at`

const OWNER = `u.user_id, u.platform_id, u.data_key, u.sealed as user_sealed,
  (select json_object_agg(d.dependant_id, d.sealed) from dependants d where d.user_id = u.user_id) as dependants`

const LISTED = `p.user_id = u.user_id
  and (c.provider_id is null or p.benefit_provider_id = c.provider_id)
  and (c.statuses is null or p.status = any (string_to_array(c.statuses, ',')))`

/**
 * For N calls at once (4.6 is the hottest read). What belongs to the user comes with the first row of a page only, so
 * that twenty policies do not carry twenty copies of the family. Without its `offset 0` that look-up would be flattened
 * into the join and run for every policy, which costs the database an eighth more.
 */
const LIST = statement(
  'insurance_policies_list',
  `select c.n::int, u.user_id, t.total, page.*, owner.*
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[]) with ordinality
            as c (user_id, platform_id, provider_id, statuses, page_limit, page_offset, n)
     join users u on u.user_id = c.user_id
      and ${userIsInScope({ platform: 'c.platform_id', provider: 'c.provider_id' })}
    cross join lateral (select count(*)::int as total from insurance_policies p where ${LISTED}) t
     left join lateral (
       select ${COLUMNS}, b.name as benefit_name,
              row_number() over (order by p.created_at desc, p.policy_id desc) as place
         from insurance_policies p
         join benefits b on b.benefit_id = p.benefit_id
        where ${LISTED}
        order by p.created_at desc, p.policy_id desc
        limit c.page_limit offset c.page_offset) page on true
     left join lateral (select ${OWNER} where page.place = c.page_offset + 1 offset 0) owner on true
    order by c.n, page.place`,
)

const findText = (lock: string) => `
  select ${OWNER}, ${COLUMNS}, b.name as benefit_name
    from users u
    join insurance_policies p on p.user_id = u.user_id and p.policy_id = $4 and ($3::text is null or p.benefit_provider_id = $3)
    join benefits b on b.benefit_id = p.benefit_id
   where u.user_id = $1 and ${userIsInScope({ platform: '$2', provider: '$3' })} ${lock}`

const FIND = statement('insurance_policies_find', findText(''))

const LOCK = statement('insurance_policies_lock', findText('for no key update of p'))

const INSERT = statement(
  'insurance_policies_insert',
  `insert into insurance_policies (user_id, policy_id, benefit_id, benefit_provider_id, plan_code, status, dependant_ids,
          nominee_dependant_id, start_date, end_date, term_months, renewal_window_days, grace_days, currency,
          premium_annual_paise, premium_daily_paise, premium_sponsor_paise, sealed, covered_from)
   values ($1, $2, $3, $4, $5, 'PENDING', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $8)`,
)

const UPDATE = statement(
  'insurance_policies_update',
  `update insurance_policies
      set status = $3, start_date = $4, end_date = $5, external_policy_id = $6, master_policy_number = $7, sealed = $8,
          grace_until = $9, next_move_on = $10, issue = $11, issued_dependant_ids = $12,
          covered_from = coalesce(covered_from, start_date), revision = revision + 1, last_modified_at = now()
    where user_id = $1 and policy_id = $2
   returning last_modified_at`,
)

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
  `select user_id, policy_id
     from insurance_policies
    where next_move_on <= $1 and policy_id <> all ($2)
    order by next_move_on
    limit $3`,
)

/** Held as they are read, or a move made meanwhile would be answered for the state before it. */
const LOCK_COVERING = statement(
  'insurance_policies_lock_covering',
  `select policy_id, status
     from insurance_policies
    where user_id = $1 and status not in ('EXPIRED', 'REJECTED')
      and ($2 = any (dependant_ids) or nominee_dependant_id = $2)
    order by policy_id
      for no key update`,
)

const REPLACE_DEPENDANT = statement(
  'insurance_policies_replace_dependant',
  `update insurance_policies
      set dependant_ids = array_replace(dependant_ids, $3, $4),
          nominee_dependant_id = case when nominee_dependant_id = $3 then $4 else nominee_dependant_id end,
          revision = revision + 1, last_modified_at = now()
    where user_id = $1 and policy_id = $2`,
)

export type ListCall = UserScope & Page & { statuses: PolicyStatus[] | undefined }

/** A page of a user's policies (4.6), shared by concurrent calls; 404 when the user is not in the caller's scope. */
export function openPolicyList(db: Database, vault: Vault): (call: ListCall) => Promise<Paged<Policy>> {
  type Row = OwnerRow & PolicyRow & { n: number; total: number }
  const find = shareStatement<ListCall, Row>(db, LIST, (call) => [
    call.userId,
    call.platformId,
    call.providerId,
    call.statuses?.join(',') ?? null,
    call.limit,
    call.offset,
  ])
  return async (call) => {
    const rows = await find(call)
    if (!rows[0]) throw notFound()
    const owner = rows[0].policy_id === null ? undefined : openOwner(rows[0], vault)
    return decodePage(rows, 'policy_id', (row) => decode(row, owner as Owner))
  }
}

/** Refuses with 404 when the policy is not in the caller's scope. */
export async function findPolicy(db: Queryable, vault: Vault, scope: UserScope, id: string): Promise<Policy> {
  return decodeFound(await db.query(FIND, [scope.userId, scope.platformId, scope.providerId, id]), vault)
}

/** Reads the policy and holds it until the transaction ends; 404 when it is not in the caller's scope. */
export async function lockPolicy(tx: Tx, vault: Vault, scope: UserScope, id: string): Promise<Policy> {
  const policy = decodeFound(await tx.query(LOCK, [scope.userId, scope.platformId, scope.providerId, id]), vault)
  // After a wait for the lock the row is the newest, but its dependants are those of before; so they are read again.
  const named = [...policy.dependant_ids, policy.nominee_dependant_id ?? []].flat()
  const isWhole = named.every((dependantId) => policy.dependant(dependantId) !== undefined)
  return isWhole ? policy : findPolicy(tx, vault, scope, id)
}

type NewPolicy = { user: User; id: string; terms: Terms; questionnaire: Questionnaire | undefined }

/** Refuses with 409 when the plan is enrolled with this start already. */
export async function insertPolicy(tx: Tx, { user, id, terms, questionnaire }: NewPolicy): Promise<void> {
  const sealed = sealPrivate(user.key, { userId: user.id, id }, questionnaire ? { questionnaire } : {})
  const values = [
    user.id,
    id,
    terms.benefit_id,
    terms.benefit_provider_id,
    terms.plan_code,
    terms.dependant_ids,
    terms.nominee_dependant_id,
    terms.start_date,
    terms.end_date,
    terms.term_months,
    terms.renewal_window_days,
    terms.grace_days,
    terms.currency,
    terms.premium_annual_paise,
    terms.premium_daily_paise,
    terms.premium_sponsor_paise,
    sealed,
  ]
  try {
    await tx.query(INSERT, values)
  } catch (error) {
    throw asEnrolled(error)
  }
}

/** Writes what a move can change; returns when that was. 409 when a renewal or a return meets an equal enrolment. */
export async function updatePolicy(tx: Tx, policy: Policy): Promise<WireTime> {
  const { userId, id, status, start_date, end_date, external_policy_id, master_policy_number } = policy
  const sealed = sealPrivate(policy.key, policy, policy.private)
  const values = [
    userId,
    id,
    status,
    start_date,
    end_date,
    external_policy_id,
    master_policy_number,
    sealed,
    policy.grace_until,
    nextMoveOn(policy),
    policy.issue,
    policy.issued_dependant_ids,
  ]
  try {
    return onlyRow(await tx.query<{ last_modified_at: WireTime }>(UPDATE, values)).last_modified_at
  } catch (error) {
    throw asEnrolled(error)
  }
}

const asEnrolled = (error: unknown) =>
  violates(error, 'insurance_policies_enrolment')
    ? conflict('The user is enrolled in this plan with this start already.')
    : error

/** True when the day of some policy has come. */
export async function hasDuePolicies(db: Queryable, today: Day): Promise<boolean> {
  return onlyRow(await db.query<{ has_due: boolean }>(HAS_DUE, [today])).has_due
}

type PolicyKey = { user_id: string; policy_id: string }

type Due = { today: Day; without: string[]; limit: number }

/** Those whose day has come but these, the longest overdue first. */
export function listDuePolicies(db: Queryable, { today, without, limit }: Due): Promise<PolicyKey[]> {
  return db.query<PolicyKey>(LIST_DUE, [today, without, limit])
}

/** The user's open policies that name this version of a dependant, held until the transaction ends. */
export async function lockOpenPoliciesCovering(tx: Tx, userId: string, dependantId: string) {
  const rows = await tx.query<{ policy_id: string; status: string }>(LOCK_COVERING, [userId, dependantId])
  return rows.map((row) => ({ ...row, status: decodeStatus(row.status) }))
}

export async function replaceDependant(
  tx: Tx,
  { userId, policyId, oldId, newId }: { userId: string; policyId: string; oldId: string; newId: string },
): Promise<void> {
  await tx.query(REPLACE_DEPENDANT, [userId, policyId, oldId, newId])
}

const rowOf = ({ userId, id }: { userId: string; id: string }) => `insurance_policies:${userId}:${id}`

function sealPrivate(key: DataKey, policy: { userId: string; id: string }, value: Private): string | null {
  return Object.keys(value).length === 0 ? null : seal(key, rowOf(policy), value)
}

type Owner = Pick<Policy, 'userId' | 'platformId' | 'key' | 'member' | 'dependant'>

function openOwner(row: OwnerRow, vault: Vault): Owner {
  const userId = decodeUserId(row.user_id)
  const key = vault.open(row.data_key)
  const opened = new Map<string, DependantForm>()
  return {
    userId,
    platformId: row.platform_id,
    key,
    member: unseal<Profile>(key, rowOfUser(userId), row.user_sealed),
    dependant: (id) => {
      const sealed = row.dependants?.[id]
      if (sealed !== undefined && !opened.has(id)) opened.set(id, openDependant(key, { userId, id, sealed }))
      return opened.get(id)
    },
  }
}

function decodeFound(rows: (OwnerRow & PolicyRow)[], vault: Vault): Policy {
  const [row] = rows
  if (!row) throw notFound()
  return decode(row, openOwner(row, vault))
}

const decodeStatus = decoderOf(POLICY_STATUSES, 'policy status')

function decode(row: PolicyRow, owner: Owner): Policy {
  const { policy_id: id, status, sealed, ...columns } = row
  return {
    ...columns,
    ...owner,
    id,
    status: decodeStatus(status),
    private: sealed === null ? {} : unseal<Private>(owner.key, rowOf({ userId: owner.userId, id }), sealed),
  }
}
