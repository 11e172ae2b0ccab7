import { type Static, Type } from 'typebox'
import { userScopeFrom } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { DayText, Nullable, OneOf, record, Text } from '../../../kernel/http/schemas.ts'
import { notFound } from '../../../kernel/problem-error.ts'
import { operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { COVERAGE_REASONS } from '../policies/index.ts'
import { listCoverage, type PersonCoverage } from './list-coverage.ts'
import { findFamily } from './store.ts'

const Day = (description: string) => Nullable(Type.String({ format: 'date', description }))

export const CoverageRecord = record(
  'Coverage',
  {
    on: Type.String({ format: 'date', description: 'The day that is asked about, in India' }),
    data: Type.Array(
      Type.Object({
        person: OneOf(['member', 'dependant']),
        id: Type.String({ description: 'The user, or the current version of the dependant' }),
        covered: Nullable(
          Type.Boolean({
            description:
              'In grace it is what the plan’s `grace_cover` says; `null` where nothing is stored about the day',
          }),
        ),
        reason: OneOf(COVERAGE_REASONS),
        policy_id: Type.String({ description: 'The insurance policy that this is about' }),
        benefit_provider_id: Type.String(),
        from: Day('First covered day of the person; before the first issue the one that is asked for'),
        to: Day('Last covered day of the person; in grace the last day of grace'),
      }),
      { description: 'One for each person and policy: the user first, then the dependants, newest policy first' },
    ),
  },
  {
    description: 'Whether a person and each dependant are covered on a day',
    examples: [
      {
        on: '2026-06-01',
        data: [
          {
            person: 'member',
            id: '012345678901',
            covered: true,
            reason: 'in_force',
            policy_id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
            benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
            from: '2026-04-01',
            to: '2027-03-31',
          },
          {
            person: 'dependant',
            id: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2',
            covered: false,
            reason: 'not_named',
            policy_id: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2',
            benefit_provider_id: 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2',
            from: null,
            to: null,
          },
        ],
      },
    ],
  },
)

export const readCoverage = operation('GET /users/:user_id/coverage', {
  access: 'readCoverage',
  tags: ['Insurance policies'],
  summary: 'Read who is covered on a day',
  description:
    'For the user and each dependant, and each of their policies, whether it covers the person on a day, past or future, and why not. It is said from what is ' +
    'stored now: a renewal holds for the days of grace before it, and of a future day as if nothing more happened. A join that the benefit provider has not accepted ' +
    'covers nobody, a rejected application neither (`expired`). It speaks of cover, not of claims: waiting periods, exclusions and sums are the benefit provider’s. A benefit ' +
    'provider gets its own policies, and who is on them. No name is shown.',
  params: UserPath,
  querystring: Type.Object({
    on: Type.Optional(DayText({ description: 'Another day than today in India' })),
    dependant_id: Type.Optional(
      Text({ maxLength: 100, description: 'Only this dependant; any version names the person' }),
    ),
  }),
  response: { 200: CoverageRecord },
  checkTargetFirst: ensureUserInPath,
  read: async ({ deps, request, params, query }) => {
    const today = todayIn(deps.calendar)
    const { on = today, dependant_id: dependantId } = query
    const scope = userScopeFrom(request)
    const isNamedOnly = scope.providerId !== null
    const family = await findFamily(deps.db, scope)
    const rows = listCoverage(family, { userId: params.user_id, day: on, today, dependantId, isNamedOnly })
    if (rows === undefined) throw notFound()
    return { on, data: rows.map(presentCoverage) } satisfies Static<typeof CoverageRecord>
  },
})

const presentCoverage = ({ policyId, benefitProviderId, ...row }: PersonCoverage) => ({
  ...row,
  policy_id: policyId,
  benefit_provider_id: benefitProviderId,
})
