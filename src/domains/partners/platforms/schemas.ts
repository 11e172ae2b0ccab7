import { Type } from 'typebox'
import { pageOf, statusQuery } from '../../../kernel/http/paging.ts'
import { Name, OneOf, PathId, record, ref, StatusInput, TIMES } from '../../../kernel/http/schemas.ts'
import { ACCOUNT_TYPES, PLATFORM_STATUSES } from './states.ts'

export const Platform = record(
  'Platform',
  {
    id: Type.String(),
    name: Type.String(),
    status: OneOf(PLATFORM_STATUSES),
    default_account_type: OneOf(ACCOUNT_TYPES, { description: 'Type of the account opened by onboarding' }),
    ...TIMES,
  },
  {
    description: 'A partner company that uses the API',
    examples: [
      {
        id: 'plt_06bnv3kq0r3cj8m3w0h2d8y6xg',
        name: 'Acme Benefits',
        status: 'ACTIVE',
        default_account_type: 'SAVINGS',
        created_at: '2026-04-01T09:30:00',
        last_modified_at: '2026-04-01T09:30:00',
      },
    ],
  },
)

export const PlatformPath = Type.Object({ platform_id: PathId('The platform') })

const tags = ['Platforms']

export const createPlatformSchema = {
  tags,
  summary: 'Create a platform',
  description: 'Registers a partner company. A new platform is ACTIVE; create a credential for it next.',
  body: Type.Object(
    { name: Name(), default_account_type: Type.Optional(OneOf(ACCOUNT_TYPES)) },
    { examples: [{ name: 'Acme Benefits', default_account_type: 'SAVINGS' }] },
  ),
  response: { 201: ref(Platform) },
}

export const listPlatformsSchema = {
  tags,
  summary: 'List platforms',
  description: 'Newest first.',
  querystring: statusQuery(PLATFORM_STATUSES),
  response: { 200: pageOf(Type.Array(ref(Platform))) },
}

export const readPlatformSchema = {
  tags,
  summary: 'Read a platform',
  description: 'Returns one platform.',
  params: PlatformPath,
  response: { 200: ref(Platform) },
}

export const setPlatformStatusSchema = {
  tags,
  summary: 'Disable or enable a platform',
  description: 'Setting INACTIVE stops the platform and every token issued to it or its users within a second.',
  params: PlatformPath,
  body: StatusInput(PLATFORM_STATUSES, 'INACTIVE'),
  response: { 200: ref(Platform) },
}
