import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import { seal, type Vault } from '../../kernel/crypto/vault.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { nextVersion } from '../../kernel/db/version.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { conflict, type FieldError } from '../../kernel/problem-error.ts'
import { type By, type Decision, newEvent, unchanged } from '../../record/index.ts'
import type { Followers } from './followers.ts'
import { phoneHashOf } from './identity-of.ts'
import { versionOf } from './present.ts'
import type { UserPatch } from './schemas.ts'
import {
  findToUpdate,
  findUserIdByPhone,
  type Profile,
  rowOfUser,
  rowsOfNewPhone,
  type UpdateStatements,
  type User,
} from './store.ts'
import { halfPhone, tooManyDigits, trimPhone } from './trim-phone.ts'

type Context = { db: Queryable; vault: Vault } & UpdateStatements & Pick<Followers, 'follow'>

type Update = { userId: string; patch: UserPatch; ifMatch: string | undefined }

/**
 * Changes the fields that are sent, and lets policies follow what their certificates say of the member. A new phone ends
 * the wallet sessions of the old one. Throws 404, 409 `conflict` when the phone is another user's, 412.
 */
export async function updateUser(
  { write, follow, ...context }: Context,
  { userId, patch, ifMatch }: Update,
  by: By,
): Promise<Decision<User>> {
  const { user, followers } = await findToUpdate(context, scopeOnUser(by.caller, userId))
  checkFresh(ifMatch, () => versionOf(user))
  const profile = patched(user.profile, patch)
  if (isDeepStrictEqual(profile, user.profile)) return unchanged(user)

  const { id, platformId, key, revision, coverRevision } = user
  const phoneHash = await freePhone(context, user, profile)
  const person = { id, userId: id, platformId, key }
  const following = follow(isSameMember(profile, user.profile) ? [] : followers, { previous: person, id }, by)
  return {
    result: { ...nextVersion(user, by.at), profile, phoneHash, coverRevision: coverRevision + 1 },
    write,
    values: [id, revision, following.seen, coverRevision, seal(key, rowOfUser(id), profile), phoneHash, by.at],
    rows: { ...rowsOfNewPhone({ userId: id, from: user.phoneHash, to: phoneHash, at: by.at }), ...following.rows },
    history: following.history,
    events: [newEvent('user.updated', { platformId, data: { user_id: id } }), ...following.events],
  }
}

/** By JSON merge patch (RFC 7396): what is `null` goes. */
function patched(profile: Profile, { phone_country_code, phone_number, ...patch }: UserPatch): Profile {
  const phone =
    phone_country_code === undefined || phone_number === undefined
      ? {}
      : trimPhone({ phone_country_code, phone_number })
  const members = Object.entries({ ...profile, ...patch, ...phone }).filter(([, value]) => value !== null)
  return Object.fromEntries(members) as Profile
}

/** The blind index of the phone in a profile. Throws 409 `conflict` when another user of the platform has it. */
async function freePhone(
  { db, vault }: Pick<Context, 'db' | 'vault'>,
  { id, platformId, phoneHash }: User,
  profile: Profile,
): Promise<Buffer> {
  const wanted = phoneHashOf(vault, { platformId, phone: profile.phone_country_code + profile.phone_number })
  if (wanted.equals(phoneHash)) return phoneHash
  const holder = await findUserIdByPhone(db, wanted)
  if (holder === undefined || holder === id) return wanted
  const members = { reason: 'already_exists', existing_ids: [holder] } as const
  throw conflict('Another user of the platform has this phone. Change theirs first, or send the right number.', members)
}

/** What certificates say of the member beside the number of the policy. */
const MEMBER = ['title', 'first_name', 'last_name', 'gender', 'dob'] as const satisfies (keyof Profile)[]

const isSameMember = (one: Profile, other: Profile) => MEMBER.every((name) => one[name] === other[name])

/** What users change of themselves; for all else their platform has to see proof. */
const OWN: readonly string[] = ['email', 'address'] satisfies (keyof UserPatch)[]

/** Dial code and number come together, and a user changes email and address alone. */
export function errorsOfUpdate({ caller, body }: { caller: Caller; body: unknown }): FieldError[] {
  const sent = Object.keys(body ?? {})
  const foreign = caller.kind === 'user' ? sent.filter((name) => !OWN.includes(name)) : []
  return [
    ...halfPhone({ body }),
    ...tooManyDigits({ body }),
    ...foreign.map((name): FieldError => ({ pointer: `/${name}`, code: 'not_allowed', detail: NOT_BY_USERS })),
  ]
}

const NOT_BY_USERS = 'Is changed by your platform; you can change email and address.'
