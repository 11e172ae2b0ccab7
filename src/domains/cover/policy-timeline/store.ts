import type { Static } from 'typebox'
import { IN_SCOPE, isOwn, type UserScope } from '../../../access/scope.ts'
import { UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import { statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { type Deps, USER_REASON } from '../../../record/index.ts'
import { SNAPSHOT } from '../documents/index.ts'
import { END_REASON } from '../policies/index.ts'
import { ENTRY, type TimelineEntryRecord } from './records.ts'

/**
 * The dependant versions that the policy `$4` has come to refer to since its enrolment: the current ones and their
 * previous versions. A policy that has ended follows no new versions.
 */
const CORRECTIONS = `
  with recursive line as (
    select d.dependant_id, d.previous_version_id, d.actor, d.created_at, d.corrected_fields, q.created_at as enrolled_at
      from insurance_policies q
      join dependants d on d.user_id = $1
       and (d.dependant_id = any (q.dependant_ids) or d.dependant_id = q.nominee_dependant_id)
     where q.user_id = $1 and q.policy_id = $4
     union all
    select d.dependant_id, d.previous_version_id, d.actor, d.created_at, d.corrected_fields, line.enrolled_at
      from line
      join dependants d on d.user_id = $1 and d.dependant_id = line.previous_version_id
  )
  select dependant_id, previous_version_id, actor, created_at, corrected_fields
    from line
   where created_at > enrolled_at and previous_version_id is not null`

/** `rank` orders the entries of a single write: a correction, the status change that follows it, the issue. */
const ENTRIES = `
  select h.at, 'STATUS_CHANGED' as kind, 2 as rank, h.change_id as id, h.actor, h.from_status, h.to_status, h.reason,
         null::int as issue, null as document_type, null as dependant_id, null as previous_version_id,
         null::text[] as fields, null::date as ends_on, null as end_code, null as snapshot
    from user_status_changes h
   where h.user_id = $1 and h.entity_id = $4
   union all
  select f.at, 'ISSUED', 3, f.policy_id, h.actor, null, null, null, f.issue, null, null, null, null, null, null,
         f.sealed
    from policy_snapshots f
    left join user_status_changes h on h.user_id = $1 and h.entity_id = $4 and h.at = f.at and h.to_status = 'ISSUED'
   where f.user_id = $1 and f.policy_id = $4 and f.issue > 0
   union all
  select f.created_at, 'DOCUMENT_UPLOADED', 4, f.file_id, f.actor, null, null, null, f.issue, f.document_type,
         null, null, null, null, null, null
    from policy_files f
   where f.user_id = $1 and f.policy_id = $4
   union all
  select h.at, 'DOCUMENT_REMOVED', 4, f.file_id, h.actor, null, null, null, f.issue, f.document_type, null, null,
         null, null, null, null
    from policy_files f
    join user_status_changes h on h.user_id = $1 and h.entity_id = f.file_id and h.to_status = 'DELETED'
   where f.user_id = $1 and f.policy_id = $4
   union all
  select c.created_at, 'DEPENDANT_CORRECTED', 1, c.dependant_id, c.actor, null, null, null, null, null,
         c.dependant_id, c.previous_version_id, c.corrected_fields, null, null, null
    from (${CORRECTIONS}) c
   union all
  select c.at, 'MEMBER_CORRECTED', 1, c.correction_id, c.actor, null, null, null, null, null, null, null, c.fields,
         null, null, null
    from policy_corrections c
   where c.user_id = $1 and c.policy_id = $4
   union all
  select n.at, case when n.ends_on is null then 'END_WITHDRAWN' else 'END_SCHEDULED' end, 1, n.end_id, n.actor, null, null,
         n.sealed_reason, null, null, null, null, null, n.ends_on, n.code, null
    from policy_ends n
   where n.user_id = $1 and n.policy_id = $4`

const LIST = statement(
  'policy_timeline_list',
  listText(
    {
      columns: `${ENTRY.list}, e.snapshot`,
      from: `(select a.at, a.kind, a.rank, a.id, replace(split_part(a.actor, ':', 1), '_person', '') as actor_kind, a.from_status, a.to_status,
                     a.reason, a.issue, a.document_type, a.dependant_id, a.previous_version_id,
                     a.fields, a.ends_on, a.end_code, a.snapshot
                from (${ENTRIES}) a) e`,
      order: 'e.at desc, e.rank desc, e.id desc',
      limit: '$5',
      offset: '$6',
    },
    {
      columns: 'u.data_key',
      from: `users u join insurance_policies p on p.user_id = $1 and p.policy_id = $4`,
      where: `u.user_id = $1 and ${IN_SCOPE}
        and ${isOwn('$3', 'p.benefit_provider_id')}`,
    },
  ),
)

/** Returns a page of a policy's timeline, newest first. Throws 404 `not_found` when it is not in the caller's scope. */
export async function findTimeline(
  { db, vault }: Deps,
  { userId, platformId, providerId }: UserScope,
  { policyId, page }: { policyId: string; page: Page },
): Promise<Paged<Static<typeof TimelineEntryRecord>>> {
  type Row = { total: number; data_key: string; snapshot: string | null }
  const rows = await db.query<Row>(LIST, [userId, platformId, providerId, policyId, page.limit, page.offset])
  return decodeOwnedPage(rows, 'kind', (row) => {
    const { id: changeId, ...entry } = ENTRY.decode(row)
    const key = () => vault.unwrap(row.data_key)
    if (entry.issue !== null && row.snapshot !== null) {
      const snapshot = SNAPSHOT.unsealOr(key(), { userId, id: policyId, issue: entry.issue }, row.snapshot, null)
      return { ...entry, start_date: snapshot?.start_date ?? null, end_date: snapshot?.end_date ?? null }
    }
    const days = { start_date: null, end_date: null }
    if (entry.reason === null) return { ...entry, ...days }
    const reason =
      entry.kind === 'END_SCHEDULED'
        ? END_REASON.unsealOr(key(), { userId, policyId, id: changeId }, entry.reason, UNAVAILABLE)
        : USER_REASON.unsealOr(key(), { userId, entityId: policyId, changeId }, entry.reason, UNAVAILABLE)
    return { ...entry, ...days, reason }
  })
}
