import type { Scope } from '../../access/scope.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import type { CursorPage } from '../../kernel/http/paging.ts'
import { timeOfId } from '../../kernel/id.ts'
import { type FieldError, invalid, unknownReference } from '../../kernel/problem-error.ts'
import { type Envelope, type EventType, toEnvelope, typesFor } from '../../record/index.ts'
import { LATEST } from './schemas.ts'
import { BEGINNING, type Cursor, findCursor, findNewest, listAfter, LOOKED_AT_MAX, type Meant } from './store.ts'

const KEPT_DAYS = 30
const DAY_MS = 24 * 3_600_000

type Asked = { meant: Meant; types: readonly EventType[] | undefined; after: string | undefined; limit: number }

/**
 * Lists what has happened, in the order in which it was written. Throws 422 when there is no such cursor, or it is older than
 * what is kept.
 */
export async function listEvents(
  { db, clock }: { db: Queryable; clock: Clock },
  { meant, types, after, limit }: Asked,
): Promise<CursorPage<Envelope>> {
  if (after === LATEST) return { data: [], next: (await findNewest(db, meant)) ?? null, hasMore: false, limit }
  const cursor = after === undefined ? BEGINNING : await cursorOf({ db, clock }, meant.scope, after)
  const wanted = readableTypes(meant.scope).filter((type) => types?.includes(type) ?? true)
  const found = await listAfter(db, { meant, types: wanted, after: cursor, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    data: page.filter(({ type }) => wanted.includes(type)).map(toEnvelope),
    next: last?.id ?? after ?? null,
    hasMore: found.length > limit || last?.place === LOOKED_AT_MAX,
    limit,
  }
}

function readableTypes({ platformId, providerId }: Scope): EventType[] {
  if (platformId !== null) return typesFor('platform')
  return typesFor(providerId === null ? 'administrators' : 'provider')
}

async function cursorOf({ db, clock }: { db: Queryable; clock: Clock }, scope: Scope, id: string): Promise<Cursor> {
  const cursor = await findCursor(db, scope, id)
  if (cursor) return cursor
  const at = timeOfId(id)?.getTime()
  throw invalid([at !== undefined && at < clock.now().getTime() - KEPT_DAYS * DAY_MS ? TOO_OLD : UNKNOWN])
}

const UNKNOWN = unknownReference(
  'query:after',
  'Unknown event, or not yours. Send the `next` of a previous page, or `latest`.',
)

const TOO_OLD: FieldError = {
  pointer: 'query:after',
  code: 'expired',
  detail: `This event is older than ${KEPT_DAYS} days. Start again without a cursor.`,
}
