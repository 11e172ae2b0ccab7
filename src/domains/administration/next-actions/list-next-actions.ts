import { Type } from 'typebox'
import { listFilter } from '../../../kernel/http/paging.ts'
import { DayText } from '../../../kernel/http/schemas.ts'
import { changesErrors, changesPageSchema, cursorQuery, operation, pageOfChanges } from '../../../record/index.ts'
import { listWaiting } from './list-store.ts'
import { rulesOf } from './list-user-next-actions.ts'
import { NextActionRecord, presentAction, tags, withActions } from './records.ts'
import { WAITED_FOR } from './states.ts'

/** The name of the list in cursors. */
const LIST = 'next_actions'

export const listNextActions = operation('GET /next_actions', {
  access: 'listNextActions',
  tags,
  summary: 'List the next actions of all users',
  description:
    'The work list: in which records of all users somebody is waited for, the earliest `due_on` first, then those without one, which have waited longest first; small entries without personal data. ' +
    'A benefit provider finds those of its policies, endorsements and consultations, a platform those of its users and sponsors. Rights that run out are in the list of a user only. ' +
    'Send `next` as `after`, with the same filters, until it is `null`. What does not change while you page is listed exactly once. There is no total.',
  querystring: Type.Object(
    {
      ...cursorQuery,
      who: listFilter(WAITED_FOR),
      due_before: Type.Optional(
        DayText({ description: 'Only what is due before this day: nothing without a `due_on`' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: changesPageSchema(NextActionRecord) },
  validate: (request, deps) => changesErrors(LIST, request, deps),
  read: (call) => {
    const { who = WAITED_FOR, due_before: dueBefore } = call.query
    const rules = rulesOf(call.deps)
    return pageOfChanges(LIST, call, {
      find: async (page) => withActions(await listWaiting(call.deps.db, { ...page, ...rules, who, dueBefore }), rules),
      present: presentAction,
    })
  },
})
