import { type Static, Type } from 'typebox'
import { Nullable, OneOf, record } from '../../../kernel/http/schemas.ts'
import { type Decided, decideAction, SUBJECT_KINDS } from './decide-action.ts'
import { ACTION_CODES, actionOf, RULES, WAITED_FOR } from './states.ts'
import type { Listed } from './subject-store.ts'

export const tags = ['Next actions']

export const Who = OneOf(WAITED_FOR, {
  description:
    'Who is waited for. `operator`: who runs this installation, also for what a bank or the external operator of wallets has to do',
})

export const NextActionRecord = record(
  'NextAction',
  {
    code: OneOf(ACTION_CODES, { description: 'What must be done' }),
    subject: Type.String({
      description: 'Id of the record that waits; of a deposit its sponsor',
      examples: ['pol_06bnv3m2r8f1s4k7q9t3v6w0y2'],
    }),
    subject_kind: OneOf(SUBJECT_KINDS, { description: 'Kind of that record' }),
    title: Type.String({
      description: 'The action in a few words, in English',
      examples: ['Decide on the application'],
    }),
    detail: Type.String({ description: 'What to do, and what follows; no personal data' }),
    who: Who,
    due_on: Nullable(
      Type.String({
        format: 'date',
        description: 'Last day to do it, in India; `null` where no clock runs. It can be past',
      }),
    ),
    rule: Nullable(
      OneOf(RULES, {
        description:
          'What sets `due_on`, the earliest where several do: `decision`, `issue`, `correction`, `endorsement` and `free_look` are days that this installation has set, ' +
          '`term_end`, `grace_end` and `policy_end` the last days of the policy’s term, of its grace and of a policy with an end, `erasure_notice` the end of the notice, `rights_request` the day by which the request is due',
      }),
    ),
    user_id: Nullable(Type.String({ description: '`null` of a sponsor and a deposit', examples: ['012345678901'] })),
    platform_id: Type.String(),
    benefit_provider_id: Nullable(Type.String({ description: '`null` where none has to do with it' })),
    insurance_policy_id: Nullable(Type.String({ description: 'The policy, also of an endorsement' })),
  },
  {
    description: 'What must be done next of a record, who is waited for, and until when',
    examples: [
      {
        code: 'decide_application',
        subject: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
        subject_kind: 'insurance_policy',
        title: 'Decide on the application',
        detail: actionOf('decide_application').detail,
        who: 'benefit_provider',
        due_on: '2026-04-08',
        rule: 'decision',
        user_id: '012345678901',
        platform_id: 'plt_06bnv3m2r8f1s4k7q9t3v6w0y2',
        benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
        insurance_policy_id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
      },
    ],
  },
)

export type NextAction = Listed & Decided

/** Returns the records in which somebody is waited for, with their actions. */
export const withActions = <S extends Listed>(
  subjects: readonly S[],
  rules: Parameters<typeof decideAction>[1],
): (S & Decided)[] =>
  subjects.flatMap((subject) => {
    const decided = decideAction(subject, rules)
    return decided === null ? [] : [{ ...subject, ...decided }]
  })

export function presentAction(one: NextAction): Static<typeof NextActionRecord> {
  const { who, title, detail } = actionOf(one.code)
  return {
    code: one.code,
    subject: one.id,
    subject_kind: one.kind,
    title,
    detail,
    who,
    due_on: one.dueOn,
    rule: one.rule,
    user_id: one.userId,
    platform_id: one.platformId,
    benefit_provider_id: one.benefitProviderId,
    insurance_policy_id: one.policyId,
  }
}
