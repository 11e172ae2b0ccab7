import assert from 'node:assert/strict'
import { type Static, Type } from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { toScope } from '../../../access/scope.ts'
import type { Hasher, Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { Name, Text } from '../../../kernel/http/schemas.ts'
import { type FieldError, invalid } from '../../../kernel/problem-error.ts'
import { operation } from '../../../record/index.ts'
import { foreignPlatform, listPlatformIds } from '../../partners/platforms/index.ts'
import { hashIdProof, hashPhone } from './to-identity.ts'
import { DialCode, IdProof, PhoneNumber, presentUser, type ListedUser, tags, UserRecord } from './records.ts'
import { hashReference } from './reference-store.ts'
import { type SearchStatements, searchStatements } from './search-store.ts'
import { findPage } from './store.ts'
import { validateWholePhone, validatePhone, trimPhone } from './trim-phone.ts'

const SearchInput = Type.Object(
  {
    phone_country_code: Type.Optional(DialCode),
    phone_number: Type.Optional(PhoneNumber),
    id_proof: Type.Optional(IdProof),
    external_policy_id: Type.Optional(Text({ description: 'The benefit provider’s number of a policy' })),
    employee_number: Type.Optional(Name()),
    platform_id: Type.Optional(
      Text({ description: 'For administrators: search this platform only; otherwise all platforms' }),
    ),
  },
  { examples: [{ phone_country_code: '+91', phone_number: '9876543210' }] },
)

/** `holdersOf` returns SQL for the users with the policy of a number. */
export const searchUsers = (holdersOf: (policyNumber: string) => string) => {
  const searches = searchStatements(holdersOf)
  return operation('POST /users/search', {
    access: 'searchUsers',
    tags,
    summary: 'Search users',
    description:
      'Searches by exactly one of: phone (dial code and number), `id_proof`, `external_policy_id`, `employee_number`. Only exact ' +
      'matches are returned, newest first. The criteria are in the body so that URLs contain no personal data; to ' +
      'follow a `Link`, send the same body again. Nothing is written: an `Idempotency-Key` is neither needed nor ' +
      'stored.',
    querystring: PagingQuery,
    body: SearchInput,
    response: { 200: pageSchema(UserRecord) },
    validate: validateSearch,
    read: (call) => {
      const search = { caller: call.request.caller, input: call.body }
      return paged(call, (page) => findMatching({ ...call.deps, searches }, { ...search, page }), presentUser)
    },
  })
}

type Context = { db: Queryable; vault: Vault; searches: SearchStatements }
type Search = { caller: Caller; input: Static<typeof SearchInput>; page: Page }

/** Returns a page of the users in the caller's scope that match exactly, newest first. */
async function findMatching(context: Context, { caller, input, page }: Search): Promise<Paged<ListedUser>> {
  const { searches } = context
  const platformId = toScope(caller).platformId ?? input.platform_id ?? null
  const find = (search: keyof SearchStatements, value: unknown) =>
    findPage(context, searches[search], [value, platformId, page.limit, page.offset])
  if (input.external_policy_id !== undefined) return find('byPolicy', input.external_policy_id)

  const platformIds = platformId === null ? await everyPlatform(context.db) : [platformId]
  const toHashes = (hashesIn: (hasher: Hasher, platformId: string) => Buffer | Buffer[]) =>
    platformIds.flatMap((id) => context.vault.hashers.flatMap((hasher) => hashesIn(hasher, id)))
  const { id_proof, employee_number, phone_country_code, phone_number } = input
  if (employee_number !== undefined) {
    return find(
      'byReference',
      toHashes((hasher, id) => hashReference(hasher, { platformId: id, number: employee_number })),
    )
  }
  if (id_proof) {
    const { number } = id_proof
    return find(
      'byIdProof',
      toHashes((hasher, id) => hashIdProof(hasher, { platformId: id, number })),
    )
  }
  assert(phone_country_code !== undefined && phone_number !== undefined, 'validateSearch requires a whole phone')
  const trimmed = trimPhone({ phone_country_code, phone_number })
  const phone = trimmed.phone_country_code + trimmed.phone_number
  return find(
    'byPhone',
    toHashes((hasher, id) => hashPhone(hasher, { platformId: id, phone })),
  )
}

/** Blind indexes differ by platform, so a search of all platforms needs one for each. */
const PLATFORMS_SEARCHED_MAX = 1_000

async function everyPlatform(db: Queryable): Promise<string[]> {
  const ids = await listPlatformIds(db, PLATFORMS_SEARCHED_MAX + 1)
  if (ids.length <= PLATFORMS_SEARCHED_MAX) return ids
  const detail = `Required: there are more than ${PLATFORMS_SEARCHED_MAX} platforms to search.`
  throw invalid([{ pointer: '/platform_id', code: 'required', detail }])
}

const CRITERIA = [['phone_country_code', 'phone_number'], ['id_proof'], ['external_policy_id'], ['employee_number']]

/** Returns errors unless there is exactly one criterion and platforms search their own users. */
function validateSearch({ caller, body }: { caller: Caller; body: unknown }): FieldError[] {
  const sent = CRITERIA.filter((names) => names.some((name) => Object.hasOwn(body ?? {}, name)))
  const notOne: FieldError = {
    pointer: '',
    code: sent.length === 0 ? 'required' : 'not_allowed',
    detail: 'Send exactly one of: phone_country_code with phone_number, id_proof, external_policy_id, employee_number.',
  }
  return [
    ...(sent.length === 1 ? [] : [notOne]),
    ...validateWholePhone({ body }),
    ...validatePhone({ body }),
    ...foreignPlatform({ caller, body }),
  ]
}
