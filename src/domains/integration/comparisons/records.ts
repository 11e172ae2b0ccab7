import { type Static, Type } from 'typebox'
import { day, integer, json, nullable, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { forEachWord } from '../../../kernel/for-each-word.ts'
import { Nullable, OneOf, PathId, record } from '../../../kernel/http/schemas.ts'
import { choice, entity, field, internal } from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { DIFFERENCES, type DifferenceKind } from './compare-members.ts'

export const COMPARISON_KINDS = ['members'] as const

export type Counts = Record<DifferenceKind, number>

const ExampleCounts: Counts = {
  missing_here: 2,
  missing_there: 1,
  name: 0,
  birth: 1,
  gender: 0,
  first_day: 0,
  last_day: 3,
  doubled: 0,
  unreadable: 0,
}

const MEANINGS: Record<DifferenceKind, string> = {
  missing_here: 'Rows that have nobody who is covered',
  missing_there: 'Persons who are covered and have no row',
  name: 'Other names',
  birth: 'Other dates of birth',
  gender: 'Other genders',
  first_day: 'Other first days',
  last_day: 'Other last days',
  doubled: 'Rows that repeat an earlier one',
  unreadable: 'Rows that cannot be read, or a day in them',
}

const CountsSchema = Type.Object(
  forEachWord(DIFFERENCES, (kind) => Type.Integer({ description: MEANINGS[kind] })),
  { title: 'DifferenceCounts', description: 'How many differences of each kind', examples: [ExampleCounts] },
)

export const COMPARISONS = entity(
  'comparisons c',
  'Comparison',
  {
    id: field(text('comparison_id'), Type.String(), 'cmp_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    kind: choice('kind', COMPARISON_KINDS, 'members'),
    platformId: internal(nullable(text('platform_id'))),
    providerId: internal(nullable(text('benefit_provider_id'))),
    masterPolicyNumber: field(text('master_policy_number'), Type.String(), 'MP-77'),
    on: field(day('on_day'), Type.String({ format: 'date', description: 'The day that was compared' }), '2026-06-30'),
    rows: field(integer('row_count'), Type.Integer({ description: 'Rows of the file' }), 5_000),
    persons: field(
      integer('person_count'),
      Type.Integer({ description: 'Persons covered on the day, as it is stored' }),
      4_999,
    ),
    differences: field(json<Counts, 'counts'>('counts'), CountsSchema, ExampleCounts),
  },
  { description: 'A comparison of a member file with what is stored, which changes nothing. Kept for 90 days' },
)
export type Comparison = RecordOf<typeof COMPARISONS>
export const { schema: ComparisonRecord, present: presentComparison, versionOf } = COMPARISONS

/** A difference as it is stored. */
export const DIFFERENCE = {
  difference: oneOf('difference', DIFFERENCES),
  row: nullable(integer('row_number')),
  column: nullable(text('column_name')),
  userId: nullable(text('user_id')),
  policyId: nullable(text('policy_id')),
  personId: nullable(text('person_id')),
}

export const DifferenceRecord = record(
  'Difference',
  {
    difference: OneOf(DIFFERENCES, {
      description:
        '`missing_here`: the row has nobody who is covered. `missing_there`: who is covered has no row. `doubled`: the row repeats an earlier one. ' +
        '`unreadable`: the row, or the day in it, cannot be read. The others: the row says something else',
    }),
    row: Nullable(
      Type.Integer({
        minimum: 1,
        description: 'The row, as a spreadsheet counts: the names of the columns are row 1; `null` for `missing_there`',
      }),
    ),
    column: Nullable(Type.String({ description: 'The column that differs; `null` where it is the whole row' })),
    user_id: Nullable(UserIdText()),
    insurance_policy_id: Nullable(Type.String({ description: 'The policy; `null` where the row names none' })),
    person_id: Nullable(Type.String({ description: 'The user or the dependant; `null` where nobody was found' })),
  },
  {
    description: 'One difference between the file and what is stored',
    examples: [
      {
        difference: 'birth',
        row: 17,
        column: 'date_of_birth',
        user_id: '012345678901',
        insurance_policy_id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
        person_id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2',
      },
    ],
  },
)

export const presentDifference = ({
  userId,
  policyId,
  personId,
  ...of
}: {
  [Name in keyof typeof DIFFERENCE]: ReturnType<(typeof DIFFERENCE)[Name]['decode']>
}): Static<typeof DifferenceRecord> => ({ ...of, user_id: userId, insurance_policy_id: policyId, person_id: personId })

export const tags = ['Comparisons']
export const ComparisonPath = Type.Object({ comparison_id: PathId('The comparison') })
