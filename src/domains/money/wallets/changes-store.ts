import { isOwn, type Scope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import {
  type ChangesOrder,
  changesText,
  type ChangesValues,
  orderedValues,
  ownParameter,
} from '../../../kernel/db/changes-text.ts'
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

const CHANGED_AT = 'w.last_modified_at'

/** One statement for each index, because one plan could not serve all. */
const changesList = (name: string, states: readonly WalletStatus[], where: string, order: { since?: string }) =>
  statement(
    name,
    changesText({
      columns: LISTED.list,
      from: 'wallets w',
      join: joinUserText('w'),
      changedAt: CHANGED_AT,
      ...order,
      id: 'w.partner_wallet_id',
      state: 'w.wallet_status',
      states,
      where,
    }),
  )

const OF_PARTNERS = `w.wallet_status_partner = any (${PARTNERS}::text[])`
const listsIn = (name: string, order: { since?: string }) => ({
  all: changesList(`wallets_${name}`, WALLET_STATUSES, `${isOwn(PLATFORM, 'w.platform_id')} and ${OF_PARTNERS}`, order),
  ofPlatform: changesList(
    `wallets_${name}_of_platform`,
    WALLET_STATUSES,
    `w.platform_id = ${PLATFORM} and ${OF_PARTNERS}`,
    order,
  ),
  /** Only complete wallets are known to the operator, who has blocked few of them. */
  ofBlocked: changesList(
    `wallets_${name}_of_blocked`,
    ['COMPLETED'],
    `w.wallet_status_partner = 'BLOCKED' and ${isOwn(PLATFORM, 'w.platform_id')}`,
    order,
  ),
})
const NEWEST = listsIn('changed', {})
const OLDEST = listsIn('oldest', { since: CHANGED_AT })

type WalletFilter = ChangesValues &
  ChangesOrder & {
    states: WalletStatus[] | undefined
    partnerStatuses: PartnerStatus[] | undefined
    scope: Scope
  }

/** Returns wallets of all users in scope, last change first or last; a booking is a change. */
export async function listChangedWallets(db: Queryable, filter: WalletFilter) {
  const { platformId } = filter.scope
  const { all, ofPlatform, ofBlocked } = filter.isOldestFirst ? OLDEST : NEWEST
  const partners = filter.partnerStatuses ?? [...PARTNER_STATUSES]
  const values = [...orderedValues({ ...filter, states: listStates(filter, partners) }), platformId]
  const rows = partners.every((one) => one === 'BLOCKED')
    ? await db.query<object>(ofBlocked, values)
    : await db.query<object>(platformId === null ? all : ofPlatform, [...values, partners])
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
