import type { RetentionTerm } from '../../../settings/read-erasure.ts'
import { toLockOutRows } from '../../../access/otp.ts'
import { scopeOnUser, type UserScope } from '../../../access/scope.ts'
import { todayIn, wireTime } from '../../../kernel/clock.ts'
import { addMonths, type Day } from '../../../kernel/date.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import {
  type Author,
  type Decision,
  type Deps,
  LINKED_ERASE_RESPONSES,
  newEvent,
  unchanged,
} from '../../../record/index.ts'
import type { Endings } from '../../cover/policy-propagation/index.ts'
import { toLookupRows } from '../../people/users/index.ts'
import { decideHold, lastDayOfHold } from './decide-hold.ts'
import { type Erasable, type ErasureStatements, findErasable, SCHEDULE_ERASURE, LINKED_TOMBSTONE } from './store.ts'

const HOUR_MS = 3_600_000

export type ErasureContext = Pick<Deps, 'db' | 'clock' | 'calendar' | 'erasure'> & {
  /** Null where nothing is held, so that no key is needed. */
  vault: Pick<Deps['vault'], 'unwrap'> | null
  statements: ErasureStatements
  endings: Endings
}

/** The result of an erasure: when it is executed, and until when data is retained by law. */
export type ErasureOutcome = { userId: string; erasedAt: string; until: Retained; heldMoney: boolean }

/** The last days of retention; null when there is nothing to retain. */
export type Retained = { ledger: Day | null; policies: Day | null; hold: Day | null }

type EraseInput = {
  userId: string
  /** Whether policies in force are ended; a scheduled erasure stores it. */
  endsPolicies?: boolean
  /** Throws 412 when the caller has read another version. */
  checkVersion?: () => Promise<void>
  /** Erases only if a scheduled erasure is still there and due: it may have been cancelled since it was listed. */
  isDue?: boolean
  /** The time in a tombstone: the user was erased before, so money and policies of a restored database do not matter. */
  erasedBefore?: Date
  /** The last day of the hold in that tombstone, which is never longer than it was. */
  heldUntil?: Day | null
}

/**
 * Decides the erasure of a user: immediate, or scheduled after the configured notice. Repeating a
 * scheduled erasure changes nothing. Throws 404, and 409 `conflict` while the wallet holds money or a policy is in
 * force that must not be ended, 412.
 */
export async function decideErasure(
  context: ErasureContext,
  { userId, isDue = false, erasedBefore, heldUntil = null, checkVersion, ...input }: EraseInput,
  author: Author,
): Promise<Decision<ErasureOutcome>> {
  const { person, policies } = await findErasable(context.db, context.statements, scopeOnUser(author.caller, userId))
  // After the read above, whose revision guards the write: a change between the two is never missed.
  await checkVersion?.()
  const { waitsUntil } = person
  const erasedAt = erasedBefore ?? author.at
  const until = listRetained(person, context, waitsUntil ?? erasedAt)
  if (isDue && (waitsUntil === null || waitsUntil > author.at))
    return unchanged({ userId, erasedAt: wireTime(waitsUntil ?? author.at), until, heldMoney: holdsMoney(person) })
  const ended = context.endings.end(policies, person, author.at)
  const endsPolicies = input.endsPolicies === true || person.endsPolicies === true
  if (!erasedBefore) checkNotInUse(person, { inForce: ended.inForce, endsPolicies })
  const { noticeHours } = context.erasure
  if (noticeHours > 0 && !isDue && !erasedBefore)
    return schedule(person, { endsPolicies, erasure: context.erasure, until }, author)

  const hold = decideHold(context, person, erasedBefore ? heldUntil : lastDayOfHold(context.erasure, erasedAt))
  const retained = { ...until, hold: hold.held_until }
  return {
    result: { userId, erasedAt: wireTime(erasedAt), until: retained, heldMoney: holdsMoney(person) },
    ...context.statements.write.with({
      user_id: userId,
      revision: person.revision,
      seen: ended.seen,
      cover_revision: person.coverRevision,
      at: author.at,
      wallet_revision: person.walletRevision,
      is_due: isDue,
      ...hold,
    }),
    rows: {
      ...toLookupRows(person),
      ...toLockOutRows({ userId, at: author.at }),
      ...LINKED_ERASE_RESPONSES.rows([{ user_id: userId }]),
      ...LINKED_TOMBSTONE.rows([
        {
          user_id: userId,
          asked_at: author.at,
          ends_policies: endsPolicies,
          erased_at: erasedAt,
          next_at: author.at,
          ledger_until: until.ledger,
          policies_until: until.policies,
        },
      ]),
      ...ended.rows,
    },
    history: [{ userId, entityId: userId, from: null, to: 'ERASED' }, ...ended.history],
    events: [...erasedEvents(person), ...ended.events],
  }
}

/** What an erasure would do now: when it would be executed, and what prevents it. */
export type ErasurePreview = ErasureOutcome & { isScheduled: boolean; inForce: readonly string[] }

/** Returns what the erasure of a user would do, without deciding one. Throws 404. */
export async function previewErasure(context: ErasureContext, scope: UserScope): Promise<ErasurePreview> {
  const { person, policies } = await findErasable(context.db, context.statements, scope)
  const { userId, waitsUntil } = person
  const erasedAt = waitsUntil ?? new Date(context.clock.now().getTime() + context.erasure.noticeHours * HOUR_MS)
  return {
    userId,
    erasedAt: wireTime(erasedAt),
    until: listRetained(person, context, erasedAt),
    heldMoney: holdsMoney(person),
    isScheduled: waitsUntil !== null,
    inForce: context.endings.end(policies, person, context.clock.now()).inForce,
  }
}

export const erasureEvent = ({ userId, platformId }: Pick<Erasable, 'userId' | 'platformId'>) => ({
  platformId,
  data: { user_id: userId },
})

/** The platform's event, and one for each benefit provider with its own policies; the platform does not see these. */
const erasedEvents = ({ insurers, ...person }: Erasable) => [
  newEvent('user.erased', erasureEvent(person)),
  ...(insurers ?? []).map(({ providerId, policyIds }) =>
    newEvent('user.erased', {
      platformId: null,
      data: { user_id: person.userId, benefit_provider_id: providerId, insurance_policy_ids: policyIds },
    }),
  ),
]

const holdsMoney = ({ balancePaise }: Erasable) => balancePaise !== null && balancePaise > 0

function checkNotInUse(
  person: Erasable,
  { inForce, endsPolicies }: { inForce: readonly string[]; endsPolicies: boolean },
): void {
  if (holdsMoney(person)) throw conflict('The wallet holds money. Debit its balance first.', { reason: 'in_use' })
  if (inForce.length > 0 && !endsPolicies) {
    const detail = 'A policy is in force. End it first, or send `end_policies=true` to end it with the user.'
    throw conflict(detail, { reason: 'in_use' })
  }
}

type Waiting = { endsPolicies: boolean; erasure: ErasureContext['erasure']; until: Retained }

/** Decides a scheduled erasure. A repeated request keeps the time, and can add that policies are ended. */
function schedule(
  person: Erasable,
  { endsPolicies, erasure, until }: Waiting,
  { at }: Author,
): Decision<ErasureOutcome> {
  const { userId, waitsUntil } = person
  const due = waitsUntil ?? new Date(at.getTime() + erasure.noticeHours * HOUR_MS)
  const retained = { ...until, hold: lastDayOfHold(erasure, due) }
  const result = { userId, erasedAt: wireTime(due), until: retained, heldMoney: false }
  if (waitsUntil && endsPolicies === person.endsPolicies) return unchanged(result)
  return {
    result,
    ...SCHEDULE_ERASURE.with({ user_id: userId, asked_at: at, next_at: due, ends_policies: endsPolicies }),
    events: waitsUntil ? [] : [newEvent('user.erasure_scheduled', erasureEvent(person))],
  }
}

/** Returns the last days of retention of an erasure at a time. A policy that is ended by the erasure counts up to today. */
function listRetained(
  { lastBookedOn, lastCoveredOn }: Erasable,
  { calendar, erasure }: Pick<ErasureContext, 'calendar' | 'erasure'>,
  erasedAt: Date,
): Retained {
  const { terms } = erasure
  const today = todayIn(calendar)
  const until = (last: Day | null, { years }: RetentionTerm) =>
    last === null ? null : addMonths(endOfFinancialYear(last), 12 * years)
  const endsOn = lastCoveredOn !== null && today < lastCoveredOn ? today : lastCoveredOn
  return {
    ledger: until(lastBookedOn, terms.ledger),
    policies: until(endsOn, terms.policies),
    hold: lastDayOfHold(erasure, erasedAt),
  }
}

/** The books of a year in India close on 31 March. */
function endOfFinancialYear(day: Day): Day {
  const year = Number(day.slice(0, 4))
  return day.slice(5) <= '03-31' ? `${year}-03-31` : `${year + 1}-03-31`
}
