import { type Static, Type } from 'typebox'
import type { Actor } from '../../../access/caller.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { rawBody } from '../../../kernel/http/body.ts'
import { OneOf } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import type { Log } from '../../../kernel/log.ts'
import type { Metrics } from '../../../kernel/metrics.ts'
import { invalid } from '../../../kernel/problem-error.ts'
import { applyWithRetry, type Author, type Decision, type Deps, operationIn, unchanged } from '../../../record/index.ts'
import {
  applyAskedStatus,
  applyOperatorStatus,
  type Contradiction,
  findContradiction,
  isHeldBack,
  isOpening,
  type ReportContradiction,
  SEQUENCE_AHEAD_MAX,
  type StatusResponse,
} from './apply-operator-status.ts'
import type { Operator, OperatorEvents } from './operator.ts'
import { tags, type Wallet } from './records.ts'
import { HELD_STATUSES } from './states.ts'
import { findReference, INSERT_OPERATOR_EVENT, LINKED_OPERATOR_EVENTS } from './store.ts'
import { INSERT_QUESTION, LINKED_QUESTIONS } from './sweep-store.ts'

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

type EventDeps = Deps & { operator: Operator & OperatorEvents; reportContradiction: ReportContradiction }

const CONTRADICTING = 'operator_events_contradicting_total'
export const OPERATOR_EVENT_METRICS = {
  [CONTRADICTING]: {
    help:
      'Events of the wallet operator that contradict what is stored or what it responds, so that it is asked for the status, and responses that ' +
      'contradict what is stored; the log line “the operator contradicts what is stored” names the wallet and how',
  },
}

export function contradictionReporter({ metrics, log }: { metrics: Metrics; log: Log }): ReportContradiction {
  const count = metrics.counter(CONTRADICTING, OPERATOR_EVENT_METRICS[CONTRADICTING].help)
  return (noted) => {
    count()
    log.warn(noted, 'the operator contradicts what is stored')
  }
}

export const receiveOperatorEvent = operationIn<EventDeps>()('POST /operator/events', {
  access: 'receiveOperatorEvent',
  limit: 'operatorEvents',
  tags,
  summary: 'Receive a status from the operator',
  description:
    'Signed by the operator. Signatures older than five minutes are rejected. A repeated event, or one with an ' +
    'older `sequence`, changes nothing. An event that contradicts what is known, because another status came under that `sequence` or a ' +
    'later one, or something else under that `event_id`, has the operator asked for the status within seconds; so has a ' +
    '`sequence` more than 1,000,000 ahead, which is a 422. BLOCKED counts at once; ACTIVE unblocks a wallet if the operator, which is then asked, responds ' +
    'the same, otherwise when it does.',
  body: OperatorEvent,
  response: {
    200: Type.Object(
      { received: Type.Boolean({ description: 'False if the event was received before' }) },
      { examples: [{ received: true }] },
    ),
  },
  // The signature covers the bytes of the body: reading it verifies who sends it.
  readsBody: ({ operator }) => rawBody(({ headers }, bytes) => operator.parseEvent(headers, bytes)),
  // Not `decide`: the program itself makes the change, and the operator sends no idempotency key.
  read: async ({ deps, request, body }) => {
    request.callerName = 'wallet_operator'
    const author: Actor = { caller: { kind: 'system', job: 'operator-event' }, requestId: newId('job') }
    const write = (change: (now: Author) => Promise<Decision<Received>>) =>
      applyWithRetry(deps, author, change, { serializeBy: body.reference })
    let outcome = await write((now) => decideEvent(deps.db, body, now))
    const { opening: before } = outcome
    if (before) {
      const reported = await deps.operator.findWallet(before.id).catch(() => undefined)
      outcome = await write((now) => decideOpening(deps.db, { event: body, before, reported }, now))
    }
    const { received, contradiction, walletId } = outcome
    if (contradiction !== undefined) deps.reportContradiction({ contradiction, wallet_id: walletId })
    if (contradiction === 'sequence_far_ahead') throw farAhead()
    return { received }
  },
})

type Event = Static<typeof OperatorEvent>

/** `opening`: the wallet that the event would open, so that the operator is asked first. */
type Received = {
  received: boolean
  contradiction?: Contradiction | undefined
  walletId?: string | undefined
  opening?: Wallet
}

const toRow = ({ event_id, reference, status, sequence }: Event) => ({
  event_id,
  content: `${sequence} ${status} ${reference}`,
})

const questionOf = ({ userId }: Wallet, { at }: Author) => LINKED_QUESTIONS.rows([{ user_id: userId, due_at: at }])

/** `received` is false when the event was received before. An unknown reference is accepted and changes nothing. */
async function decideEvent(db: Database, event: Event, author: Author): Promise<Decision<Received>> {
  const { event_id: eventId, reference, status, sequence } = event
  const row = toRow(event)
  const { knownEvent, wallet } = await findReference(db, { reference, eventId })
  const isOther = knownEvent !== undefined && knownEvent.content !== null && knownEvent.content !== row.content
  if (knownEvent && !isOther) return unchanged({ received: false })
  const contradiction = isOther ? 'event_id_reused' : wallet && findContradiction(wallet, { status, sequence })
  const result = { received: !isOther, contradiction, walletId: wallet?.id }
  const rows = contradiction && wallet ? questionOf(wallet, author) : {}
  if (isOther || contradiction === 'sequence_far_ahead') return { result, ...INSERT_QUESTION.with({}), rows }
  if (wallet && isOpening(wallet, { status, sequence })) return unchanged({ ...result, opening: wallet })
  const change = wallet && applyOperatorStatus(wallet, { status, sequence }, author)
  if (!wallet || !change?.write) return { result, ...INSERT_OPERATOR_EVENT.with(row), rows }
  const isClosed = change.result.partnerStatus !== wallet.partnerStatus
  return {
    ...change,
    result,
    rows: { ...LINKED_OPERATOR_EVENTS.rows([row]), ...(isClosed && questionOf(wallet, author)) },
  }
}

type OpeningEvent = { event: Event; before: Wallet; reported: StatusResponse['reported'] | undefined }

/** An event opens a wallet when the operator responds the same; otherwise it stays blocked, and the operator is asked again. */
async function decideOpening(
  db: Database,
  { event, before, reported }: OpeningEvent,
  author: Author,
): Promise<Decision<Received>> {
  const { event_id: eventId, reference, status, sequence } = event
  const row = toRow(event)
  const { knownEvent, wallet } = await findReference(db, { reference, eventId })
  if (knownEvent || !wallet) return unchanged({ received: !knownEvent })
  const isConfirmed = reported?.status === status && !isHeldBack(before, reported)
  if (reported && isConfirmed) {
    const newest = { status, sequence: Math.max(sequence, reported.sequence) }
    const change = applyAskedStatus(wallet, { before, reported: newest }, author)
    if (change.write) return { ...change, result: { received: true }, rows: LINKED_OPERATOR_EVENTS.rows([row]) }
  }
  const contradiction = reported && !isConfirmed ? ('opening_denied' as const) : undefined
  const rows = isConfirmed ? {} : questionOf(wallet, author)
  const result = { received: true, contradiction, walletId: wallet.id }
  return { result, ...INSERT_OPERATOR_EVENT.with(row), rows }
}

const farAhead = () =>
  invalid([
    {
      pointer: '/sequence',
      code: 'too_large',
      detail: `Must be at most ${SEQUENCE_AHEAD_MAX.toLocaleString('en')} ahead of the last one. The status is asked for instead.`,
    },
  ])
