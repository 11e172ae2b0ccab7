import { systemClock, todayIn } from '../../src/kernel/clock.ts'
import type { Request } from '../ask.ts'
import { PLAN } from '../catalogue.ts'
import { type UserInput, userInputOf } from '../families.ts'
import type { Side } from './side.ts'
import { supplyOf, type Supply } from './supply.ts'

const MEMBERS = 1_000
const INSURED = 500
/** Of their policies, one a benefit, the last one stays PENDING. */
const ISSUED_OF_INSURED = 2

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
  /** Returns users with two dependants and a policy of each benefit, which are never changed. */
  insured(): Promise<User[]>
  /** Requests that enrol users with two dependants. */
  enrolments: Supply<Request>
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
  const makeEnrolments = async (count: number): Promise<Request[]> => {
    const users = await makeUsers(Math.ceil(count / side.catalogue.benefitIds.length))
    return enrolmentsOf(side, await makeHouseholds(side, users))
  }
  return {
    makeUsers,
    enrolments: supplyOf(makeEnrolments),
    members: once(() => makeUsers(MEMBERS)),
    insured: once(async () => {
      const households = await makeHouseholds(side, await makeUsers(INSURED))
      const policies = await enrolAll(side, enrolmentsOf(side, households))
      await issue(side, policies.slice(0, INSURED * ISSUED_OF_INSURED))
      return households
    }),
    makePolicies: async (count) => enrolAll(side, await makeEnrolments(count)),
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
 * Enrols all households in one benefit before the next, from today: a household can be enrolled once in each, because
 * policies of one plan must not overlap and must begin soon, and never twice at the same time.
 */
function enrolmentsOf(side: Side, households: Household[]): Request[] {
  const enrolmentOf = (benefitId: string, { id, dependantIds }: Household): Request => ({
    method: 'POST',
    path: `/v1/users/${id}/insurance_policies`,
    headers: side.platform,
    body: JSON.stringify({
      benefit_id: benefitId,
      plan_code: PLAN.plan_code,
      start_date: todayIn(systemClock),
      dependant_ids: dependantIds,
      nominee_details: { nominee_type: 'DEPENDANT', dependant_id: dependantIds[0] },
      questionnaire: { questions: QUESTIONS.map((question) => ({ question, answer: false })) },
    }),
  })
  return side.catalogue.benefitIds.flatMap((benefitId) =>
    households.map((household) => enrolmentOf(benefitId, household)),
  )
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
