import { Type } from 'typebox'
import type { PlatformOrigins } from '../../../access/web-origins.ts'
import { type RecordOf, text } from '../../../kernel/db/columns.ts'
import { PathId, record } from '../../../kernel/http/schemas.ts'
import { choice, entity, field } from '../../../record/index.ts'
import { ACCOUNT_TYPES, PLATFORM_STATUSES } from './states.ts'

export const PLATFORMS = entity(
  'platforms p',
  'Platform',
  {
    id: field(text('platform_id'), Type.String(), 'plt_06bnv3kq0r3cj8m3w0h2d8y6xg'),
    name: field(text('name'), Type.String(), 'Acme Benefits'),
    status: choice('status', PLATFORM_STATUSES, 'ACTIVE'),
    defaultAccountType: choice('default_account_type', ACCOUNT_TYPES, 'SAVINGS', {
      description: 'Type of the account opened by onboarding',
    }),
  },
  { description: 'A partner company that uses the API' },
)
export type Platform = RecordOf<typeof PLATFORMS>
export const { schema: PlatformRecord, versionOf, present: presentPlatform } = PLATFORMS

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
