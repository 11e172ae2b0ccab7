import { Type } from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { toPeriod, wireTime } from '../../../kernel/clock.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { cursorPaged, cursorPageSchema, LIMIT_DEFAULT, pagingQuery } from '../../../kernel/http/paging.ts'
import { DayText, Nullable, OneOf, Text, Timestamp } from '../../../kernel/http/schemas.ts'
import { AUDIT_ACTIONS, type Deps, operationIn } from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { type Exposed, type Exposure, findPlatformOf, listExposed } from './exposure-store.ts'
import { After, cursorFrom, describeOperation, presentCursor, type Summaries, tags } from './records.ts'
import { isBeyond } from './store.ts'

const ExposedRecord = Type.Object(
  {
    user_id: Nullable(
      UserIdText({ description: 'The person; `null` for a record that is of no user', examples: ['012345678901'] }),
    ),
    subject: Nullable(
      Type.String({
        description: 'Id of the record, where it is of no user',
        examples: ['spn_06bnv3m2r8f1s4k7q9t3v6w0y2'],
      }),
    ),
    operation: Type.String({ description: 'Operation id', examples: ['readUser'] }),
    summary: Type.String({ description: 'What was done, in words', examples: ['Read a user'] }),
    action: OneOf(AUDIT_ACTIONS, { description: 'Kind of action' }),
    count: Type.Integer({ description: 'How often it was done in this time', examples: [3] }),
    first_at: Timestamp('Time of the first'),
    last_at: Timestamp('Time of the last'),
  },
  { title: 'Exposure', description: 'What a credential has done with one person or record' },
)

export const listExposure = operationIn<Deps & { summaries: Summaries }>()('GET /exposure', {
  access: 'listExposure',
  tags,
  summary: 'List what a credential has read or changed',
  description:
    'After a credential was stolen: the persons whose data was read or changed with it, also through tokens of users that were issued with it, each operation on each person once, in the order in which that began. Owners see every credential and session, a platform its own credentials, revoked ones too. Entries of the audit name the credential since version 0.3.0. Send `next` as `after` to continue; a page can be short or empty although `has_more` is true.',
  querystring: Type.Object(
    {
      credential_id: Text({
        maxLength: 100,
        description: 'The credential, or the session of somebody who had logged in.',
        examples: ['crd_06bnv3m2r8f1s4k7q9t3v6w0y2'],
      }),
      from: Type.Optional(DayText({ description: 'Only what was done on this day (India) and later.' })),
      to: Type.Optional(DayText({ description: 'Only what was done on this day (India) and earlier.' })),
      limit: pagingQuery.limit,
      after: After,
    },
    { additionalProperties: false },
  ),
  response: { 200: cursorPageSchema(Type.Array(ExposedRecord)) },
  read: async (call) => {
    const { credential_id: credentialId, after, limit = LIMIT_DEFAULT } = call.query
    const { caller } = call.request
    const exposure = { credentialId, platformId: platformOf(caller), ...toPeriod(call.query) }
    const missing = { ...exposure, credentialId: '' }
    const { db } = call.deps
    const listing = { after: cursorFrom(after), limit: limit + 1 }
    const found = await listExposed(db, { exposure, ...listing })
    const rows = (await isOwn(db, exposure, found)) ? found : await listExposed(db, { exposure: missing, ...listing })
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return cursorPaged(call, {
      data: page.filter(({ isFirst }) => isFirst).map((entry) => present(entry, call.deps.summaries)),
      next: last ? presentCursor(last) : (after ?? null),
      hasMore: rows.length > limit || (last?.isLastScanned === true && !isBeyond(last, exposure, 'asc')),
      limit,
    })
  },
})

const platformOf = (caller: Caller): string | undefined => (caller.kind === 'platform' ? caller.platformId : undefined)

/** Every user whose data a platform's credential leads to is of that platform, so one is enough to look at. */
async function isOwn(db: Database, { platformId }: Exposure, rows: readonly Exposed[]): Promise<boolean> {
  const userId = rows.find(({ isFirst }) => isFirst)?.userId ?? null
  return platformId === undefined || userId === null || (await findPlatformOf(db, userId)) === platformId
}

const present = (entry: Exposed, summaries: Summaries) => ({
  user_id: entry.userId,
  subject: entry.userId === null ? entry.subject : null,
  operation: entry.operation,
  summary: describeOperation(entry.operation, summaries),
  action: entry.action,
  count: entry.count,
  first_at: wireTime(entry.firstAt ?? entry.at),
  last_at: wireTime(entry.lastAt ?? entry.at),
})
