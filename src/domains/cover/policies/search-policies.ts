import assert from 'node:assert/strict'
import { type Static, Type } from 'typebox'
import type { RetentionTerm } from '../../../settings/read-erasure.ts'
import { utcDay } from '../../../kernel/clock.ts'
import { Nullable, record, Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { changesErrors, changesPageSchema, cursorQuery, operation, pageOfChanges } from '../../../record/index.ts'
import { PremiumAmounts } from '../../partners/benefits/index.ts'
import { type FindPersons, addAssignees } from './add-assignees.ts'
import { listPoliciesWithNumber, type PolicyNumber } from './changes-store.ts'
import { listedExample, ListedPolicyRecord } from './list-all-policies.ts'
import { presentPremium, tags } from './records.ts'

const LIST = 'insurance_policies_search'
const NUMBERS = ['external_policy_id', 'master_policy_number', 'policy_number'] as const satisfies PolicyNumber[]

const Retained = Nullable(
  Type.Object(
    {
      law: Type.String({ description: 'The law that requires it', examples: ['Companies Act, 2013, section 128(5)'] }),
      until: Type.String({ format: 'date', description: 'The last day of retention', examples: ['2035-03-31'] }),
      external_policy_id: Nullable(Type.String({ examples: ['SG-2026-000123'] })),
      master_policy_number: Nullable(Type.String({ examples: ['SG-GROUP-42'] })),
      premium_amounts: PremiumAmounts,
    },
    {
      description:
        'What is retained of the policy of an erased user, and nothing else of the user: no other address has it. `null` while the user is there',
    },
  ),
)

export const FoundPolicyRecord = record(
  'FoundInsurancePolicy',
  { ...ListedPolicyRecord.properties, retained: Retained },
  {
    description: 'A policy that was found by its number: no personal data. Read the policy for the rest',
    examples: [{ ...listedExample, retained: null }],
  },
)

export const searchPolicies = (findPersons: FindPersons) =>
  operation('POST /insurance_policies/search', {
    access: 'searchInsurancePolicies',
    tags,
    summary: 'Search insurance policies by number',
    description:
      'Searches by exactly one of `external_policy_id`, the benefit provider’s number of the policy, `master_policy_number`, that of a group, and `policy_number`, what card and certificate print: the benefit provider’s number or our reference, such as `YSZX-X6GZ-GVV0`, in capitals or not, with hyphens or blanks or without; or the id. Only exact matches, last change first. What is retained of the policies of erased users is found by who would have found them before, with its law and last day in `retained`; the policy itself is a 404. The number is in the body so that URLs contain none; to continue, send the same body again with `next` as `after`. Nothing is written: an `Idempotency-Key` is neither needed nor stored.',
    querystring: Type.Object(cursorQuery, { additionalProperties: false }),
    body: Type.Object(
      {
        external_policy_id: Type.Optional(Text({ description: 'The benefit provider’s number of the policy' })),
        master_policy_number: Type.Optional(Text({ description: 'The number of the group policy' })),
        policy_number: Type.Optional(Text({ description: 'The number that card and certificate print, or the id' })),
      },
      { examples: [{ external_policy_id: 'SG-2026-000123' }] },
    ),
    response: { 200: changesPageSchema(FoundPolicyRecord) },
    validate: (request, deps) => [...numberErrors(request.body), ...changesErrors(LIST, request, deps)],
    read: (call) => {
      const [number] = NUMBERS.filter((name) => call.body[name] !== undefined)
      const value = number && call.body[number]
      assert(number !== undefined && value !== undefined, 'there is exactly one number')
      return pageOfChanges(LIST, call, {
        find: async (page) => {
          const today = utcDay(call.deps.clock.now()) // as the task that deletes what is over
          const found = await listPoliciesWithNumber(call.deps.db, { ...page, number, value, today })
          return addAssignees(found, { deps: call.deps, scope: page.scope, findPersons })
        },
        present: ({ changedAt: _changedAt, retained, ...policy }) => ({
          ...policy,
          retained: presentRetained(retained, call.deps.erasure.terms.policies),
        }),
      })
    },
  })

type Found = Awaited<ReturnType<typeof listPoliciesWithNumber>>[number]

function presentRetained({ until, ...retained }: Found['retained'], { law }: RetentionTerm): Static<typeof Retained> {
  if (until === null) return null
  return {
    law,
    until,
    external_policy_id: retained.externalPolicyId,
    master_policy_number: retained.masterPolicyNumber,
    premium_amounts: presentPremium(retained),
  }
}

function numberErrors(body: unknown): FieldError[] {
  const sent = NUMBERS.filter((name) => Object.hasOwn(body ?? {}, name))
  const detail = `Send exactly one of: ${NUMBERS.join(', ')}.`
  return sent.length === 1 ? [] : [{ pointer: '', code: sent.length === 0 ? 'required' : 'not_allowed', detail }]
}
