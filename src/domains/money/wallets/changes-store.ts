import { isOwn, type Scope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { changesText, type ChangesValues, changesValues, ownParameter } from '../../../kernel/db/changes-text.ts'
import { columns, decoded, oneOf, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { CHANGED } from '../../../record/index.ts'
import { joinUserText } from '../../people/users/index.ts'
import { PARTNER_STATUSES, type PartnerStatus, WALLET_STATUSES, type WalletStatus } from './states.ts'

/** What a list of all users' wallets shows of each, with the names of its record: no balance. */
const LISTED = columns('w', {
  partner_wallet_id: text('partner_wallet_id'),
  user_id: decoded('user_id', decodeUserId),
  platform_id: text('platform_id'),
  wallet_status: oneOf('wallet_status', WALLET_STATUSES),
  wallet_status_partner: oneOf('wallet_status_partner', PARTNER_STATUSES),
  created_at: time('created_at'),
  last_modified_at: time('last_modified_at'),
})

const PLATFORM = ownParameter(0)
const PARTNERS = ownParameter(1)

/** One statement for each index, because one plan could not serve all. */
const changesList = (name: string, states: readonly WalletStatus[], where: string) =>
  statement(
    name,
    changesText({
      columns: LISTED.list,
      from: 'wallets w',
      join: joinUserText('w'),
      changedAt: 'w.last_modified_at',
      id: 'w.partner_wallet_id',
      state: 'w.wallet_status',
      states,
      where,
    }),
  )

const OF_PARTNERS = `w.wallet_status_partner = any (${PARTNERS}::text[])`
const ALL = changesList('wallets_changed', WALLET_STATUSES, `${isOwn(PLATFORM, 'w.platform_id')} and ${OF_PARTNERS}`)
const OF_PLATFORM = changesList(
  'wallets_changed_of_platform',
  WALLET_STATUSES,
  `w.platform_id = ${PLATFORM} and ${OF_PARTNERS}`,
)
/** Only complete wallets are known to the operator, who has blocked few of them. */
const OF_BLOCKED = changesList(
  'wallets_changed_of_blocked',
  ['COMPLETED'],
  `w.wallet_status_partner = 'BLOCKED' and ${isOwn(PLATFORM, 'w.platform_id')}`,
)

type WalletFilter = ChangesValues & {
  states: WalletStatus[] | undefined
  partnerStatuses: PartnerStatus[] | undefined
  scope: Scope
}

/** Returns wallets of all users in scope, last change first; a booking is a change. */
export async function listChangedWallets(db: Queryable, filter: WalletFilter) {
  const { platformId } = filter.scope
  const partners = filter.partnerStatuses ?? [...PARTNER_STATUSES]
  const values = [...changesValues({ ...filter, states: listStates(filter, partners) }), platformId]
  const rows = partners.every((one) => one === 'BLOCKED')
    ? await db.query<object>(OF_BLOCKED, values)
    : await db.query<object>(platformId === null ? ALL : OF_PLATFORM, [...values, partners])
  return rows.map((row) => {
    const wallet = LISTED.decode(row)
    return { ...wallet, ...CHANGED.decode(row), id: wallet.partner_wallet_id }
  })
}

/** Leaves out the states that no wallet with one of these statuses of the operator has: it would be read in vain. */
const listStates = ({ states = [...WALLET_STATUSES] }: WalletFilter, partners: PartnerStatus[]) =>
  states.filter((state) =>
    state === 'COMPLETED' ? partners.some((one) => one !== 'UNKNOWN') : partners.includes('UNKNOWN'),
  )
