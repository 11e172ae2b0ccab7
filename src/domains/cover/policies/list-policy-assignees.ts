import { Type } from 'typebox'
import { type Scope, toScope } from '../../../access/scope.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { paged, pageSchema, pagingQuery } from '../../../kernel/http/paging.ts'
import { Nullable, record, Text } from '../../../kernel/http/schemas.ts'
import { type Deps, operation } from '../../../record/index.ts'
import type { Person } from './add-assignees.ts'
import { tags } from './records.ts'

/** `providerId` is the benefit provider whose people are wanted; null: those of none. */
type Wanted = Pick<Scope, 'providerId'> & { hasAdministrators: boolean; page: Page }

/** Lists active people; administration imports cover, so the app passes it. */
export type FindColleagues = (deps: Pick<Deps, 'db' | 'vault'>, wanted: Wanted) => Promise<Paged<Person>>

const PossibleAssigneeRecord = record(
  'PossibleAssignee',
  {
    id: Type.String({ description: 'The administrator, or the person of the benefit provider' }),
    name: Nullable(Type.String({ description: 'Name from the identity provider; `null` if it sends none' })),
    owner_id: Nullable(
      Type.String({ description: 'The benefit provider whose person it is; `null` for administrators' }),
    ),
  },
  {
    description: 'Somebody who can work on policies',
    examples: [{ id: 'adm_06bnv3kq0r3cj8m3w0h2d8y6xg', name: 'Asha Example', owner_id: null }],
  },
)

export const listPolicyAssignees = (findColleagues: FindColleagues) =>
  operation('GET /insurance_policies/assignees', {
    access: 'listInsurancePolicyAssignees',
    tags,
    summary: 'List who can work on insurance policies',
    description:
      'Those active people who can be assigned to a policy by the caller, newest first. A benefit provider finds its own people, an administrator all ' +
      'administrators and, with `benefit_provider_id`, the people of that benefit provider, too.',
    querystring: Type.Object(
      {
        ...pagingQuery,
        benefit_provider_id: Type.Optional(
          Text({ maxLength: 100, description: 'Who can work on the policies of this benefit provider.' }),
        ),
      },
      { additionalProperties: false },
    ),
    response: { 200: pageSchema(PossibleAssigneeRecord) },
    read: (call) => {
      const { providerId: own } = toScope(call.request.caller)
      const named = call.query.benefit_provider_id
      const isForeign = own !== null && named !== undefined && named !== own
      const providerId = isForeign ? null : (own ?? named ?? null)
      return paged(
        call,
        (page) => findColleagues(call.deps, { providerId, hasAdministrators: own === null, page }),
        ({ id, name, ownerId }) => ({ id, name, owner_id: ownerId }),
      )
    },
  })
