import assert from 'node:assert/strict'
import type { Caller } from '../../access/caller.ts'
import { scopeOf } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import type { Page, Paged } from '../../kernel/db/page.ts'
import { type Fault, invalid } from '../../kernel/refusal.ts'
import { foreignPlatform, listPlatformIds } from '../platforms/index.ts'
import { idProofHashOf, phoneHashOf } from './identity-of.ts'
import type { SearchForm } from './schemas.ts'
import { findPage, type Searches, type User } from './store.ts'
import { faultsOfPhone, halfPhone, trimPhone } from './trim-phone.ts'

type Kit = { db: Queryable; vault: Vault; searches: Searches }
type Search = { caller: Caller; form: SearchForm; page: Page }

/** A page of the users that are found by exactly what is asked for, newest first, in the caller's scope. */
export async function searchUsers(kit: Kit, { caller, form, page }: Search): Promise<Paged<User>> {
  const { searches } = kit
  const platformId = scopeOf(caller).platformId ?? form.platform_id ?? null
  const find = (search: keyof Searches, value: unknown) => findPage(kit, searches[search], { value, platformId, page })
  if (form.external_policy_id !== undefined) return find('byPolicy', form.external_policy_id)

  const platformIds = platformId === null ? await everyPlatform(kit.db) : [platformId]
  const { id_proof, phone_country_code, phone_number } = form
  if (id_proof) {
    const { number } = id_proof
    return find(
      'byIdProof',
      platformIds.map((id) => idProofHashOf(kit.vault, { platformId: id, number })),
    )
  }
  assert(phone_country_code !== undefined && phone_number !== undefined, 'faultsOfSearch has looked')
  const trimmed = trimPhone({ phone_country_code, phone_number })
  const phone = trimmed.phone_country_code + trimmed.phone_number
  return find(
    'byPhone',
    platformIds.map((id) => phoneHashOf(kit.vault, { platformId: id, phone })),
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

const WAYS = [['phone_country_code', 'phone_number'], ['id_proof'], ['external_policy_id']]

/** Exactly one thing is searched for, and by a platform among its own users. */
export function faultsOfSearch({ caller, body }: { caller: Caller; body: unknown }): Fault[] {
  const ways = WAYS.filter((names) => names.some((name) => Object.hasOwn(body ?? {}, name)))
  const wrongWay: Fault = {
    pointer: '',
    code: ways.length === 0 ? 'required' : 'not_allowed',
    detail: 'Must have exactly one of: phone_country_code with phone_number, id_proof, external_policy_id.',
  }
  return [
    ...(ways.length === 1 ? [] : [wrongWay]),
    ...halfPhone({ body }),
    ...faultsOfPhone({ body }),
    ...foreignPlatform({ caller, body }),
  ]
}
