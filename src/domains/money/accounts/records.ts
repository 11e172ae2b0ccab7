import { type Static, Type } from 'typebox'
import type { CallerKind } from '../../../access/caller.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import { columns, decoded, nullable, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import type { WireTime } from '../../../kernel/db/database.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { Nullable, OneOf, PathId, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { statusRecord } from '../../status-record.ts'
import { ACCOUNT_TYPES } from '../../partners/platforms/index.ts'
import { UserPath } from '../../people/users/index.ts'
import { ACCOUNT_STATUSES, allowedNow } from './states.ts'

export const ACCOUNT = columns('a', {
  id: text('account_id'),
  userId: decoded('user_id', decodeUserId),
  accountType: oneOf('account_type', ACCOUNT_TYPES),
  status: oneOf('status', ACCOUNT_STATUSES),
  externalAccountId: nullable(text('external_account_id')),
  ifscCode: nullable(text('ifsc_code')),
  /** Null until an account provider is chosen, or when none is registered. */
  providerId: nullable(text('account_provider_id')),
  ...VERSION,
})

export type Account = RecordOf<typeof ACCOUNT>

/** An account with the fields of its user that transitions need. */
export type OwnedAccount = Account & {
  platformId: string
  key: DataKey
  /** The user has another account of its type that is not INACTIVE. */
  hasOther: boolean
}

/** An account and the time its status began. */
export type AccountWithSince = { account: OwnedAccount; since: WireTime }

export const AccountRecord = record(
  'Account',
  {
    id: Type.String(),
    external_account_id: Nullable(
      Type.String({ description: 'The account provider’s id of the account; `null` until it is opened' }),
    ),
    holder: Type.String({ description: '`user:` followed by the user id' }),
    account_details: Type.Object({ ifsc_code: Nullable(Type.String()), account_type: OneOf(ACCOUNT_TYPES) }),
    created_at: Timestamp('Time of the request'),
    last_modified_at: Timestamp('Time of the last change'),
  },
  {
    description: 'A purpose-bound account. Its status is a filter of the list, not a field.',
    examples: [
      {
        id: 'acc_06bnv3m2r8f1s4k7q9t3v6w0y2',
        external_account_id: 'EXT-4711',
        holder: 'user:012345678901',
        account_details: { ifsc_code: 'BNYN0000001', account_type: 'SAVINGS' },
        created_at: '2026-04-01T09:31:00',
        last_modified_at: '2026-04-01T09:31:01',
      },
    ],
  },
)

export const presentAccount = (account: Account): Static<typeof AccountRecord> => ({
  id: account.id,
  external_account_id: account.externalAccountId,
  holder: `user:${account.userId}`,
  account_details: { ifsc_code: account.ifscCode, account_type: account.accountType },
  created_at: account.createdAt,
  last_modified_at: account.lastModifiedAt,
})

export const versionOf = (account: Account) => ({ record: presentAccount(account), revision: account.revision })

export const AccountStatusRecord = statusRecord('AccountStatus', ACCOUNT_STATUSES, {
  more: {},
  description: 'Current status of an account. No calendar changes it.',
  example: {
    id: 'acc_06bnv3m2r8f1s4k7q9t3v6w0y2',
    status: 'INACTIVE',
    next_move_on: null,
    allowed_transitions: ['ACTIVE'],
  },
})

export const presentStatus = ({ account, since }: AccountWithSince, who: CallerKind) => ({
  id: account.id,
  status: account.status,
  since,
  grace_until: null,
  next_move_on: null,
  allowed_transitions: allowedNow(account, who),
})

export const tags = ['Accounts']
export const AccountPath = Type.Object({ ...UserPath.properties, account_id: PathId('The account') })
