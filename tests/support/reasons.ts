import assert from 'node:assert/strict'
import { openReason } from '../../src/record/index.ts'
import type { TestApp } from './app.ts'

type Row = { user_id: string | null; change_id: string; reason: string; data_key: string }

const OF_USER = `select c.user_id, c.change_id, c.reason, u.data_key
  from user_status_changes c join users u using (user_id)
 where c.entity_id = $1 and c.reason is not null`

const OF_SPONSOR = `select null as user_id, c.change_id, c.reason, s.data_key
  from catalogue_status_changes c join sponsors s on s.sponsor_id = c.entity_id
 where c.entity_id = $1 and c.reason is not null`

/** The one reason that was given for a transition of this thing, which is stored sealed. */
export async function sealedReason(t: TestApp, entityId: string): Promise<string> {
  const [row, ...more] = [...(await t.sql<Row>(OF_USER, [entityId])), ...(await t.sql<Row>(OF_SPONSOR, [entityId]))]
  assert(row && more.length === 0, 'one reason is stored')
  return openReason(
    t.deps.vault.open(row.data_key),
    { userId: row.user_id, entityId, changeId: row.change_id },
    row.reason,
  )
}
