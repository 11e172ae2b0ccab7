import { newId } from '../../kernel/id.ts'
import { statement, type Tx } from '../../kernel/db/database.ts'

const INSERT_EVENT = statement(
  'events_insert',
  'insert into events (event_id, type, platform_id, subject, data) values ($1, $2, $3, $4, $5)',
)

const INSERT_USER_MOVES = statement(
  'user_status_changes_insert',
  `insert into user_status_changes (user_id, entity_id, change_id, from_status, to_status, actor, request_id, reason)
   select $1, c.entity_id, c.change_id, c.from_status, c.to_status, c.actor, c.request_id, c.reason
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
            as c (entity_id, change_id, from_status, to_status, actor, request_id, reason)`,
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

/** All of them in one round trip; their ids ascend in the order given. */
export async function insertUserMoves(tx: Tx, userId: string, changes: StatusChange[]): Promise<void> {
  await tx.query(INSERT_USER_MOVES, [
    userId,
    changes.map((change) => change.entityId),
    changes.map(() => newId('chg')),
    changes.map((change) => change.from),
    changes.map((change) => change.to),
    changes.map((change) => change.actor),
    changes.map((change) => change.requestId),
    changes.map((change) => change.keptReason),
  ])
}
