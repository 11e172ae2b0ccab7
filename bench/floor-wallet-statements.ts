const COLUMNS = `w.user_id, w.platform_id, w.partner_wallet_id, w.wallet_status, w.wallet_status_partner, w.balance_paise,
  w.tries, extract(epoch from w.queued_at)::float8 as queued_at_s, w.may_be_held, w.operator_status,
  w.operator_sequence, w.revision`

export type WalletRow = {
  user_id: string
  partner_wallet_id: string
  wallet_status: string
  wallet_status_partner: string
  balance_paise: number
}

/** The product's lookup for a single call. */
export const FIND_WALLET = {
  name: 'wallets_find',
  text: `select ${COLUMNS} from wallets w where w.user_id = $1`,
}

// The statements of the product's transaction that creates a wallet.

export const INSERT_WALLET = {
  name: 'wallets_insert',
  text: `
    insert into wallets as w (user_id, platform_id, partner_wallet_id, wallet_status, wallet_status_partner, queued_at)
    values ($1, $2, $3, 'PENDING', 'UNKNOWN', $4)
        on conflict (user_id) do nothing
    returning ${COLUMNS}`,
}

export const INSERT_WALLET_ID = {
  name: 'wallet_ids_insert',
  text: 'insert into wallet_ids (partner_wallet_id, user_id) values ($1, $2)',
}

export const INSERT_HISTORY = {
  name: 'user_status_changes_insert',
  text: `
    insert into user_status_changes (user_id, entity_id, change_id, from_status, to_status, actor, reason)
    select $1, c.entity_id, c.change_id, c.from_status, c.to_status, c.actor, c.reason
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
             as c (entity_id, change_id, from_status, to_status, actor, reason)`,
}

export const INSERT_EVENT = {
  name: 'events_insert',
  text: 'insert into events (event_id, type, platform_id, subject, data) values ($1, $2, $3, $4, $5)',
}

export const IDLE_SECONDS = 30 * 86_400

export type FamilyRow = {
  user_id: string
  family_id: string
  platform_id: string
  rotated_s: number
  expires_s: number
}

/** The product's rotation of a refresh token. */
export const ROTATE = {
  name: 'refresh_families_rotate',
  text: `
    with known as (
      select user_id, family_id, generation, expires_at from refresh_tokens where token_hash = $1
    ), rotated as (
      update refresh_families f
         set generation = f.generation + 1, rotated_at = to_timestamp($3)
        from known k
       where f.user_id = k.user_id and f.family_id = k.family_id and f.generation = k.generation and f.ended_at is null
         and k.expires_at > to_timestamp($3) and f.expires_at > to_timestamp($3)
         and exists (select from platforms p where p.platform_id = f.platform_id and p.status = 'ACTIVE')
      returning f.user_id, f.family_id, f.platform_id, f.generation, f.rotated_at, f.expires_at
    ), added as (
      insert into refresh_tokens (token_hash, user_id, family_id, generation, expires_at)
      select $2, user_id, family_id, generation, least(rotated_at + ${IDLE_SECONDS} * interval '1 second', expires_at)
        from rotated
    )
    select user_id, family_id, platform_id,
           extract(epoch from rotated_at)::float8 as rotated_s, extract(epoch from expires_at)::float8 as expires_s
      from rotated`,
}
