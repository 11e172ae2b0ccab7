import { Type } from 'typebox'
import { pageOf, PagingQuery } from '../../kernel/http/paging.ts'
import { Name, OneOf, PathId, record, ref, StatusInput, TIMES } from '../../kernel/http/schemas.ts'
import { ACCOUNT_PROVIDER_STATUSES } from './states.ts'

export const AccountProvider = record(
  'AccountProvider',
  {
    id: Type.String(),
    name: Type.String(),
    status: OneOf(ACCOUNT_PROVIDER_STATUSES),
    ...TIMES,
  },
  {
    description: 'The bank side of purpose-bound accounts',
    examples: [
      {
        id: 'apr_06bnv3m2r8f1s4k7q9t3v6w0y2',
        name: 'Example Bank',
        status: 'active',
        created_at: '2026-04-01T09:30:00',
        last_modified_at: '2026-04-01T09:30:00',
      },
    ],
  },
)

const AccountProviderPath = Type.Object({ account_provider_id: PathId('The account provider') })
const AccountProviderInput = Type.Object({ name: Name() }, { examples: [{ name: 'Example Bank' }] })

const tags = ['Account providers']

export const createAccountProviderSchema = {
  tags,
  summary: 'Create an account provider',
  description: 'It starts `active`.',
  body: AccountProviderInput,
  response: { 201: ref(AccountProvider) },
}

export const listAccountProvidersSchema = {
  tags,
  summary: 'List account providers',
  description: 'Newest first.',
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(AccountProvider))) },
}

export const readAccountProviderSchema = {
  tags,
  summary: 'Read an account provider',
  description: 'One account provider by its id.',
  params: AccountProviderPath,
  response: { 200: ref(AccountProvider) },
}

export const updateAccountProviderSchema = {
  tags,
  summary: 'Rename an account provider',
  description: 'Takes the administrator key, not a bearer token.',
  consumes: ['application/json', 'application/merge-patch+json'],
  params: AccountProviderPath,
  body: AccountProviderInput,
  response: { 200: ref(AccountProvider) },
}

export const setAccountProviderStatusSchema = {
  tags,
  summary: 'Set the status of an account provider',
  description:
    '`active` and `inactive` go to each other. New accounts go to the first that is active; those that are there stay where they are.',
  params: AccountProviderPath,
  body: StatusInput(ACCOUNT_PROVIDER_STATUSES, 'inactive'),
  response: { 200: ref(AccountProvider) },
}
