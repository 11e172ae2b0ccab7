import type { Scope } from '../../../access/scope.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { CursorPage } from '../../../kernel/http/paging.ts'
import { timeOfId } from '../../../kernel/id.ts'
import { type FieldError, invalid, unknownReference } from '../../../kernel/problem-error.ts'
import { type Envelope, EVENT_RETENTION_DAYS, type EventType, toEnvelope, typesFor } from '../../../record/index.ts'
import { LATEST } from './schemas.ts'
import { BEGINNING, type Cursor, findCursor, findNewest, listAfter, SCANNED_MAX, type EventSelection } from './store.ts'

const DAY_MS = 24 * 3_600_000

type ListInput = {
  selection: EventSelection
  types: readonly EventType[] | undefined
  after: string | undefined
  limit: number
}

/** Lists events in the order they were written. Throws 422 when the cursor is unknown or older than the retention. */
export async function listEvents(
  { db, clock }: { db: Queryable; clock: Clock },
  { selection, types, after, limit }: ListInput,
): Promise<CursorPage<Envelope>> {
  if (after === LATEST) return { data: [], next: (await findNewest(db, selection)) ?? null, hasMore: false, limit }
  const cursor = after === undefined ? BEGINNING : await cursorOf({ db, clock }, selection.scope, after)
  const wanted = readableTypes(selection.scope).filter((type) => types?.includes(type) ?? true)
  const found = await listAfter(db, { selection, types: wanted, after: cursor, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  return {
    data: page.filter(({ type }) => wanted.includes(type)).map(toEnvelope),
    next: last?.id ?? after ?? null,
    hasMore: found.length > limit || last?.position === SCANNED_MAX,
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
  throw invalid([at !== undefined && at < clock.now().getTime() - EVENT_RETENTION_DAYS * DAY_MS ? TOO_OLD : UNKNOWN])
}

const UNKNOWN = unknownReference(
  'query:after',
  'Unknown event, or not yours. Send the `next` of a previous page, or `latest`.',
)

const TOO_OLD: FieldError = {
  pointer: 'query:after',
  code: 'expired',
  detail: `This event is older than ${EVENT_RETENTION_DAYS} days. Start again without a cursor.`,
}
