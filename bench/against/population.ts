import { systemClock, todayIn } from '../../src/kernel/clock.ts'
import { addDays } from '../../src/kernel/date.ts'
import type { Request } from '../ask.ts'
import { PLAN } from '../catalogue.ts'
import { type Form, formOf } from '../families.ts'
import type { Side } from './side.ts'

const MEMBERS = 1_000
const HOUSEHOLDS = 1_000
const INSURED = 500
const POLICIES_OF_INSURED = 3
/** The last of them stays PENDING. */
const ISSUED_OF_INSURED = 2
/** Of the plan that all enrol in. */
const TERM_DAYS_MAX = 366

const DEPENDANTS = [
  { first_name: 'Meera', last_name: 'Example', date_of_birth: '1992-03-14' },
  { first_name: 'Kiran', last_name: 'Example', date_of_birth: '2015-08-02' },
]
const QUESTIONS = ['Do you smoke?', 'Were you in hospital in the last two years?', 'Do you take medicine every day?']

export type User = { id: string; form: Form }
export type Household = User & { dependantIds: string[] }
/** The address of a policy. */
type PolicyPath = string

/** What a benefit provider does with a policy until it is issued. */
export const MOVES = [
  { status: 'VERIFICATION' },
  { status: 'APPROVED' },
  { status: 'ISSUED', external_policy_id: 'SG-2026-000123', master_policy_number: 'MP-77' },
]

/** The users of a side, made through the API when they are first asked for. */
export type Population = {
  makeUsers(count: number): Promise<User[]>
  /** Users who have nothing, whose fields may be changed. */
  members(): Promise<User[]>
  /** Users with two dependants and three policies each, which nothing changes. */
  insured(): Promise<User[]>
  /** Requests that enrol users with two dependants, never two equal ones. */
  enrolments(): Promise<() => Request>
  makePolicies(count: number): Promise<PolicyPath[]>
}

export function populationOf(side: Side): Population {
  const makeUsers = async (count: number): Promise<User[]> => {
    const forms = Array.from({ length: count }, () => formOf(side.nextNumber()))
    const answers = await side.answersTo<{ user_id: string }>(
      forms.map((form) => ({ request: tokenRequest(side, form), status: 200 })),
    )
    return answers.map(({ user_id }, place) => ({ id: user_id, form: forms[place] as Form }))
  }
  const enrolments = once(async () => enrolmentsOf(side, await makeHouseholds(side, await makeUsers(HOUSEHOLDS))))
  const enrol = (requests: Request[]) => enrolAll(side, requests)
  return {
    makeUsers,
    enrolments,
    members: once(() => makeUsers(MEMBERS)),
    insured: once(async () => {
      const households = await makeHouseholds(side, await makeUsers(INSURED))
      const next = enrolmentsOf(side, households)
      const policies = await enrol(Array.from({ length: INSURED * POLICIES_OF_INSURED }, next))
      await issue(side, policies.slice(0, INSURED * ISSUED_OF_INSURED))
      return households
    }),
    makePolicies: async (count) => enrol(Array.from({ length: count }, await enrolments())),
  }
}

export const tokenRequest = ({ platform }: Side, form: object): Request => ({
  method: 'POST',
  path: '/v1/auth/token',
  headers: platform,
  body: JSON.stringify(form),
})

export const dependantsRequest = ({ platform }: Side, userId: string, dependants: object[]): Request => ({
  method: 'POST',
  path: `/v1/users/${userId}/dependants/bulk`,
  headers: platform,
  body: JSON.stringify({ dependants }),
})

export const moveRequest = ({ provider }: Side, policy: PolicyPath, move: object): Request => ({
  method: 'PUT',
  path: `${policy}/status`,
  headers: provider,
  body: JSON.stringify(move),
})

async function makeHouseholds(side: Side, users: User[]): Promise<Household[]> {
  const answers = await side.answersTo<{ data: { id: string }[] }>(
    users.map(({ id }) => ({ request: dependantsRequest(side, id, DEPENDANTS), status: 201 })),
  )
  return users.map((user, place) => ({ ...user, dependantIds: (answers[place]?.data ?? []).map(({ id }) => id) }))
}

/**
 * One household after the other; when all had their turn, in the next benefit, and after the last benefit a term later: of one
 * plan no two policies may overlap.
 */
function enrolmentsOf(side: Side, households: Household[]): () => Request {
  const { benefitIds } = side.catalogue
  let made = 0
  return () => {
    const { id, dependantIds } = households[made % households.length] as Household
    const turn = Math.floor(made++ / households.length)
    const form = {
      benefit_id: benefitIds[turn % benefitIds.length],
      plan_code: PLAN.plan_code,
      start_date: addDays(todayIn(systemClock), Math.floor(turn / benefitIds.length) * TERM_DAYS_MAX),
      dependant_ids: dependantIds,
      nominee_details: { nominee_type: 'DEPENDANT', dependant_id: dependantIds[0] },
      questionnaire: { questions: QUESTIONS.map((question) => ({ question, answer: false })) },
    }
    const path = `/v1/users/${id}/insurance_policies`
    return { method: 'POST', path, headers: side.platform, body: JSON.stringify(form) }
  }
}

async function enrolAll(side: Side, requests: Request[]): Promise<PolicyPath[]> {
  const answers = await side.answersTo<{ id: string }>(requests.map((request) => ({ request, status: 201 })))
  return answers.map(({ id }, place) => `${requests[place]?.path}/${id}`)
}

async function issue(side: Side, policies: PolicyPath[]): Promise<void> {
  for (const move of MOVES) {
    await side.answersTo(policies.map((policy) => ({ request: moveRequest(side, policy, move), status: 200 })))
  }
}

/** The same promise for whoever asks. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
