import type { Column, Kind, Step } from './kind.ts'
import { addressIn, columnOfUser, dependantIn, isFamily, listIds, profileIn } from './profile-in.ts'

const PHONE = {
  phone_country_code: { meaning: 'Dial code', example: '+91', looks: 'digits' },
  phone_number: { meaning: 'Phone number without the dial code', example: '9876543210', looks: 'digits' },
} as const satisfies Record<string, Column>

const EMPLOYEE_NUMBER = { meaning: 'The platform’s own number of the person', example: 'EMP-004711' }

const BY_USER = [['user_id'], ['phone_country_code', 'phone_number'], ['employee_number']] as const

type Found<Item> = { data: Item[] }

/** Finds the user of a row that does not name the id. */
const FIND_USER: Step = {
  address: 'POST /users/search',
  when: (cells) => cells['user_id'] === undefined,
  input: ({ phone_country_code, phone_number, employee_number }) => ({
    body:
      employee_number === undefined
        ? {
            ...(phone_country_code !== undefined && { phone_country_code }),
            ...(phone_number !== undefined && { phone_number }),
          }
        : { employee_number },
  }),
  take: ({ data: [user] }: Found<{ user_id: string }>) => user && { user_id: user.user_id },
  column: columnOfUser,
}

const PERSON_COLUMNS = { '/id_proof': 'id_proof_number', '/user_id': 'user_id' }

const USERS: Kind = {
  columns: {
    phone_country_code: { ...PHONE.phone_country_code, isRequired: true },
    phone_number: { ...PHONE.phone_number, isRequired: true },
    id_proof_number: { meaning: 'Number of an id proof', example: 'AB1234567', looks: 'digits' },
    first_name: { meaning: 'First name', example: 'Asha' },
    last_name: { meaning: 'Last name', example: 'Example' },
    dob: { meaning: 'Date of birth', example: '1990-05-17', looks: 'day' },
    gender: { meaning: '`MALE`, `FEMALE` or `OTHER`', example: 'FEMALE' },
    email: { meaning: 'Email address', example: 'asha@example.com' },
    address: { meaning: 'The whole address as one text, instead of the next ones', example: '12 Example Road, Pune' },
    address_line1: { meaning: 'First line of the address', example: '12 Example Road' },
    address_line2: { meaning: 'Second line', example: 'Flat 4' },
    address_city: { meaning: 'City', example: 'Pune' },
    address_state: { meaning: 'State', example: 'Maharashtra' },
    address_country: { meaning: 'Country', example: 'India' },
    address_pincode: { meaning: 'Pincode', example: '411001', looks: 'digits' },
    employee_number: EMPLOYEE_NUMBER,
    dependant_first_name: { meaning: 'First name of one dependant', example: 'Ravi' },
    dependant_last_name: { meaning: 'Last name of the dependant', example: 'Example' },
    dependant_date_of_birth: { meaning: 'Date of birth of the dependant', example: '2015-08-02', looks: 'day' },
  },
  identity: (cells) => JSON.stringify([cells['phone_country_code'], cells['phone_number'], dependantIn(cells)]),
  steps: [
    {
      address: 'POST /auth/token',
      input: (cells) => ({ body: { ...profileIn(cells), ...addressIn(cells) } }),
      take: ({ user_id }: { user_id: string }) => ({ user_id, record_id: user_id }),
      columns: {
        '/id_proof': 'id_proof_number',
        ...Object.fromEntries(
          ['line1', 'line2', 'city', 'state', 'country', 'pincode'].map((part) => [
            `/address/${part}`,
            `address_${part}`,
          ]),
        ),
      },
      column: () => 'phone_number',
    },
    {
      address: 'PUT /users/:user_id/reference',
      when: (cells) => cells['employee_number'] !== undefined,
      input: ({ employee_number }, { user_id = '' }) => ({ params: { user_id }, body: { employee_number } }),
      take: () => ({}),
      column: () => 'employee_number',
      isOfNewUser: true,
    },
    {
      address: 'POST /users/:user_id/dependants/bulk',
      when: (cells) => dependantIn(cells) !== undefined,
      input: (cells, { user_id = '' }) => ({ params: { user_id }, body: { dependants: [dependantIn(cells)] } }),
      take: ({ data: [dependant] }: Found<{ id: string }>) => (dependant ? { record_id: dependant.id } : {}),
      columns: {
        '/dependants/0/first_name': 'dependant_first_name',
        '/dependants/0/last_name': 'dependant_last_name',
        '/dependants/0/date_of_birth': 'dependant_date_of_birth',
      },
      column: () => 'dependant_first_name',
      isKeyed: true,
      isOfNewUser: true,
    },
  ],
}

const ENROLMENTS: Kind = {
  columns: {
    user_id: { meaning: 'The user’s id', example: '012345678901', looks: 'digits' },
    ...PHONE,
    employee_number: EMPLOYEE_NUMBER,
    benefit_id: { meaning: 'The benefit', example: 'bnf_06bnv3m2r8f1s4k7q9t3v6w0y2', isRequired: true },
    plan_code: { meaning: 'The plan', example: 'FAMILY_5L', isRequired: true },
    start_date: { meaning: 'First covered day', example: '2026-04-01', isRequired: true, looks: 'day' },
    end_date: {
      meaning: 'Last day of the first term, if earlier than the plan’s',
      example: '2027-03-31',
      looks: 'day',
    },
    dependant_ids: { meaning: 'Ids of dependants, with blanks between them, or `ALL`', example: 'ALL' },
    nominee_dependant_id: { meaning: 'The dependant who is the nominee', example: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2' },
  },
  oneOf: BY_USER,
  identity: (cells) =>
    JSON.stringify(
      ['user_id', 'phone_country_code', 'phone_number', 'employee_number', 'benefit_id', 'plan_code', 'start_date'].map(
        (name) => cells[name],
      ),
    ),
  steps: [
    FIND_USER,
    {
      address: 'GET /users/:user_id/dependants',
      when: isFamily,
      input: (_cells, { user_id = '' }) => ({ params: { user_id }, query: { limit: '100' } }),
      take: ({ data }: Found<{ id: string }>) => ({ dependant_ids: data.map(({ id }) => id).toSorted() }),
      columns: PERSON_COLUMNS,
      column: columnOfUser,
    },
    {
      address: 'POST /users/:user_id/insurance_policies',
      input: (cells, { user_id = '', dependant_ids = listIds(cells['dependant_ids']) }) => {
        const { benefit_id, plan_code, start_date, end_date, nominee_dependant_id: dependant_id } = cells
        const nominee = dependant_id !== undefined && { nominee_details: { nominee_type: 'DEPENDANT', dependant_id } }
        const body = {
          benefit_id,
          plan_code,
          start_date,
          dependant_ids,
          ...(end_date !== undefined && { end_date }),
          ...nominee,
        }
        return { params: { user_id }, body: withoutAbsent(body) }
      },
      take: ({ id }: { id: string }) => ({ record_id: id }),
      columns: { '/dependant_ids': 'dependant_ids', '/nominee_details': 'nominee_dependant_id' },
      column: () => 'benefit_id',
      owner: columnOfUser,
      isKeyed: true,
    },
  ],
}

const OF_POLICY = {
  insurance_policy_id: { meaning: 'The policy’s id', example: 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2' },
  external_policy_id: {
    meaning: 'The benefit provider’s number of the policy',
    example: 'SG-2026-000123',
    looks: 'digits',
  },
} as const satisfies Record<string, Column>

const BY_POLICY = [['insurance_policy_id'], ['external_policy_id']] as const

/** Finds the policy of a row, and its user. A number that two policies have names neither. */
const FIND_POLICY: Step = {
  address: 'POST /insurance_policies/search',
  input: ({ insurance_policy_id, external_policy_id }) => ({
    body:
      insurance_policy_id === undefined
        ? withoutAbsent({ external_policy_id })
        : { policy_number: insurance_policy_id },
  }),
  take: ({ data }: Found<{ id: string; user_id: string }>) =>
    data.length === 1 && data[0]
      ? { user_id: data[0].user_id, insurance_policy_id: data[0].id, record_id: data[0].id }
      : undefined,
  columns: { '/policy_number': 'insurance_policy_id' },
  column: ({ insurance_policy_id }) =>
    insurance_policy_id === undefined ? 'external_policy_id' : 'insurance_policy_id',
}

const MEMBERS: Kind = {
  columns: {
    ...OF_POLICY,
    dependant_id: {
      meaning: 'The dependant who joins or leaves',
      example: 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2',
      isRequired: true,
    },
    from: { meaning: 'First covered day', example: '2026-06-01', looks: 'day' },
    to: { meaning: 'Last covered day', example: '2026-09-30', looks: 'day' },
    event: { meaning: 'Why, such as `BIRTH` or `AGE`', example: 'BIRTH' },
    event_on: { meaning: 'Day of that event', example: '2026-06-01', looks: 'day' },
    relation: { meaning: 'What the person is to the user, such as `CHILD`', example: 'CHILD' },
    gender: { meaning: '`MALE`, `FEMALE` or `OTHER`', example: 'FEMALE' },
    reason: { meaning: 'A reason in words', example: 'Reported late' },
  },
  oneOf: BY_POLICY,
  identity: ({ insurance_policy_id, external_policy_id, dependant_id }) =>
    JSON.stringify([insurance_policy_id, external_policy_id, dependant_id]),
  steps: [
    FIND_POLICY,
    {
      address: 'PUT /users/:user_id/insurance_policies/:insurance_policy_id/members/:dependant_id',
      input: ({ dependant_id = '', from, to, ...cells }, { user_id = '', insurance_policy_id = '' }) => {
        const { event, event_on, relation, gender, reason } = cells
        return {
          params: { user_id, insurance_policy_id, dependant_id },
          body: withoutAbsent({ from, to, event, event_on, relation, gender, reason }),
        }
      },
      take: () => ({}),
      column: () => 'dependant_id',
    },
  ],
}

const ENDS: Kind = {
  columns: {
    ...OF_POLICY,
    on: { meaning: 'The last covered day', example: '2026-09-30', isRequired: true, looks: 'day' },
    code: {
      meaning: 'Why: `CANCELLED`, `FREE_LOOK`, `LEFT`, `DEATH`, `UNPAID` or `OTHER`',
      example: 'LEFT',
      isRequired: true,
    },
    reason: { meaning: 'A reason in words', example: 'Left the company' },
  },
  oneOf: BY_POLICY,
  identity: ({ insurance_policy_id, external_policy_id }) => JSON.stringify([insurance_policy_id, external_policy_id]),
  steps: [
    FIND_POLICY,
    {
      address: 'PUT /users/:user_id/insurance_policies/:insurance_policy_id/end',
      input: ({ on, code, reason }, { user_id = '', insurance_policy_id = '' }) => ({
        params: { user_id, insurance_policy_id },
        body: withoutAbsent({ on, code, reason }),
      }),
      take: () => ({}),
      column: () => 'on',
    },
  ],
}

const withoutAbsent = (body: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))

/** What can be imported. A kind is its columns, and the calls that a row makes, in order; the last one is what the row is for. */
export const KINDS = { users: USERS, enrolments: ENROLMENTS, members: MEMBERS, ends: ENDS } as const satisfies Record<
  string,
  Kind
>

export type KindName = keyof typeof KINDS
export const KIND_NAMES = Object.keys(KINDS) as KindName[]
export const kindOf = (name: KindName): Kind => KINDS[name]
