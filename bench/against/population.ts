import { systemClock, todayIn } from '../../src/kernel/clock.ts'
import { addDays } from '../../src/kernel/date.ts'
import type { Request } from '../ask.ts'
import { PLAN } from '../catalogue.ts'
import { type UserInput, userInputOf } from '../families.ts'
import type { Side } from './side.ts'

const MEMBERS = 1_000
const HOUSEHOLDS = 1_000
const INSURED = 500
const POLICIES_OF_INSURED = 3
/** The last policy stays PENDING. */
const ISSUED_OF_INSURED = 2
/** The maximum term of the plan that everybody is enrolled in. */
const TERM_DAYS_MAX = 366

const DEPENDANTS = [
  { first_name: 'Meera', last_name: 'Example', date_of_birth: '1992-03-14' },
  { first_name: 'Kiran', last_name: 'Example', date_of_birth: '2015-08-02' },
]
const QUESTIONS = ['Do you smoke?', 'Were you in hospital in the last two years?', 'Do you take medicine every day?']

export type User = { id: string; input: UserInput }
export type Household = User & { dependantIds: string[] }
/** The path of a policy. */
type PolicyPath = string

/** The status changes by which a benefit provider issues a policy. */
export const TRANSITIONS = [
  { status: 'VERIFICATION' },
  { status: 'APPROVED' },
  { status: 'ISSUED', external_policy_id: 'SG-2026-000123', master_policy_number: 'MP-77' },
]

/** The users of a side, created through the API at first use. */
export type Population = {
  makeUsers(count: number): Promise<User[]>
  /** Returns users without records, whose fields may be changed. */
  members(): Promise<User[]>
  /** Returns users with two dependants and three policies each, which are never changed. */
  insured(): Promise<User[]>
  /** Returns a source of distinct requests that enrol users with two dependants. */
  enrolments(): Promise<() => Request>
  makePolicies(count: number): Promise<PolicyPath[]>
}

export function populationOf(side: Side): Population {
  const makeUsers = async (count: number): Promise<User[]> => {
    const inputs = Array.from({ length: count }, () => userInputOf(side.nextNumber()))
    const responses = await side.sendAll<{ user_id: string }>(
      inputs.map((input) => ({ request: tokenRequest(side, input), status: 200 })),
    )
    return responses.map(({ user_id }, position) => ({ id: user_id, input: inputs[position] as UserInput }))
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

export const tokenRequest = ({ platform }: Side, input: object): Request => ({
  method: 'POST',
  path: '/v1/auth/token',
  headers: platform,
  body: JSON.stringify(input),
})

export const dependantsRequest = ({ platform }: Side, userId: string, dependants: object[]): Request => ({
  method: 'POST',
  path: `/v1/users/${userId}/dependants/bulk`,
  headers: platform,
  body: JSON.stringify({ dependants }),
})

export const transitionRequest = ({ provider }: Side, policy: PolicyPath, input: object): Request => ({
  method: 'PUT',
  path: `${policy}/status`,
  headers: provider,
  body: JSON.stringify(input),
})

async function makeHouseholds(side: Side, users: User[]): Promise<Household[]> {
  const responses = await side.sendAll<{ data: { id: string }[] }>(
    users.map(({ id }) => ({ request: dependantsRequest(side, id, DEPENDANTS), status: 201 })),
  )
  return users.map((user, position) => ({
    ...user,
    dependantIds: (responses[position]?.data ?? []).map(({ id }) => id),
  }))
}

/**
 * Enrols the households in turn; in the next round in the next benefit, and after the last benefit a term later,
 * because policies of one plan must not overlap.
 */
function enrolmentsOf(side: Side, households: Household[]): () => Request {
  const { benefitIds } = side.catalogue
  let made = 0
  return () => {
    const { id, dependantIds } = households[made % households.length] as Household
    const turn = Math.floor(made++ / households.length)
    const input = {
      benefit_id: benefitIds[turn % benefitIds.length],
      plan_code: PLAN.plan_code,
      start_date: addDays(todayIn(systemClock), Math.floor(turn / benefitIds.length) * TERM_DAYS_MAX),
      dependant_ids: dependantIds,
      nominee_details: { nominee_type: 'DEPENDANT', dependant_id: dependantIds[0] },
      questionnaire: { questions: QUESTIONS.map((question) => ({ question, answer: false })) },
    }
    const path = `/v1/users/${id}/insurance_policies`
    return { method: 'POST', path, headers: side.platform, body: JSON.stringify(input) }
  }
}

async function enrolAll(side: Side, requests: Request[]): Promise<PolicyPath[]> {
  const responses = await side.sendAll<{ id: string }>(requests.map((request) => ({ request, status: 201 })))
  return responses.map(({ id }, position) => `${requests[position]?.path}/${id}`)
}

async function issue(side: Side, policies: PolicyPath[]): Promise<void> {
  for (const input of TRANSITIONS) {
    await side.sendAll(policies.map((policy) => ({ request: transitionRequest(side, policy, input), status: 200 })))
  }
}

/** Memoises the promise. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
