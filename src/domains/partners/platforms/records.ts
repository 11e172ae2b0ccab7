import { type Static, Type } from 'typebox'
import type { PlatformOrigins } from '../../../access/web-origins.ts'
import { oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { OneOf, PathId, record, TIMES } from '../../../kernel/http/schemas.ts'
import { ACCOUNT_TYPES, PLATFORM_STATUSES } from './states.ts'

export const PLATFORM = {
  id: text('platform_id'),
  name: text('name'),
  status: oneOf('status', PLATFORM_STATUSES),
  defaultAccountType: oneOf('default_account_type', ACCOUNT_TYPES),
}
export const PLATFORMS = table('platforms p', { ...PLATFORM, ...VERSION })
export type Platform = RecordOf<typeof PLATFORMS>

export const PlatformRecord = record(
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

export const presentPlatform = (platform: Platform): Static<typeof PlatformRecord> => ({
  id: platform.id,
  name: platform.name,
  status: platform.status,
  default_account_type: platform.defaultAccountType,
  created_at: platform.createdAt,
  last_modified_at: platform.lastModifiedAt,
})

export const versionOf = (platform: Platform) => ({ record: presentPlatform(platform), revision: platform.revision })

export const originExamples = [{ web_origins: ['https://app.example.com', 'http://localhost:5173'] }]

export const WebOriginsRecord = record(
  'WebOrigins',
  { web_origins: Type.Array(Type.String()) },
  { description: 'The origins of the web apps of a platform', examples: originExamples },
)

/** The list is its own version: it has no other state. */
export const versionOfOrigins = ({ webOrigins }: PlatformOrigins) => ({
  record: { web_origins: [...webOrigins] },
  revision: 0,
})

export const tags = ['Platforms']
export const PlatformPath = Type.Object({ platform_id: PathId('The platform') })
