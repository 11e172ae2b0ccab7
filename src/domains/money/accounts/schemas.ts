import { Type } from 'typebox'
import { anyOf, pageOf, pagingQuery } from '../../../kernel/http/paging.ts'
import {
  Nullable,
  OneOf,
  PathId,
  record,
  ref,
  StatusInput,
  statusRecord,
  Timestamp,
} from '../../../kernel/http/schemas.ts'
import { ACCOUNT_TYPES } from '../../partners/platforms/index.ts'
import { UserPath } from '../../people/users/index.ts'
import { ACCOUNT_STATUSES } from './states.ts'

export const Account = record(
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

const AccountStatusRecord = statusRecord('AccountStatus', ACCOUNT_STATUSES, {
  description: 'Current status of an account. No calendar changes it.',
  example: {
    id: 'acc_06bnv3m2r8f1s4k7q9t3v6w0y2',
    status: 'INACTIVE',
    next_move_on: null,
    allowed_transitions: ['ACTIVE'],
  },
})

export const records = [Account, AccountStatusRecord]

const AccountPath = Type.Object({ ...UserPath.properties, account_id: PathId('The account') })

const tags = ['Accounts']

export const createAccountSchema = {
  tags,
  summary: 'Open an account',
  description:
    'Requests an account of this type from the account provider, fed by the bank account given at onboarding. It ' +
    'is PENDING until the provider confirms it, then ACTIVE. A user can have one account of each type.',
  params: UserPath,
  body: Type.Object({ account_type: OneOf(ACCOUNT_TYPES) }, { examples: [{ account_type: 'HSA' }] }),
  response: { 201: ref(Account) },
}

export const listAccountsSchema = {
  tags,
  summary: 'List the accounts of a user',
  description: 'Newest first. `status` and `account_type` may be repeated.',
  params: UserPath,
  querystring: Type.Object(
    {
      ...pagingQuery,
      status: anyOf(ACCOUNT_STATUSES),
      account_type: anyOf(ACCOUNT_TYPES),
    },
    { additionalProperties: false },
  ),
  response: { 200: pageOf(Type.Array(ref(Account))) },
}

export const readAccountSchema = {
  tags,
  summary: 'Read an account',
  description: 'Returns one account.',
  params: AccountPath,
  response: { 200: ref(Account) },
}

export const readAccountStatusSchema = {
  tags,
  summary: 'Read the status of an account',
  description: 'Returns the current status and the transitions this caller may make. The ETag is the account’s.',
  params: AccountPath,
  response: { 200: ref(AccountStatusRecord) },
}

export const setAccountStatusSchema = {
  tags,
  summary: 'Set the status of an account',
  description:
    'Transitions: ACTIVE to INACTIVE and back, PENDING to INACTIVE. Only the account provider can turn PENDING ' +
    'into ACTIVE.',
  params: AccountPath,
  body: StatusInput(ACCOUNT_STATUSES, 'INACTIVE'),
  response: { 200: ref(AccountStatusRecord) },
}
