import { Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import { mayCall } from '../../../access/permissions.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import type { Request } from '../../../kernel/http/exchange.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { type Deps, operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { type NextAction, NextActionRecord, presentAction, tags, withActions } from './records.ts'
import { listSubjects } from './subject-store.ts'

export const listUserNextActions = operation('GET /users/:user_id/next_actions', {
  access: 'listUserNextActions',
  tags,
  summary: 'List the next actions of a user',
  description:
    'What must be done next of the user’s policies, endorsements, accounts, wallet, consultations, consents and rights requests, who is waited for, and until when: derived from what is stored now, ' +
    'the earliest `due_on` first, those without one last. Rights that run out, of which nobody is waited for, are among them: `return_policy` and `cancel_erasure`. Consultations are shown to those who may list them.',
  params: UserPath,
  response: { 200: Type.Object({ data: Type.Array(ref(NextActionRecord)) }) },
  checkTargetFirst: ensureUserInPath,
  read: async ({ deps, request }) => {
    const subjects = await listSubjects(deps.db, userScopeFrom(request))
    const seen = seesConsultations(request) ? subjects : subjects.filter(({ kind }) => kind !== 'consultation')
    return { data: withActions(seen, rulesOf(deps)).toSorted(byDay).map(presentAction) }
  },
})

/** Returns true for those who may list consultations: that there is one is health data. */
export const seesConsultations = ({ caller }: Pick<Request, 'caller'>): boolean =>
  mayCall(caller, matrix.listConsultations)

/** The rules of today. */
export const rulesOf = ({ calendar, deadlines, limits }: Pick<Deps, 'calendar' | 'deadlines' | 'limits'>) => ({
  deadlines,
  correctionDays: limits.endorsementDays,
  today: todayIn(calendar),
})

/** Orders by the due day, those without one last, then by id. */
function byDay(one: NextAction, other: NextAction): number {
  if (one.dueOn !== other.dueOn) {
    if (one.dueOn === null || other.dueOn === null) return one.dueOn === null ? 1 : -1
    return one.dueOn < other.dueOn ? -1 : 1
  }
  return one.id < other.id ? -1 : 1
}
