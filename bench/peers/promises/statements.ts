// One statement an operation where there is nothing to decide, one to read and one to write otherwise. Every write carries its
// event, its audit entry and its history. Values are text, because each driver sends text the same way; the casts are here.

export type Statement = { name: string; text: string }
export type Query = <Row>(statement: Statement, values: (string | null)[]) => Promise<Row[]>

const UNIQUE_VIOLATION = '23505'

export function isUniqueViolation(error: unknown): boolean {
  const { code, errno, cause } = error as Record<string, unknown> // of pg, of Bun, and of Drizzle
  return [code, errno, (cause as { code?: unknown } | undefined)?.code].includes(UNIQUE_VIOLATION)
}

const audited = (of: { operation: string; subject: string; actor: string; requestId: string }) => `
  audit as (
    insert into audit_entries (actor, operation, action, subject, user_id, request_id)
    select ${of.actor}, '${of.operation}', 'change', ${of.subject}, user_id, ${of.requestId} from made)`

const FILTER = `p.user_id = $1 and ($2::text is null or p.status = any (string_to_array($2::text, ',')))`

/** The user with each policy. Only dependants that a policy covers are read. */
export const LIST: Statement = {
  name: 'list',
  text: `select u.data_key, u.sealed as user_sealed, p.policy_id, p.benefit_id, b.name as benefit_name, p.plan_code,
       p.dependant_ids, p.nominee_dependant_id, p.start_date::text, p.end_date::text, p.currency, p.premium_annual_paise,
       p.premium_daily_paise, p.premium_sponsor_paise, p.external_policy_id, p.master_policy_number,
       p.issued_dependant_ids, p.sealed, p.created_at::text, p.last_modified_at::text,
       case when p.dependant_ids <> '{}' then (
         select json_object_agg(d.dependant_id, d.sealed)
           from dependants d where d.user_id = $1 and d.dependant_id = any (p.dependant_ids)) end as covered
  from users u
  left join lateral (
    select * from insurance_policies p where ${FILTER}
     order by p.created_at desc, p.policy_id desc limit $4::text::int offset $5::text::int) p on true
  left join benefits b on b.benefit_id = p.benefit_id
 where u.user_id = $1 and u.platform_id = $3
 order by p.created_at desc, p.policy_id desc`,
}

/** Only for a full page: otherwise the page says how many there are. */
export const COUNT: Statement = {
  name: 'count',
  text: `select count(*)::int as total from insurance_policies p where ${FILTER}`,
}

const KNOWN = `select user_id, revision, phone_hash = decode($1, 'hex') as has_phone, id_proof_hash is not null as has_id_proof,
       coalesce(id_proof_hash = decode($2, 'hex'), false) as has_same_id_proof,
       profile_digest = decode($3, 'hex') as is_unchanged,
       case when profile_digest <> decode($3, 'hex') then data_key end as data_key,
       case when profile_digest <> decode($3, 'hex') then sealed end as sealed from users`

/** The owners of the phone and of the id proof: two rows when they differ. */
export const IDENTIFY: Statement = {
  name: 'identify',
  text: `${KNOWN} where phone_hash = decode($1, 'hex')
 union all ${KNOWN} where id_proof_hash = decode($2, 'hex') and phone_hash <> decode($1, 'hex')`,
}

const userEvent = (type: string) => `
  event as (
    insert into events (type, platform_id, subject, data)
    select '${type}', platform_id, user_id, jsonb_build_object('user_id', user_id) from made)`

/** Returns no row when another request was first. */
export const INSERT_USER: Statement = {
  name: 'insert_user',
  text: `with made as (
    insert into users (user_id, platform_id, data_key, sealed, profile_digest, phone_hash, id_proof_hash, id_proof_last4)
    values ($1, $2, $3, $4, decode($5, 'hex'), decode($6, 'hex'), decode($7, 'hex'), $8)
        on conflict do nothing returning user_id, platform_id),
  ${userEvent('user.created')},
  ${audited({ operation: 'issueToken', subject: 'user_id', actor: '$9', requestId: '$10' })}
  select user_id from made`,
}

export const UPDATE_USER: Statement = {
  name: 'update_user',
  text: `with made as (
    update users set sealed = $3, profile_digest = decode($4, 'hex'), phone_hash = decode($5, 'hex'),
           id_proof_hash = coalesce(decode($6, 'hex'), id_proof_hash), id_proof_last4 = coalesce($7, id_proof_last4),
           revision = revision + 1, last_modified_at = now()
     where user_id = $1 and revision = $2::text::int returning user_id, platform_id),
  ${userEvent('user.updated')},
  ${audited({ operation: 'issueToken', subject: 'user_id', actor: '$8', requestId: '$9' })}
  select user_id from made`,
}

export const FIND_FAMILY: Statement = {
  name: 'find_family',
  text: 'select data_key from users where user_id = $1 and platform_id = $2',
}

/** Returns no row when there would be too many. A dependant that the user has violates the unique index. */
export const INSERT_DEPENDANTS: Statement = {
  name: 'insert_dependants',
  text: `with made as (
    update users set dependants = dependants + cardinality($2::text::text[])
     where user_id = $1 and dependants + cardinality($2::text::text[]) <= $6::text::int returning user_id, platform_id),
  added as (
    insert into dependants (user_id, dependant_id, identity_hash, sealed, actor, created_at, last_modified_at)
    select user_id, d.id, decode(d.hash, 'hex'), d.sealed, $7, $5::text::timestamptz, $5::text::timestamptz
      from made, unnest($2::text::text[], $3::text::text[], $4::text::text[]) as d (id, hash, sealed)
     order by d.hash),
  event as (
    insert into events (type, platform_id, subject, data)
    select 'dependants.created', platform_id, user_id,
           jsonb_build_object('user_id', user_id, 'dependant_ids', to_jsonb($2::text::text[])) from made),
  ${audited({ operation: 'createDependants', subject: 'user_id', actor: '$7', requestId: '$8' })}
  select user_id from made`,
}

/** Returns no row when the user has a wallet. */
export const INSERT_WALLET: Statement = {
  name: 'insert_wallet',
  text: `with made as (
    insert into wallets (user_id, platform_id, partner_wallet_id, wallet_status, wallet_status_partner)
    values ($1, $2, $3, 'PENDING', 'UNKNOWN') on conflict (user_id) do nothing
    returning user_id, platform_id, partner_wallet_id),
  step (place, from_status, to_status) as (values (1, null, 'CREATED'), (2, 'CREATED', 'PENDING')),
  history as (
    insert into user_status_changes (user_id, entity_id, from_status, to_status, actor, request_id)
    select user_id, partner_wallet_id, from_status, to_status, $4, $5 from made, step order by place),
  event as (
    insert into events (type, platform_id, subject, data)
    select 'wallet.status_changed', platform_id, partner_wallet_id,
           jsonb_build_object('user_id', user_id, 'wallet_id', partner_wallet_id, 'from', from_status, 'to', to_status,
                              'partner_from', 'UNKNOWN', 'partner_to', 'UNKNOWN') from made, step order by place),
  ${audited({ operation: 'createWallet', subject: 'partner_wallet_id', actor: '$4', requestId: '$5' })}
  select partner_wallet_id from made`,
}

export const FIND_WALLET: Statement = {
  name: 'find_wallet',
  text: `select partner_wallet_id, wallet_status, wallet_status_partner, balance_paise::int as balance
  from wallets where user_id = $1`,
}

/** The reads of half a second. */
export const INSERT_READS: Statement = {
  name: 'insert_reads',
  text: `insert into audit_entries (at, actor, operation, action, subject, user_id, request_id)
  select r.at, r.actor, r.operation, 'read', r.user_id, r.user_id, r.request_id
    from json_to_recordset($1::text::json) as r (at timestamptz, actor text, operation text, user_id text, request_id text)`,
}
