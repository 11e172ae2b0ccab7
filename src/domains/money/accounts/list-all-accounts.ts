import { Type } from 'typebox'
import { listFilter } from '../../../kernel/http/paging.ts'
import { OneOf, record, TIMES } from '../../../kernel/http/schemas.ts'
import { listOfChanges, oldestFirst } from '../../../record/index.ts'
import { ACCOUNT_TYPES } from '../../partners/platforms/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { listChangedAccounts } from './changes-store.ts'
import { tags } from './records.ts'
import { ACCOUNT_STATUSES } from './states.ts'

const ListedAccountRecord = record(
  'ListedAccount',
  {
    id: Type.String(),
    user_id: UserIdText(),
    platform_id: Type.String(),
    account_type: OneOf(ACCOUNT_TYPES),
    status: OneOf(ACCOUNT_STATUSES),
    ...TIMES,
  },
  {
    description: 'An account in a list of all users: no personal data',
    examples: [
      {
        id: 'acc_06bnv3m2r8f1s4k7q9t3v6w0y2',
        user_id: '012345678901',
        platform_id: 'plt_06bnv3m2r8f1s4k7q9t3v6w0y2',
        account_type: 'SAVINGS',
        status: 'PENDING',
        created_at: '2026-04-01T09:31:00',
        last_modified_at: '2026-04-01T09:31:00',
      },
    ],
  },
)

export const listAllAccounts = listOfChanges('/accounts', {
  access: 'listAllAccounts',
  tags,
  summary: 'List the accounts of all users',
  description: 'Every change is a transition, so `last_modified_at` is the time since which an account has its status.',
  filters: { status: listFilter(ACCOUNT_STATUSES), account_type: listFilter(ACCOUNT_TYPES), ...oldestFirst },
  item: ListedAccountRecord,
  find: ({ db }, { status: states, account_type: types, order }, page) =>
    listChangedAccounts(db, { ...page, states, types, isOldestFirst: order === 'oldest' }),
  present: ({ changedAt: _changedAt, ...account }) => account,
})
