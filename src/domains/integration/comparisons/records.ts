import { type Static, Type } from 'typebox'
import { day, integer, json, nullable, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { forEachWord } from '../../../kernel/for-each-word.ts'
import { Nullable, OneOf, PathId, record } from '../../../kernel/http/schemas.ts'
import { choice, entity, field, internal } from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'

export const COMPARISON_KINDS = ['members', 'deposit'] as const
export type ComparisonKind = (typeof COMPARISON_KINDS)[number]

/** What can differ between a file and what is stored. */
export const DIFFERENCES = [
  'missing_here',
  'missing_there',
  'name',
  'birth',
  'gender',
  'first_day',
  'last_day',
  'amount',
  'day',
  'kind',
  'balance',
  'doubled',
  'unreadable',
] as const
export type DifferenceKind = (typeof DIFFERENCES)[number]

/** One difference, by the row of the file and the ids of what is stored; it never says what the values are. */
export type Difference = {
  kind: DifferenceKind
  row: number | null
  column: string | null
  userId: string | null
  policyId: string | null
  personId: string | null
  /** The entry of a deposit. */
  entryId?: string | null
}

export type Counts = Record<DifferenceKind, number>

const ExampleCounts: Counts = {
  ...forEachWord(DIFFERENCES, () => 0),
  missing_here: 2,
  missing_there: 1,
  birth: 1,
  last_day: 3,
}

const MEANINGS: Record<DifferenceKind, string> = {
  missing_here: 'Rows that have nobody who is covered, or no entry',
  missing_there: 'Persons who are covered, or entries, and have no row',
  name: 'Other names',
  birth: 'Other dates of birth',
  gender: 'Other genders',
  first_day: 'Other first days',
  last_day: 'Other last days',
  amount: 'Other amounts',
  day: 'Entries of other days',
  kind: 'Entries of another kind, or paid in where they are taken',
  balance: '1 when the closing balance is another one',
  doubled: 'Rows that repeat an earlier one',
  unreadable: 'Rows that cannot be read, or a day or an amount in them',
}

const CountsSchema = Type.Object(
  forEachWord(DIFFERENCES, (kind) => Type.Integer({ description: MEANINGS[kind] })),
  { title: 'DifferenceCounts', description: 'How many differences of each kind', examples: [ExampleCounts] },
)

const ofMembers = 'Of `members` only'
const ofDeposit = 'Of `deposit` only'
const DayOf = (description: string) => Type.String({ format: 'date', description })

export const COMPARISONS = entity(
  'comparisons c',
  'Comparison',
  {
    id: field(text('comparison_id'), Type.String(), 'cmp_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    kind: choice('kind', COMPARISON_KINDS, 'members'),
    platformId: internal(nullable(text('platform_id'))),
    providerId: internal(nullable(text('benefit_provider_id'))),
    masterPolicyNumber: field(
      nullable(text('master_policy_number')),
      Nullable(Type.String({ description: `${ofMembers}: the number of the group policy` })),
      'MP-77',
    ),
    sponsorId: field(
      nullable(text('sponsor_id')),
      Nullable(Type.String({ description: `${ofDeposit}: whose deposit it is` })),
      null,
    ),
    benefitProviderId: field(
      nullable(text('deposit_provider_id')),
      Nullable(Type.String({ description: `${ofDeposit}: the benefit provider that holds it` })),
      null,
    ),
    from: field(
      nullable(day('from_day')),
      Nullable(DayOf(`${ofDeposit}: the first day that was compared; \`null\` where it was not named`)),
      null,
    ),
    on: field(day('on_day'), DayOf('The day that was compared; of `deposit` the last one'), '2026-06-30'),
    rows: field(integer('row_count'), Type.Integer({ description: 'Rows of the file' }), 5_000),
    persons: field(
      nullable(integer('person_count')),
      Nullable(Type.Integer({ description: `${ofMembers}: persons covered on the day, as it is stored` })),
      4_999,
    ),
    entries: field(
      nullable(integer('entry_count')),
      Nullable(Type.Integer({ description: `${ofDeposit}: entries of these days, as they are stored` })),
      null,
    ),
    differences: field(json<Counts, 'counts'>('counts'), CountsSchema, ExampleCounts),
  },
  { description: 'A comparison of a file with what is stored, which changes nothing. Kept for 90 days' },
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
  entryId: nullable(text('entry_id')),
}

export const DifferenceRecord = record(
  'Difference',
  {
    difference: OneOf(DIFFERENCES, {
      description:
        '`missing_here`: the row has nobody who is covered, or no entry. `missing_there`: who is covered, or the entry, has no row. `doubled`: the row repeats an earlier one. ' +
        '`unreadable`: the row, or the day or amount in it, cannot be read. The others: the row says something else',
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
    entry_id: Nullable(Type.String({ description: 'The entry of a deposit; `null` where none was found' })),
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
        entry_id: null,
      },
    ],
  },
)

export const presentDifference = ({
  userId,
  policyId,
  personId,
  entryId,
  ...of
}: {
  [Name in keyof typeof DIFFERENCE]: ReturnType<(typeof DIFFERENCE)[Name]['decode']>
}): Static<typeof DifferenceRecord> => ({
  ...of,
  user_id: userId,
  insurance_policy_id: policyId,
  person_id: personId,
  entry_id: entryId,
})

export const tags = ['Comparisons']
export const ComparisonPath = Type.Object({ comparison_id: PathId('The comparison') })
