import assert from 'node:assert/strict'
import type { Caller } from '../../access/caller.ts'
import { scopeOf } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import type { Page, Paged } from '../../kernel/db/page.ts'
import { type FieldError, invalid } from '../../kernel/problem-error.ts'
import { foreignPlatform, listPlatformIds } from '../platforms/index.ts'
import { idProofHashOf, phoneHashOf } from './identity-of.ts'
import type { SearchInput } from './schemas.ts'
import { findPage, type Searches, type User } from './store.ts'
import { halfPhone, tooManyDigits, trimPhone } from './trim-phone.ts'

type Context = { db: Queryable; vault: Vault; searches: Searches }
type Search = { caller: Caller; input: SearchInput; page: Page }

/** A page of the users that are found by exactly what is asked for, newest first, in the caller's scope. */
export async function searchUsers(context: Context, { caller, input, page }: Search): Promise<Paged<User>> {
  const { searches } = context
  const platformId = scopeOf(caller).platformId ?? input.platform_id ?? null
  const find = (search: keyof Searches, value: unknown) =>
    findPage(context, searches[search], { value, platformId, page })
  if (input.external_policy_id !== undefined) return find('byPolicy', input.external_policy_id)

  const platformIds = platformId === null ? await everyPlatform(context.db) : [platformId]
  const { id_proof, phone_country_code, phone_number } = input
  if (id_proof) {
    const { number } = id_proof
    return find(
      'byIdProof',
      platformIds.map((id) => idProofHashOf(context.vault, { platformId: id, number })),
    )
  }
  assert(phone_country_code !== undefined && phone_number !== undefined, 'faultsOfSearch has looked')
  const trimmed = trimPhone({ phone_country_code, phone_number })
  const phone = trimmed.phone_country_code + trimmed.phone_number
  return find(
    'byPhone',
    platformIds.map((id) => phoneHashOf(context.vault, { platformId: id, phone })),
  )
}

/** Blind indexes are made for each platform, so a search of all takes as many of them as there are platforms. */
const PLATFORMS_SEARCHED_MAX = 1_000

async function everyPlatform(db: Queryable): Promise<string[]> {
  const ids = await listPlatformIds(db, PLATFORMS_SEARCHED_MAX + 1)
  if (ids.length <= PLATFORMS_SEARCHED_MAX) return ids
  const detail = `Must be there: there are more than ${PLATFORMS_SEARCHED_MAX} platforms to search.`
  throw invalid([{ pointer: '/platform_id', code: 'required', detail }])
}

const METHODS = [['phone_country_code', 'phone_number'], ['id_proof'], ['external_policy_id']]

/** Exactly one thing is searched for, and by a platform among its own users. */
export function errorsOfSearch({ caller, body }: { caller: Caller; body: unknown }): FieldError[] {
  const ways = METHODS.filter((names) => names.some((name) => Object.hasOwn(body ?? {}, name)))
  const wrongWay: FieldError = {
    pointer: '',
    code: ways.length === 0 ? 'required' : 'not_allowed',
    detail: 'Must have exactly one of: phone_country_code with phone_number, id_proof, external_policy_id.',
  }
  return [
    ...(ways.length === 1 ? [] : [wrongWay]),
    ...halfPhone({ body }),
    ...tooManyDigits({ body }),
    ...foreignPlatform({ caller, body }),
  ]
}
