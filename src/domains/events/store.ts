import { newId } from '../../kernel/id.ts'
import { statement, type Tx } from '../../kernel/db/database.ts'

const INSERT_EVENT = statement(
  'events_insert',
  'insert into events (event_id, type, platform_id, subject, data) values ($1, $2, $3, $4, $5)',
)

const INSERT_USER_MOVE = statement(
  'user_status_changes_insert',
  `insert into user_status_changes (user_id, entity_id, change_id, from_status, to_status, actor, request_id, reason)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

const INSERT_CATALOGUE_MOVE = statement(
  'catalogue_status_changes_insert',
  `insert into catalogue_status_changes (entity_id, change_id, from_status, to_status, actor, request_id, reason)
   values ($1, $2, $3, $4, $5, $6, $7)`,
)

export type NewEvent = { type: string; platformId: string | null; subject: string; data: object }

export async function insertEvent(tx: Tx, { type, platformId, subject, data }: NewEvent): Promise<void> {
  await tx.query(INSERT_EVENT, [newId('evt'), type, platformId, subject, data])
}

export type StatusChange = {
  entityId: string
  from: string | null
  to: string
  actor: string
  requestId: string
  keptReason: string | null
}

export async function insertUserMove(tx: Tx, userId: string, change: StatusChange): Promise<void> {
  const { entityId, from, to, actor, requestId, keptReason } = change
  await tx.query(INSERT_USER_MOVE, [userId, entityId, newId('chg'), from, to, actor, requestId, keptReason])
}

export async function insertCatalogueMove(tx: Tx, change: StatusChange): Promise<void> {
  const { entityId, from, to, actor, requestId, keptReason } = change
  await tx.query(INSERT_CATALOGUE_MOVE, [entityId, newId('chg'), from, to, actor, requestId, keptReason])
}
