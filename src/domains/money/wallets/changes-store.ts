import { isOwn, type Scope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { changesText, type ChangesValues, changesValues, ownParameter } from '../../../kernel/db/changes-text.ts'
import { columns, decoded, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { CHANGED } from '../../../record/index.ts'
import { joinUserOf } from '../../people/users/index.ts'
import type { Wallet } from './records.ts'
import { PARTNER_STATUSES, WALLET_STATUSES } from './states.ts'

/** What a list of all users' wallets shows of each: no balance. */
const LISTED = columns('w', {
  id: text('partner_wallet_id'),
  userId: decoded('user_id', decodeUserId),
  platformId: text('platform_id'),
  status: oneOf('wallet_status', WALLET_STATUSES),
  partnerStatus: oneOf('wallet_status_partner', PARTNER_STATUSES),
  createdAt: time('created_at'),
  lastModifiedAt: time('last_modified_at'),
})

export type ListedWallet = RecordOf<typeof LISTED>

const PARTNERS = ownParameter(0)
const PLATFORM = ownParameter(1)

/** One statement for each index, because one plan could not serve both. */
const listOf = (name: string, owner: string) =>
  statement(
    name,
    changesText({
      columns: LISTED.list,
      from: 'wallets w',
      join: joinUserOf('w'),
      changedAt: 'w.last_modified_at',
      id: 'w.partner_wallet_id',
      state: 'w.wallet_status',
      states: WALLET_STATUSES,
      where: `(${PARTNERS}::text[] is null or w.wallet_status_partner = any (${PARTNERS})) and ${owner}`,
    }),
  )

const ALL = listOf('wallets_changed', isOwn(PLATFORM, 'w.platform_id'))
const OF_PLATFORM = listOf('wallets_changed_of_platform', `w.platform_id = ${PLATFORM}`)

export type WalletFilter = ChangesValues & {
  states: Wallet['status'][] | undefined
  partnerStatuses: Wallet['partnerStatus'][] | undefined
  scope: Scope
}

/** Returns wallets of all users in scope, last change first; a booking is a change. */
export async function listChangedWallets(db: Queryable, filter: WalletFilter) {
  const { platformId } = filter.scope
  const list = platformId === null ? ALL : OF_PLATFORM
  const rows = await db.query<object>(list, [...changesValues(filter), filter.partnerStatuses ?? null, platformId])
  return rows.map((row) => ({ ...LISTED.decode(row), ...CHANGED.decode(row) }))
}
