import assert from 'node:assert/strict'
import { Type } from 'typebox'
import { Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { changesErrors, changesPageSchema, cursorQuery, operation, pageOfChanges } from '../../../record/index.ts'
import { type FindPersons, addAssignees } from './add-assignees.ts'
import { listPoliciesWithNumber, type PolicyNumber } from './changes-store.ts'
import { ListedPolicyRecord } from './list-all-policies.ts'
import { tags } from './records.ts'

const LIST = 'insurance_policies_search'
const NUMBERS = ['external_policy_id', 'master_policy_number', 'policy_number'] as const satisfies PolicyNumber[]

export const searchPolicies = (findPersons: FindPersons) =>
  operation('POST /insurance_policies/search', {
    access: 'searchInsurancePolicies',
    tags,
    summary: 'Search insurance policies by number',
    description:
      'Searches by exactly one of `external_policy_id`, the benefit provider’s number of the policy, `master_policy_number`, that of a group, and `policy_number`, what card and certificate print: the benefit provider’s number or our reference, such as `YSZX-X6GZ-GVV0`, in capitals or not, with hyphens or blanks or without; or the id. Only exact matches, last change first. The number is in the body so that URLs contain none; to continue, send the same body again with `next` as `after`. Nothing is written: an `Idempotency-Key` is neither needed nor stored.',
    querystring: Type.Object(cursorQuery, { additionalProperties: false }),
    body: Type.Object(
      {
        external_policy_id: Type.Optional(Text({ description: 'The benefit provider’s number of the policy' })),
        master_policy_number: Type.Optional(Text({ description: 'The number of the group policy' })),
        policy_number: Type.Optional(Text({ description: 'The number that card and certificate print, or the id' })),
      },
      { examples: [{ external_policy_id: 'SG-2026-000123' }] },
    ),
    response: { 200: changesPageSchema(ListedPolicyRecord) },
    validate: (request, deps) => [...numberErrors(request.body), ...changesErrors(LIST, request, deps)],
    read: (call) => {
      const [number] = NUMBERS.filter((name) => call.body[name] !== undefined)
      const value = number && call.body[number]
      assert(number !== undefined && value !== undefined, 'there is exactly one number')
      return pageOfChanges(LIST, call, {
        find: async (page) =>
          addAssignees(await listPoliciesWithNumber(call.deps.db, { ...page, number, value }), {
            deps: call.deps,
            scope: page.scope,
            findPersons,
          }),
        present: ({ changedAt: _changedAt, ...policy }) => policy,
      })
    },
  })

function numberErrors(body: unknown): FieldError[] {
  const sent = NUMBERS.filter((name) => Object.hasOwn(body ?? {}, name))
  const detail = `Send exactly one of: ${NUMBERS.join(', ')}.`
  return sent.length === 1 ? [] : [{ pointer: '', code: sent.length === 0 ? 'required' : 'not_allowed', detail }]
}
