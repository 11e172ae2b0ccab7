import { Type } from 'typebox'
import { userScopeFrom } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
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
    'What must be done next of the user’s policies, endorsements, accounts, wallet and consultations, who is waited for, and until when: derived from what is stored now, ' +
    'the earliest `due_on` first, those without one last. Rights that run out, of which nobody is waited for, are among them: `return_policy` and `cancel_erasure`.',
  params: UserPath,
  response: { 200: Type.Object({ data: Type.Array(ref(NextActionRecord)) }) },
  checkTargetFirst: ensureUserInPath,
  read: async ({ deps, request }) => {
    const subjects = await listSubjects(deps.db, userScopeFrom(request))
    return { data: withActions(subjects, rulesOf(deps)).toSorted(byDay).map(presentAction) }
  },
})

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
