import { createHmac } from 'node:crypto'
import { type Clock, unixSeconds } from '../../kernel/clock.ts'
import { sameSecret } from '../../kernel/crypto/secrets.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { ProblemError } from '../../kernel/problem-error.ts'
import { type By, type Decision, unchanged } from '../../record/index.ts'
import type { OperatorWallet } from './operator.ts'
import { applyOperatorStatus } from './provision-wallet.ts'
import { findReference, INSERT_OPERATOR_EVENT } from './store.ts'

/** How far the operator's clock may be from ours; older is a replay. */
const TOLERANCE_SECONDS = 300

type Signed = { header: string | string[] | undefined; body: Buffer; secret: string; clock: Clock }

/** Refuses with 401 what the operator did not sign over just this body and just now. */
export function checkSignature({ header, body, secret, clock }: Signed): void {
  const [, time, signature] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(header)) ?? []
  if (time === undefined || signature === undefined) throw notSigned()
  if (Math.abs(unixSeconds(clock) - Number(time)) > TOLERANCE_SECONDS) throw notSigned()
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
  if (!sameSecret(expected, signature)) throw notSigned()
}

const notSigned = () =>
  new ProblemError('unauthenticated', 'The signature is missing, not valid or too old.', {
    headers: { 'www-authenticate': 'Operator-Signature' },
  })

type OperatorEvent = OperatorWallet & { event_id: string; reference: string }

/**
 * Takes a status from the operator, once. The result is false when it was received before; an unknown reference is taken and
 * forgotten.
 */
export async function receiveOperatorEvent(
  db: Queryable,
  { event_id: eventId, reference, status, sequence }: OperatorEvent,
  by: By,
): Promise<Decision<boolean>> {
  const { isKnown, wallet } = await findReference(db, { reference, eventId })
  if (isKnown) return unchanged(false)
  const change = wallet && applyOperatorStatus(wallet, { status, sequence }, by)
  if (!change?.write) return { result: true, write: INSERT_OPERATOR_EVENT, values: [eventId] }
  return { ...change, result: true, rows: { into_operator_events: [{ event_id: eventId }] } }
}
