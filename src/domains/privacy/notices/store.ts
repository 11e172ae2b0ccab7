import assert from 'node:assert/strict'
import type { Caller } from '../../../access/caller.ts'
import { text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { notFound } from '../../../kernel/problem-error.ts'
import { recordedWrite } from '../../../record/index.ts'
import { type Notice, NOTICES } from './records.ts'

const FIND = statement(
  'consent_notices_find',
  `${NOTICES.select} where n.platform_id = $1 and n.version = $2 and n.language = $3`,
)

export const insertNotice = NOTICES.insert('consent_notices_insert', { events: false })

export const changeNotice = NOTICES.update(
  'consent_notices_change',
  ['items', 'withdrawUrl', 'rightsUrl', 'complaintUrl', 'contact', 'text'],
  { events: false },
)

/**
 * Makes a notice unchangeable, before the first consent that names it: in a statement of its own, because notices and consents are
 * on different nodes of a cluster. It is no entry of the audit: the consent is.
 */
export const FREEZE_NOTICE = recordedWrite({
  name: 'consent_notices_freeze',
  values: { platformId: text('platform_id'), version: text('version'), language: text('language'), at: time('at') },
  update: 'consent_notices n',
  key: 'n.platform_id = :platform_id and n.version = :version and n.language = :language',
  guard: 'n.named_at is null',
  set: 'named_at = :at, revision = n.revision + 1',
  events: false,
  audited: false,
})

export type NoticeKey = Pick<Notice, 'platformId' | 'version' | 'language'>

export async function findNotice(
  db: Queryable,
  { platformId, version, language }: NoticeKey,
): Promise<Notice | undefined> {
  const [row] = await db.query<object>(FIND, [platformId, version, language])
  return row && NOTICES.decode(row)
}

type Target = { deps: { db: Queryable }; request: { caller: Caller }; params: { version: string; language: string } }

/** Returns where the notice in the path is: every caller of notices belongs to one platform. */
export function noticeKey({ request: { caller }, params }: Omit<Target, 'deps'>): NoticeKey {
  assert(caller.kind === 'platform' || caller.kind === 'user', 'the access matrix admits only these two')
  return { platformId: caller.platformId, ...params }
}

/** Returns the notice in the path. Throws 404 `not_found` when the caller's platform has none. */
export async function noticeInPath(call: Target): Promise<Notice> {
  const notice = await findNotice(call.deps.db, noticeKey(call))
  if (!notice) throw notFound()
  return notice
}
