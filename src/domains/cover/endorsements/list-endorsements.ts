import { Type } from 'typebox'
import { listFilter } from '../../../kernel/http/paging.ts'
import { DayText, Text } from '../../../kernel/http/schemas.ts'
import { listOfChanges } from '../../../record/index.ts'
import { ListedEndorsementRecord, presentListed, tags } from './records.ts'
import { ENDORSEMENT_STATES } from './states.ts'
import { listChangedEndorsements } from './store.ts'

export const listEndorsements = listOfChanges('/endorsements', {
  access: 'listEndorsements',
  tags,
  summary: 'List the endorsements of all users',
  description:
    'A benefit provider finds those of its policies, a platform those of its users. With `due_before` those that wait, by the day ' +
    'on which they are due.',
  filters: {
    state: listFilter(ENDORSEMENT_STATES),
    insurance_policy_id: Type.Optional(Text({ maxLength: 100, description: 'Only those of this policy' })),
    due_before: Type.Optional(
      DayText({ description: 'Only those that are REQUESTED and due before this day, the earliest first' }),
    ),
  },
  check: ({ state = [], due_before }) =>
    due_before !== undefined && state.some((one) => one !== 'REQUESTED')
      ? [{ pointer: 'query:state', code: 'not_allowed', detail: 'Only what is REQUESTED is due: leave this out.' }]
      : [],
  item: ListedEndorsementRecord,
  find: ({ db }, { state: states, insurance_policy_id: policyId, due_before: dueBefore }, page) =>
    listChangedEndorsements(db, { ...page, states, policyId, dueBefore }),
  present: presentListed,
})
