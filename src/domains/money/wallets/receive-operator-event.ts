import { type Static, Type } from 'typebox'
import type { Actor } from '../../../access/caller.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { rawBody } from '../../../kernel/http/body.ts'
import { OneOf } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { applyWithRetry, type By, type Decision, type Deps, operationIn, unchanged } from '../../../record/index.ts'
import type { OperatorEvents } from './operator.ts'
import { applyOperatorStatus } from './provision-wallet.ts'
import { tags } from './records.ts'
import { HELD_STATUSES } from './states.ts'
import { findReference, INSERT_OPERATOR_EVENT, OPERATOR_EVENTS_PART } from './store.ts'

const OperatorEvent = Type.Object(
  {
    event_id: Type.String({ minLength: 1, maxLength: 100 }),
    reference: Type.String({ minLength: 1, maxLength: 100, description: 'The `partner_wallet_id`' }),
    status: OneOf(HELD_STATUSES),
    sequence: Type.Integer({ minimum: 0, description: 'Increases with every change of the wallet' }),
  },
  {
    examples: [{ event_id: 'op-evt-17', reference: 'wal_06bnv3m2r8f1s4k7q9t3v6w0y2', status: 'BLOCKED', sequence: 2 }],
  },
)

export const receiveOperatorEvent = operationIn<Deps & { operatorEvents: OperatorEvents }>()('POST /operator/events', {
  access: 'receiveOperatorEvent',
  limit: 'operatorEvents',
  tags,
  summary: 'Receive a status from the operator',
  description:
    'Signed by the operator. Signatures older than five minutes are rejected. A repeated event, or one with an ' +
    'older `sequence`, changes nothing.',
  body: OperatorEvent,
  response: {
    200: Type.Object(
      { received: Type.Boolean({ description: 'False if the event was received before' }) },
      { examples: [{ received: true }] },
    ),
  },
  // The signature covers the bytes of the body: reading it verifies who sends it.
  readsBody: ({ operatorEvents }) => rawBody(({ headers }, bytes) => operatorEvents.parseEvent(headers, bytes)),
  // Not `decide`: the program itself makes the change, and the operator sends no idempotency key.
  read: async ({ deps, request, body }) => {
    request.callerName = 'wallet_operator'
    const by: Actor = { caller: { kind: 'system', job: 'operator-event' }, requestId: newId('job') }
    const decide = (now: By) => decideEvent(deps.db, body, now)
    return { received: await applyWithRetry(deps, by, decide, { serializeBy: body.reference }) }
  },
})

/** The result is false when the event was received before. An unknown reference is accepted and changes nothing. */
async function decideEvent(
  db: Database,
  { event_id: eventId, reference, status, sequence }: Static<typeof OperatorEvent>,
  by: By,
): Promise<Decision<boolean>> {
  const { isKnown, wallet } = await findReference(db, { reference, eventId })
  if (isKnown) return unchanged(false)
  const change = wallet && applyOperatorStatus(wallet, { status, sequence }, by)
  if (!change?.write) return { result: true, ...INSERT_OPERATOR_EVENT.with({ event_id: eventId }) }
  return { ...change, result: true, rows: OPERATOR_EVENTS_PART.rows([{ event_id: eventId }]) }
}
