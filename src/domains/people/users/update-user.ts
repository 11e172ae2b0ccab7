import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { type PerKey, underEachKey } from '../../../kernel/crypto/vault.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { Email, Name, Removable } from '../../../kernel/http/schemas.ts'
import { alreadyExists, type FieldError, invalid } from '../../../kernel/problem-error.ts'
import {
  type Author,
  changed,
  type Decision,
  type Deps,
  newEvent,
  operation,
  unchanged,
} from '../../../record/index.ts'
import { UserAddress } from '../../address.ts'
import { findUserIdByPhone } from './candidate-store.ts'
import { propagateMember } from './propagate-member.ts'
import { type Identity, hashPhone, phoneOf } from './to-identity.ts'
import {
  BirthDay,
  DialCode,
  Gender,
  PhoneNumber,
  type Profile,
  tags,
  Title,
  type User,
  UserPath,
  UserRecord,
  versionOf,
} from './records.ts'
import { ensureUserInPath, findToUpdate, PROFILE, type UpdateStatements } from './store.ts'
import { changePhone, hasPhone, keepPhone, type PhoneChange, setPhoneFree } from './stored-phone.ts'
import { validateWholePhone, validatePhone, trimPhone } from './trim-phone.ts'

const patchFields = {
  phone_country_code: Type.Optional(Removable(DialCode)),
  phone_number: Type.Optional(Removable(PhoneNumber)),
  address: Type.Optional(Removable(UserAddress)),
  dob: Type.Optional(Removable(BirthDay())),
  email: Type.Optional(Removable(Email())),
  first_name: Type.Optional(Removable(Name())),
  last_name: Type.Optional(Removable(Name())),
  gender: Type.Optional(Gender),
  title: Type.Optional(Title),
}

const UserPatch = Type.Object(patchFields, {
  requiresOneOf: Object.keys(patchFields),
  examples: [{ email: 'asha.new@example.com' }],
})
type UserPatch = Static<typeof UserPatch>

export const updateUser = (update: UpdateStatements) =>
  operation('PATCH /users/:user_id', {
    access: 'updateUser',
    versioned: true,
    tags,
    summary: 'Update a user',
    description:
      'Top-level JSON merge patch (RFC 7396); `address` is replaced as a whole, `null` removes a field, after ' +
      'onboarding only `address`: the others are required from then on. Users may change only their own `email` and ' +
      '`address`. Dial code and number change together, and a new phone ends the wallet sessions of the old one. Both ' +
      '`null` set the number free for somebody else and end its wallet sessions; only a user with an id proof can be without ' +
      'one, and is found by that from then on. A new ' +
      'name, title, gender or date of birth puts ISSUED policies into REQUIRES_POLICY_REISSUANCE; documents already ' +
      'issued do not change. A patch without changes returns the user unchanged.',
    consumes: ['application/json', 'application/merge-patch+json'],
    params: UserPath,
    body: UserPatch,
    response: { 200: UserRecord },
    problems: ['conflict', 'precondition_failed'],
    validate: validateUpdate,
    checkTargetFirst: ensureUserInPath,
    serializeBy: ({ params }) => params.user_id,
    change: ({ deps, params, request, body: patch }, author) =>
      decideUpdate(
        { ...deps, ...update },
        { userId: params.user_id, ifMatch: request.headers['if-match'], patch },
        author,
      ),
    present: (user) => changed(versionOf(user)),
  })

type Context = Pick<Deps, 'db' | 'vault' | 'calendar' | 'limits'> & UpdateStatements

type Update = { userId: string; patch: UserPatch; ifMatch: string | undefined }

/** Decides an update of the fields that were sent, and of the policies whose certificates name the member. */
export async function decideUpdate(
  { write, propagate, calendar, limits, ...context }: Context,
  { userId, patch, ifMatch }: Update,
  author: Author,
): Promise<Decision<User>> {
  const { user, linked } = await findToUpdate(context, scopeOnUser(author.caller, userId))
  checkFresh(ifMatch, () => versionOf(user))
  checkComplete(user, patch)
  const profile = patched(user.profile, patch)
  if (isDeepStrictEqual(profile, user.profile)) return unchanged(user)

  const { id, platformId, key, coverRevision } = user
  const phone = await decidePhone(context, { user, profile }, author.at)
  const { phoneHash, otherPhoneHash } = phone.stored
  const propagation = propagateMember(propagate, { user, linked, profile, calendar, limits }, author)
  return {
    result: { ...nextVersion(user, author.at), profile, phoneHash, otherPhoneHash, coverRevision: coverRevision + 1 },
    ...write.with({
      user_id: id,
      revision: user.revision,
      cover_revision: coverRevision,
      seen: propagation.seen,
      sealed: PROFILE.seal(key, { id }, profile),
      profile_digest: null,
      phone_hash: phoneHash,
      other_phone_hash: otherPhoneHash,
      id_proof_hash: null,
      id_proof_last4: null,
      ...phone.values,
      at: author.at,
    }),
    rows: { ...phone.rows, ...propagation.rows },
    history: propagation.history,
    events: [newEvent('user.updated', { platformId, data: { user_id: id } }), ...propagation.events],
  }
}

/** What onboarding requires and a patch could remove; the other fields of onboarding never take `null`. */
const REQUIRED = ['dob', 'email', 'first_name', 'last_name'] as const satisfies (keyof UserPatch)[]

/** Throws 422 when the patch would take from an onboarded user what certificates and accounts need. */
function checkComplete({ isOnboarded, profile }: User, patch: UserPatch): void {
  if (!isOnboarded) return
  const removed = REQUIRED.filter((name) => patch[name] === null && profile[name] !== undefined)
  if (removed.length > 0) throw invalid(removed.map((name) => ({ pointer: `/${name}`, ...STAYS_REQUIRED })))
}

const STAYS_REQUIRED = {
  code: 'required',
  detail: 'Required: the user has completed onboarding, so it can be changed but not removed.',
} as const

/** Applies a JSON merge patch (RFC 7396): `null` removes a field. */
function patched(profile: Profile, { phone_country_code, phone_number, ...patch }: UserPatch): Profile {
  const phone =
    phone_country_code === undefined || phone_number === undefined
      ? {}
      : trimPhone({ phone_country_code: phone_country_code ?? '', phone_number: phone_number ?? '' })
  const members = Object.entries({ ...profile, ...patch, ...phone }).filter(([, value]) => value !== null)
  return Object.fromEntries(members) as Profile
}

/** Decides how the phone changes. Throws 422 when nobody could find the user again, 409 `conflict` when another user has the number. */
async function decidePhone(
  context: Pick<Context, 'db' | 'vault'>,
  { user, profile }: { user: User; profile: Profile },
  at: Date,
): Promise<PhoneChange> {
  const { id: userId, platformId } = user
  const phone = phoneOf(profile)
  if (phone !== null) {
    const to = await freePhone(context, user, phone)
    return changePhone({ userId, from: user, to, at })
  }
  if (phoneOf(user.profile) === null) return keepPhone(user)
  if (user.idProofHash === null) throw invalid([NOT_FOUND_AGAIN])
  return setPhoneFree({ userId, from: user, noPhone: hashPhone(context.vault, { platformId, phone: '' }), at })
}

const NOT_FOUND_AGAIN: FieldError = {
  pointer: '/phone_number',
  code: 'required',
  detail:
    'Required: the user has no id proof, and nobody could find the person again. Send their id proof with POST /v1/auth/token first, or a new number.',
}

type HashedPhones = PerKey<Pick<Identity, 'hashKey' | 'phoneHash'>>

/**
 * Returns the blind indexes of a phone. Throws 409 `conflict` when another user of the platform has it.
 */
async function freePhone(
  { db, vault }: Pick<Context, 'db' | 'vault'>,
  user: User,
  phone: string,
): Promise<HashedPhones> {
  const { id, platformId } = user
  const wanted = underEachKey(vault, (hasher) => ({
    hashKey: hasher.hashKey,
    phoneHash: hashPhone(hasher, { platformId, phone }),
  }))
  if (hasPhone(user, wanted)) return wanted
  const holder = await findUserIdByPhone(
    db,
    wanted.map(({ phoneHash }) => phoneHash),
  )
  if (holder === undefined || holder === id) return wanted
  const detail = 'Another user of the platform has this phone. Change theirs first, or send a different number.'
  throw alreadyExists(detail, [holder])
}

/** Fields users may change themselves; for the others their platform must see proof. */
const SELF_SERVICE: readonly string[] = ['email', 'address'] satisfies (keyof UserPatch)[]

/** Returns errors unless the phone is complete and users change only their email and address. */
function validateUpdate({ caller, body }: { caller: Caller; body: unknown }): FieldError[] {
  const sent = Object.keys(body ?? {})
  const foreign = caller.kind === 'user' ? sent.filter((name) => !SELF_SERVICE.includes(name)) : []
  return [
    ...validateWholePhone({ body }),
    ...validatePhone({ body }),
    ...foreign.map((name): FieldError => ({ pointer: `/${name}`, code: 'not_allowed', detail: NOT_BY_USERS })),
  ]
}

const NOT_BY_USERS = 'Only your platform can change this field. You can change email and address.'
