import { type Static, Type } from 'typebox'
import { checkIsOwn } from '../../../access/scope.ts'
import type { Caller } from '../../../access/caller.ts'
import { findWebOrigins, type PlatformOrigins, SET_WEB_ORIGINS } from '../../../access/web-origins.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { record } from '../../../kernel/http/schemas.ts'
import { recordedWrite } from '../../../record/index.ts'
import type { PlatformPath } from './records.ts'

export const examples = [{ web_origins: ['https://app.example.com', 'http://localhost:5173'] }]

export const WebOriginsRecord = record(
  'WebOrigins',
  { web_origins: Type.Array(Type.String()) },
  { description: 'The origins of the web apps of a platform', examples },
)

export const presentWebOrigins = ({ webOrigins }: PlatformOrigins): Static<typeof WebOriginsRecord> => ({
  web_origins: [...webOrigins],
})

/** The list is its own version: it has no other state. */
export const versionOf = (origins: PlatformOrigins) => ({ record: presentWebOrigins(origins), revision: 0 })

export const WRITE_WEB_ORIGINS = recordedWrite({ name: 'web_origins_set', ...SET_WEB_ORIGINS, events: false })

type Target = {
  deps: { db: Queryable }
  request: { caller: Caller }
  params: Static<typeof PlatformPath>
}

/** Returns the origins of the platform in the path. Throws 404 `not_found` when there is none, or it is not the caller's. */
export async function originsInPath({ deps, request, params }: Target): Promise<PlatformOrigins> {
  checkIsOwn(request.caller, { platformId: params.platform_id })
  return findWebOrigins(deps.db, params.platform_id)
}
