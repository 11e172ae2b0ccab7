/** The first policy's row also contains the user's columns, as in the product. */
export type PolicyRow = {
  total: number
  data_key: string
  user_sealed: string
  dependants: Record<string, string>
  policy_id: string
  benefit_id: string
  benefit_name: string
  plan_code: string
  dependant_ids: string[]
  nominee_dependant_id: string
  start_date: string
  end_date: string
  currency: string
  premium_annual_paise: number
  premium_daily_paise: number
  premium_sponsor_paise: number
  external_policy_id: string | null
  master_policy_number: string | null
  issued_dependant_ids: string[] | null
  sealed: string | null
  created_at: string
  last_modified_at: string
}

export type UserRow = { user_id: string; onboarded_at: string | null }

const LISTED = `p.user_id = u.user_id
  and ($3::text is null or p.benefit_provider_id = $3)
  and ($4::text is null or p.status = any (string_to_array($4, ',')))`

/** The product's list for a single call: the columns of `unnest` are parameters here. */
export const LIST_POLICIES = {
  name: 'insurance_policies_list',
  text: `
    select u.user_id, t.total, page.*, owner.*
      from users u
     cross join lateral (select count(*)::int as total from insurance_policies p where ${LISTED}) t
      left join lateral (
        select p.policy_id, p.benefit_id, p.benefit_provider_id, p.plan_code, p.status, p.dependant_ids,
               p.nominee_dependant_id, p.start_date, p.end_date, p.term_months, p.renewal_window_days, p.grace_days,
               p.currency, p.premium_annual_paise, p.premium_daily_paise, p.premium_sponsor_paise, p.external_policy_id,
               p.master_policy_number, p.grace_until, p.issue, p.issued_dependant_ids,
               coalesce(p.covered_from, p.start_date) as covered_from, p.sealed, p.revision, p.created_at,
               p.last_modified_at, b.name as benefit_name,
               row_number() over (order by p.created_at desc, p.policy_id desc) as ordinal
          from insurance_policies p
          join benefits b on b.benefit_id = p.benefit_id
         where ${LISTED}
         order by p.created_at desc, p.policy_id desc
         limit $5 offset $6) page on true
      left join lateral (
        select u.data_key, u.sealed as user_sealed,
               (select json_object_agg(d.dependant_id, d.sealed)
                  from dependants d
                 where d.user_id = u.user_id) as dependants
         where page.ordinal = $6 + 1 offset 0) owner on true
     where u.user_id = $1
       and ($2::text is null or u.platform_id = $2)
       and ($3::text is null or exists (
             select from user_providers k where k.user_id = u.user_id and k.benefit_provider_id = $3))
     order by page.ordinal`,
}

/** The product's lookup for a single call. */
export const FIND_BY_IDENTITY = {
  name: 'users_identify',
  text: `
    select i.user_id as by_id_proof, p.user_id as by_phone, u.user_id, u.onboarded_at, u.profile_digest, u.id_proof_hash
      from (values ($1::bytea, $2::bytea)) as c (phone_hash, id_proof_hash)
      left join user_phones p on p.phone_hash = c.phone_hash
      left join user_id_proofs i on i.id_proof_hash = c.id_proof_hash
      left join users u on u.user_id = coalesce(i.user_id, p.user_id)`,
}
