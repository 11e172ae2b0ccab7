import { type Static, Type } from 'typebox'
import { todayIn } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import { DayText, Nullable, OneOf, record, Text } from '../../../kernel/http/schemas.ts'
import {
  changesErrors,
  changesPageSchema,
  cursorQuery,
  type Deps,
  operation,
  pageOfChanges,
} from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import {
  ALWAYS,
  coverageOn,
  listMemberDays,
  personFields,
  presentDependantOnPolicy,
  presentUserOnPolicy,
} from '../policies/index.ts'
import { findPoliciesOfGroup, type GroupPolicy } from './group-store.ts'

const LIST = 'members_search'

const person = {
  person: OneOf(['member', 'dependant']),
  id: Type.String({ description: 'The user, or the version of the dependant that the policy names' }),
  ...personFields,
  from: Type.String({ format: 'date', description: 'First covered day of the person' }),
  to: Type.String({ format: 'date', description: 'Last covered day, as things stand' }),
  in_grace: Type.Boolean({ description: 'The day is one of grace' }),
}
const policy = {
  user_id: UserIdText(),
  insurance_policy_id: Type.String(),
  external_policy_id: Nullable(Type.String()),
  plan_code: Type.String(),
}

const GroupPolicyRecord = record(
  'GroupPolicy',
  {
    ...policy,
    members: Type.Array(Type.Object(person), { description: 'Who is covered on the day; empty where nobody is' }),
  },
  {
    description: 'A policy of a group, and who is covered by it on a day',
    examples: [
      {
        user_id: '012345678901',
        insurance_policy_id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
        external_policy_id: 'SG-2026-000123',
        plan_code: 'FAMILY_5L',
        members: [
          {
            person: 'member',
            id: '012345678901',
            first_name: 'Asha',
            last_name: 'Example',
            date_of_birth: '1990-05-17',
            gender: 'FEMALE',
            relation: null,
            from: '2026-04-01',
            to: '2027-03-31',
            in_grace: false,
          },
        ],
      },
    ],
  },
)
type Listed = Static<typeof GroupPolicyRecord>

const SearchInput = Type.Object(
  {
    master_policy_number: Text({ description: 'The number of the group policy' }),
    on: Type.Optional(DayText({ description: 'Another day than today in India' })),
  },
  { examples: [{ master_policy_number: 'MP-77', on: '2026-06-30' }] },
)

type PageCall = Parameters<typeof pageOfChanges>[1] & { deps: Deps; body: Static<typeof SearchInput> }

export const searchMembers = operation('POST /members/search', {
  access: 'searchMembers',
  tags: ['Insurance policies'],
  summary: 'Search the members of a group policy',
  description:
    'The member file of a master policy on a day, past or future: its issued policies, last change first, each with the people it covers on that day, from what is stored now. The CSV has ' +
    'a row for each person, in the order of the policies. To continue, send the same body again with `next` as `after`. Nothing is written: an `Idempotency-Key` is neither needed nor stored.',
  querystring: Type.Object(cursorQuery, { additionalProperties: false }),
  body: SearchInput,
  response: { 200: changesPageSchema(GroupPolicyRecord) },
  validate: (request, deps) => changesErrors(LIST, request, deps),
  read: (call) => findPage(call),
  csv: {
    item: Type.Object({ ...policy, ...person }),
    read: async (call) => {
      const { data, ...page } = await findPage(call)
      return { ...page, data: data.flatMap(({ members, ...of }) => members.map((one) => ({ ...of, ...one }))) }
    },
  },
})

function findPage(call: PageCall) {
  const today = todayIn(call.deps.calendar)
  const { master_policy_number: number, on: day = today } = call.body
  return pageOfChanges<{ policy: GroupPolicy }, Listed>(LIST, call, {
    find: (page) => findPoliciesOfGroup(call.deps, { ...page, number }),
    present: ({ policy: one }) => presentGroupPolicy(one, { day, today }),
  })
}

type OnDay = { day: Day; today: Day }

/** Returns a policy of a group with who is covered by it on a day. */
export const presentGroupPolicy = (one: GroupPolicy, on: OnDay): Listed => ({
  user_id: one.userId,
  insurance_policy_id: one.id,
  external_policy_id: one.externalPolicyId,
  plan_code: one.planCode,
  members: [
    ...daysOf(one, ALWAYS, on).map((days) => ({ ...presentUserOnPolicy(one), ...days })),
    ...listMemberDays(one).flatMap((time) =>
      daysOf(one, [time], on).map((days) => ({ ...presentDependantOnPolicy(one, time), ...days })),
    ),
  ],
})

/** Returns the days of a person who is covered, or in grace, on the day; nothing for others. */
function daysOf(one: GroupPolicy, times: Parameters<typeof coverageOn>[1], on: OnDay) {
  const { reason, from, to } = coverageOn(one, times, on)
  const isIn = reason === 'in_force' || reason === 'in_grace'
  return isIn && from !== null && to !== null ? [{ from, to, in_grace: reason === 'in_grace' }] : []
}
