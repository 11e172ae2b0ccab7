import type { Static } from 'typebox'
import type { Account as AccountSchema } from './schemas.ts'
import type { StatusChanged } from './set-account-status.ts'
import type { Account } from './store.ts'

export const presentAccount = (account: Account): Static<typeof AccountSchema> => ({
  id: account.id,
  external_account_id: account.externalAccountId,
  holder: `user:${account.userId}`,
  account_details: { ifsc_code: account.ifscCode, account_type: account.accountType },
  created_at: account.createdAt,
  last_modified_at: account.lastModifiedAt,
})

export const versionOf = (account: Account) => ({ record: presentAccount(account), revision: account.revision })

export const presentStatus = ({ account, previous }: StatusChanged) => ({
  id: account.id,
  status: account.status,
  previous_status: previous,
  last_modified_at: account.lastModifiedAt,
})
