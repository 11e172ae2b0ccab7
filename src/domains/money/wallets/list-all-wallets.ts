import { Type } from 'typebox'
import type { Queryable } from '../../../kernel/db/database.ts'
import { listFilter } from '../../../kernel/http/paging.ts'
import { Nullable, OneOf, record, TIMES } from '../../../kernel/http/schemas.ts'
import { findLastReasons, listOfChanges, oldestFirst } from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { listChangedWallets } from './changes-store.ts'
import { tags } from './records.ts'
import { PARTNER_STATUSES, WALLET_STATUSES } from './states.ts'

const ListedWalletRecord = record(
  'ListedWallet',
  {
    partner_wallet_id: Type.String(),
    user_id: UserIdText(),
    platform_id: Type.String(),
    wallet_status: OneOf(WALLET_STATUSES),
    wallet_status_partner: OneOf(PARTNER_STATUSES),
    failure_reason: Nullable(
      Type.String({ description: 'For administrators: why the wallet is FAILED, in our words; else `null`' }),
    ),
    ...TIMES,
  },
  {
    description: 'A wallet in a list of all users: no personal data, and no balance',
    examples: [
      {
        partner_wallet_id: 'wal_06bnv3m2r8f1s4k7q9t3v6w0y2',
        user_id: '012345678901',
        platform_id: 'plt_06bnv3m2r8f1s4k7q9t3v6w0y2',
        wallet_status: 'RETRYING',
        wallet_status_partner: 'UNKNOWN',
        failure_reason: null,
        created_at: '2026-04-01T09:31:00',
        last_modified_at: '2026-04-01T09:36:00',
      },
    ],
  },
)

export const listAllWallets = listOfChanges('/wallets', {
  access: 'listAllWallets',
  tags,
  summary: 'List the wallets of all users',
  description: 'A booking is a change, too.',
  filters: {
    wallet_status: listFilter(WALLET_STATUSES),
    wallet_status_partner: listFilter(PARTNER_STATUSES),
    ...oldestFirst,
  },
  item: ListedWalletRecord,
  find: async ({ db }, { wallet_status: states, wallet_status_partner: partnerStatuses, order }, page) => {
    const filter = { ...page, states, partnerStatuses, isOldestFirst: order === 'oldest' }
    const wallets = await listChangedWallets(db, filter)
    const reasons = page.scope.platformId === null ? await findFailureReasons(db, wallets) : NONE
    return wallets.map((wallet) => ({ ...wallet, failure_reason: reasons.get(wallet.id) ?? null }))
  },
  present: ({ id: _id, changedAt: _changedAt, ...wallet }) => wallet,
})

/** Partners can change nothing about the reasons, which speak of the settings, too. */
const NONE: ReadonlyMap<string, string> = new Map()

type Listed = Awaited<ReturnType<typeof listChangedWallets>>

/** Returns the reasons of those that are FAILED, by their ids. What the operator said itself is not stored. */
function findFailureReasons(db: Queryable, wallets: Listed): Promise<ReadonlyMap<string, string>> {
  const failed = wallets.filter(({ wallet_status: status }) => status === 'FAILED')
  const userIds = failed.map(({ user_id: userId }) => userId)
  return findLastReasons(db, { userIds, entityIds: failed.map(({ id }) => id), to: 'FAILED' })
}
