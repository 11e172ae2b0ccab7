import { type Static, Type } from 'typebox'
import { DayText, Lines, Nullable, OneOf, OrNull, PathId, REASON_MAX, record } from '../../../kernel/http/schemas.ts'
import { Gender } from '../../people/users/index.ts'
import { isAwaited, listMemberDays } from '../policies/list-member-days.ts'
import { personFields, presentDependantOnPolicy, presentUserOnPolicy } from '../policies/present-dependant-on-policy.ts'
import { type Policy, PolicyPath, RELATIONS } from '../policies/records.ts'
import { LIFE_EVENTS } from './records.ts'

export const MemberPath = Type.Object({
  ...PolicyPath.properties,
  dependant_id: PathId('Any version of the dependant'),
})

export const MemberInput = Type.Object(
  {
    from: Type.Optional(
      Nullable(
        DayText({
          description:
            'First covered day; today, where a person who is not on the policy is sent without one. `null` takes back a join that waits, and before the ' +
            'first issue the person',
        }),
      ),
    ),
    to: Type.Optional(
      Nullable(
        DayText({ description: 'Last covered day; it holds at once. `null` takes it back, until it was accepted' }),
      ),
    ),
    event: OrNull(OneOf(LIFE_EVENTS, { description: 'Why the person joins or leaves' })),
    event_on: OrNull(DayText({ description: 'Day of that event' })),
    relation: OrNull(OneOf(RELATIONS, { description: 'What the person is to the user' })),
    gender: OrNull(Gender),
    reason: OrNull(Lines({ maxLength: REASON_MAX, description: 'Required for a day that is long over' })),
  },
  { examples: [{ from: '2026-06-01', event: 'BIRTH', event_on: '2026-06-01', relation: 'CHILD', gender: 'FEMALE' }] },
)

const Day = (description: string) => Nullable(Type.String({ format: 'date', description }))

export const InsurancePolicyMembersRecord = record(
  'InsurancePolicyMembers',
  {
    persons_version: Type.Integer(),
    data: Type.Array(
      Type.Object({
        person: OneOf(['member', 'dependant']),
        id: Type.String({ description: 'The user, or the current version of the dependant' }),
        ...personFields,
        from: Day('First covered day; `null` while the benefit provider has not accepted it'),
        to: Day(
          'Last covered day, where the person leaves, or the policy ends, before the term; `null` while none is set',
        ),
        asked_from: Day('The first day that a pending endorsement asks for'),
      }),
    ),
  },
  {
    description:
      'Who is on an insurance policy, from when to when, in days of India. Who returns is there once for each time',
    examples: [
      {
        persons_version: 1,
        data: [
          {
            person: 'member',
            id: '012345678901',
            first_name: 'Asha',
            last_name: 'Example',
            date_of_birth: '1990-05-17',
            gender: 'FEMALE',
            relation: null,
            from: '2026-04-01',
            to: null,
            asked_from: null,
          },
          {
            person: 'dependant',
            id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2',
            first_name: 'Ravi',
            last_name: 'Example',
            date_of_birth: '2026-06-01',
            gender: null,
            relation: 'CHILD',
            from: null,
            to: null,
            asked_from: '2026-06-01',
          },
        ],
      },
    ],
  },
)

export function presentMembers(policy: Policy): Static<typeof InsurancePolicyMembersRecord> {
  const { coveredFrom, endsOn } = policy
  const notAfterEnd = (to: string | null) => (endsOn !== null && (to === null || endsOn < to) ? endsOn : to)
  // Who was to join after the day on which the policy ends is never on it.
  const times = listMemberDays(policy).filter(({ from }) => !endsOn || !from || from <= endsOn)
  return {
    persons_version: policy.personsVersion,
    data: [
      { ...presentUserOnPolicy(policy), from: coveredFrom, to: endsOn, asked_from: null },
      ...times.map((time) => ({
        ...presentDependantOnPolicy(policy, time),
        from: time.from ?? (isAwaited(time) ? null : coveredFrom),
        to: notAfterEnd(time.to),
        asked_from: time.join?.on ?? null,
      })),
    ],
  }
}
