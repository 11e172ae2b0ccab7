import type { Static } from 'typebox'
import type { CallerKind } from '../../../access/caller.ts'
import type { Account as AccountSchema } from './schemas.ts'
import { allowedNow } from './states.ts'
import type { Account, AccountWithSince } from './store.ts'

export const presentAccount = (account: Account): Static<typeof AccountSchema> => ({
  id: account.id,
  external_account_id: account.externalAccountId,
  holder: `user:${account.userId}`,
  account_details: { ifsc_code: account.ifscCode, account_type: account.accountType },
  created_at: account.createdAt,
  last_modified_at: account.lastModifiedAt,
})

export const versionOf = (account: Account) => ({ record: presentAccount(account), revision: account.revision })

export const presentStatus = ({ account, since }: AccountWithSince, who: CallerKind) => ({
  id: account.id,
  status: account.status,
  since,
  grace_until: null,
  next_move_on: null,
  allowed_transitions: allowedNow(account, who),
})
