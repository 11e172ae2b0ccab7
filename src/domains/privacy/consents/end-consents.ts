import { adultOn, CHILDREN_HOLD_MS, isAdult } from '../../../access/consent-rules.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { addDays, type Day } from '../../../kernel/date.ts'
import { newId } from '../../../kernel/id.ts'
import { applyWithRetry, type Author, type Decision, type Deps, newEvent, unchanged } from '../../../record/index.ts'
import { BATCH, workOff } from '../../cover/policies/index.ts'
import {
  type DueConsent,
  END_CONSENT,
  type Endable,
  findEndable,
  LINKED_OF_AGE,
  listDueConsents,
  LOOK_LATER,
  type Person,
} from './end-store.ts'
import { forEachProvider } from './store.ts'

/**
 * A consent is looked at again after so many days at the latest. Births are sealed: with the birthday itself as the day, each would be stored
 * in the clear for years. It also finds a birth that was corrected.
 */
const LOOK_DAYS = 30

const ENDING = { kind: 'system', job: 'end-consents' } as const

/**
 * Ends the consents of parents and guardians for those who are 18 today, with an event once for each person, and returns the number of
 * consents looked at. Each is written once: safe to run in several workers, and restartable at any point.
 */
export function endConsents(deps: Deps, stop?: AbortSignal): Promise<number> {
  const today = todayIn(deps.calendar)
  return workOff(
    (without) => listDueConsents(deps.db, { today, without, limit: BATCH }),
    (due) => endOne(deps, due, today),
    stop,
  )
}

const endOne = (deps: Deps, due: DueConsent, today: Day): Promise<number> =>
  applyWithRetry(
    deps,
    { caller: ENDING, requestId: newId('job') },
    async (author) => {
      const found = await findEndable(deps, due)
      return found === undefined ? unchanged(0) : decideEnd(found, { today, at: author.at })
    },
    { serializeBy: due.userId },
  )

type Now = { today: Day; at: Author['at'] }

/** Decides who a consent ends for, and when it is looked at next. Pure. */
export function decideEnd(found: Endable, { today, at }: Now): Decision<number> {
  const { consent, providers, ofAge, selfGiven } = found
  if (consent.withdrawnAt !== null || consent.endedAt !== null) return unchanged(0)
  const concerned = listConcerned(found)
  const adults = concerned.filter(({ born }) => born !== undefined && isAdult(born, today))
  const mayGrow = isForChildren(consent) && at.getTime() <= consent.givenAt.getTime() + CHILDREN_HOLD_MS
  const isOver = concerned.length > 0 && adults.length === concerned.length && !mayGrow
  const lookOn = nextLook(concerned, { today, mayGrow })
  const { userId, id, revision, platformId } = consent
  const key = { user_id: userId, consent_id: id, revision, seen: consent.lookOn, look_on: lookOn }
  const came = adults.filter(({ firstId }) => !ofAge.has(firstId))
  if (came.length === 0 && !isOver) return { result: 1, ...LOOK_LATER.with(key) }
  return {
    result: 1,
    ...END_CONSENT.with({ ...key, is_over: isOver, at }),
    rows: LINKED_OF_AGE.rows(
      came.map(({ firstId: first_id, personId: person_id, versions }) => ({
        user_id: userId,
        first_id,
        person_id,
        waits_since: versions.some((id) => selfGiven.has(id)) ? null : at,
        created_at: at,
      })),
    ),
    events: came.flatMap(({ personId }) =>
      forEachProvider(providers, (provider) =>
        newEvent('consent.ended', {
          platformId,
          data: {
            user_id: userId,
            dependant_id: personId === userId ? null : personId,
            benefit_provider_id: provider,
          },
        }),
      ),
    ),
  }
}

type Consent = Endable['consent']

/** The consent of a user before children are registered names none of them. */
const isForChildren = ({ purpose, dependantId }: Consent): boolean => purpose === 'children' && dependantId === null

/** Returns the people that a consent is about. Pure. */
function listConcerned({ consent, user, dependants }: Endable): Person[] {
  const { dependantId, givenAt } = consent
  if (dependantId !== null) return dependants.filter(({ versions }) => versions.includes(dependantId))
  if (!isForChildren(consent)) return [user]
  const givenOn = todayIn({ now: () => givenAt })
  const until = givenAt.getTime() + CHILDREN_HOLD_MS
  return dependants.filter(
    ({ born, registeredAt }) => born !== undefined && registeredAt.getTime() <= until && !isAdult(born, givenOn),
  )
}

/** Returns the day on which the next one is 18, or an earlier one. */
function nextLook(people: readonly Person[], { today, mayGrow }: { today: Day; mayGrow: boolean }): Day {
  const birthdays = people.flatMap(({ born }) => (born === undefined ? [] : [adultOn(born)]))
  const latest = addDays(today, mayGrow ? 1 : LOOK_DAYS)
  return [latest, ...birthdays.filter((birthday) => birthday > today)].toSorted()[0] as Day
}
