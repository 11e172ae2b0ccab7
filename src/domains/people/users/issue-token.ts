import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { Type } from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { underEachKey, type Vault } from '../../../kernel/crypto/vault.ts'
import { record } from '../../../kernel/http/schemas.ts'
import { alreadyExists, conflict } from '../../../kernel/problem-error.ts'
import {
  type Author,
  type Change,
  type Decision,
  type Deps,
  newEvent,
  operation,
  responding,
  unchanged,
} from '../../../record/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { type Candidates, findCandidates, type KnownUser, type RequestedIdentities } from './candidate-store.ts'
import { propagateMember, isSameMember } from './propagate-member.ts'
import { type Identity, toIdentity } from './to-identity.ts'
import { rehashIdProof } from './rehash-store.ts'
import { IssueTokenInput, type Profile, tags } from './records.ts'
import { findSessionEpoch } from './session-epoch-store.ts'
import { findToUpdate, INSERT_USER, PROFILE, UPDATE_PROFILE, type UpdatedUser, type UpdateStatements } from './store.ts'
import { freedPhones, hasPhone, toIdProofRows, toNewPhoneRows, toPhoneRows, storedPhone } from './stored-phone.ts'
import { trimPhone, validatePhone } from './trim-phone.ts'

const IssuedUserToken = record(
  'IssuedUserToken',
  { access_token: Type.String(), user_id: UserIdText() },
  {
    description: 'An access token for an app user',
    examples: [{ access_token: 'eyJhbGciOi.payload.signature', user_id: '012345678901' }],
  },
)

export const issueToken = (update: UpdateStatements) =>
  operation('POST /auth/token', {
    access: 'issueToken',
    tags,
    summary: 'Issue an app-user token',
    description:
      'Finds the user of the calling platform by `id_proof.number`, else by phone, and creates one if there is ' +
      'none. Until onboarding is complete, the fields sent update the user; afterwards only a new phone number and a ' +
      'first id proof do. A `dob` or `gender` other than that of an onboarded user who is found by phone is a 409, reason ' +
      '`different_person`.',
    body: IssueTokenInput,
    response: { 200: IssuedUserToken },
    problems: ['conflict'],
    validate: validatePhone,
    serializeBy: ({ request, body }) => {
      const { phone_country_code, phone_number } = trimPhone(body)
      return `${requirePlatform(request).platformId} ${phone_country_code}${phone_number}`
    },
    change: ({ deps, request, body }, author) =>
      identifyUser({ ...deps, ...update }, toTokenRequest(deps.vault, requirePlatform(request), body), author),
    present: (user, call) => responding({ access_token: createToken(call, user), user_id: user.id }),
    replay: async (body, call) => {
      const scope = scopeOnUser(call.request.caller, body.user_id)
      const user = { id: body.user_id, sessionEpoch: await findSessionEpoch(call.deps.db, scope) }
      return { ...body, access_token: createToken(call, user) }
    },
  })

type Platform = Extract<Caller, { kind: 'platform' }>

function requirePlatform({ caller }: { caller: Caller }): Platform {
  assert(caller.kind === 'platform', 'the access matrix admits platforms only')
  return caller
}

type TokenCall = { deps: Pick<Deps, 'tokens'>; request: { caller: Caller } }

/** The user of a token. Sessions that end while it is issued end it, too: the epoch was read before. */
type Recipient = { id: string; sessionEpoch: number }

const createToken = ({ deps, request }: TokenCall, { id: userId, sessionEpoch }: Recipient): string =>
  deps.tokens.issueToUser({ ...requirePlatform(request), userId, sessionEpoch }).token

/** The identity, and the profile fields that were sent. */
type TokenRequest = { platform: Platform; profile: Profile; identities: RequestedIdentities }

function toTokenRequest(vault: Vault, platform: Platform, input: IssueTokenInput): TokenRequest {
  const trimmed = { ...input, ...trimPhone(input) }
  const { id_proof: _, ...profile } = trimmed
  const identities = underEachKey(vault, (hasher) => {
    const identity = toIdentity(hasher, platform.platformId, trimmed)
    const input = { ...profile, id_proof: identity.idProofHash?.toString('base64') }
    return { ...identity, profileDigest: hasher.digest('profile', input) }
  })
  return { platform, identities, profile }
}

type Context = Pick<Deps, 'db' | 'vault' | 'calendar' | 'limits'> & UpdateStatements

/**
 * Finds the user by id proof, else by phone, or decides to create one. Until onboarding is complete the fields sent update
 * the profile, and policies follow the member's data; afterwards only a new phone does, if the id proof matches, and a
 * first id proof, without which the person would come back with a new phone as another user.
 */
async function identifyUser(context: Context, request: TokenRequest, author: Author): Promise<Decision<Recipient>> {
  const { identities, profile: sent } = request
  const [identity] = identities
  const compares = IDENTIFYING.some((name) => sent[name] !== undefined)
  const candidates = await findCandidates(context, { identities, compares })
  const user = matchingUser(identity, candidates)
  if (!user) return newUser(context.vault, request, author)
  const { stored, isOnboarded } = user
  if (stored && isOnboarded && candidates.byIdProof === null) checkSamePerson(stored.profile, sent)
  await rehashIdProof(context.db, { user, storedHash: candidates.foundIdProofHash, identity })
  return stored && (!isOnboarded || bindsIdentity(user, identities))
    ? updatedUser(context, { user, stored, request }, author)
    : unchanged<Recipient>(user)
}

/** What the person with a reassigned number differs in; names are spelled in more than one way. */
const IDENTIFYING = ['dob', 'gender'] as const satisfies (keyof Profile)[]

/** Throws 409 when the fields sent are of another person than the onboarded user with this phone. */
function checkSamePerson(stored: Profile, sent: Profile): void {
  const differs = IDENTIFYING.some((name) => sent[name] !== undefined && sent[name] !== stored[name])
  if (differs) throw conflict(DIFFERENT_PERSON, { reason: 'different_person' })
}

const DIFFERENT_PERSON =
  'The user with this phone number has another date of birth or gender. If the number has a new owner, give the earlier ' +
  'user their new number first, with PATCH /v1/users/{user_id}; if it is the same person, correct the user with that ' +
  'request, or send no dob and gender.'

/** Whether an onboarded user gets a new phone or a first id proof. */
const bindsIdentity = (user: KnownUser, identities: RequestedIdentities): boolean =>
  !hasPhone(user, identities) || (user.idProofHash === null && identities[0].idProofHash !== null)

/**
 * Returns the user that matches id proof and phone, undefined when there is none. Throws 409 when they belong to two.
 */
export function matchingUser(
  identity: Pick<Identity, 'idProofHash'>,
  { byIdProof, byPhone, user }: Candidates,
): KnownUser | undefined {
  if (byIdProof !== null && byPhone !== null && byIdProof !== byPhone)
    throw alreadyExists(TWO_USERS, [byIdProof, byPhone])
  // Phone numbers get reassigned: a known phone with another id proof is another person.
  const byPhoneAlone = identity.idProofHash !== null && byIdProof === null
  if (user && byPhoneAlone && user.idProofHash !== null) throw alreadyExists(OTHER_PROOF, [user.id])
  return user
}

const TWO_USERS =
  'The id proof and the phone number belong to different users. If the number has a new owner, give the other user ' +
  'their new number first, with PATCH /v1/users/{user_id}.'
const OTHER_PROOF =
  'The user with this phone number has another id proof. Send that one; or, if the number has a new owner, give the ' +
  'earlier user their new number first, with PATCH /v1/users/{user_id}.'

function newUser(vault: Vault, { platform, identities, profile }: TokenRequest, author: Author): Change<Recipient> {
  const { platformId } = platform
  const { idProofHash, idProofLast4, profileDigest } = identities[0]
  const { phoneHash, otherPhoneHash } = storedPhone(identities)
  const userId = newUserId()
  const { wrapped, key } = vault.newDataKey()
  return {
    result: { id: userId, sessionEpoch: 0 },
    ...INSERT_USER.with({
      user_id: userId,
      platform_id: platformId,
      data_key: wrapped,
      sealed: PROFILE.seal(key, { id: userId }, profile),
      profile_digest: profileDigest,
      phone_hash: phoneHash,
      other_phone_hash: otherPhoneHash,
      id_proof_hash: idProofHash,
      id_proof_last4: idProofLast4,
      at: author.at,
    }),
    rows: { ...toPhoneRows(userId, identities), ...toIdProofRows(userId, identities) },
    events: [newEvent('user.created', { platformId, data: { user_id: userId } })],
  }
}

type Update = { user: KnownUser; stored: NonNullable<KnownUser['stored']>; request: TokenRequest }

function updatedUser(
  context: Context,
  { user, stored, request }: Update,
  author: Author,
): Change<Recipient> | Promise<Change<Recipient>> {
  const { platform, identities, profile: sent } = request
  const [{ profileDigest, ...identity }] = identities
  const phone = hasPhone(user, identities) ? user : storedPhone(identities)
  const { platformId } = platform
  const { key, profile } = stored
  const { phone_country_code, phone_number } = sent
  const updated = user.isOnboarded ? { ...profile, phone_country_code, phone_number } : { ...profile, ...sent }
  const hasNewProof = user.idProofHash === null && identity.idProofHash !== null
  const values = {
    user_id: user.id,
    revision: user.revision,
    sealed: PROFILE.seal(key, user, updated),
    profile_digest: user.isOnboarded ? null : profileDigest,
    phone_hash: phone.phoneHash,
    other_phone_hash: phone.otherPhoneHash,
    id_proof_hash: identity.idProofHash ?? user.idProofHash, // the same proof, by the newest key
    id_proof_last4: hasNewProof ? identity.idProofLast4 : null,
    ...freedPhones({ from: user, to: identities }),
    at: author.at,
  }
  const change = {
    result: user,
    rows: {
      ...(hasNewProof && toIdProofRows(user.id, identities)),
      ...toNewPhoneRows({ userId: user.id, from: user, to: identities, at: author.at }),
    },
    events: [newEvent('user.updated', { platformId, data: { user_id: user.id } })],
  }
  return isSameMember(updated, profile)
    ? { ...change, ...UPDATE_PROFILE.with(values) }
    : propagated(context, { profile: updated, change, values }, author)
}

type ToPropagate = {
  profile: Profile
  change: Required<Pick<Change<Recipient>, 'result' | 'rows' | 'events'>>
  /** Guarded by the revision that the profile is of. */
  values: UpdatedUser
}

/** Adds how the policies of the user follow a change of what certificates print; only then are they read. */
async function propagated(
  { write, propagate, calendar, limits, ...context }: Context,
  { profile, change, values }: ToPropagate,
  author: Author,
): Promise<Change<Recipient>> {
  const { user, linked } = await findToUpdate(context, scopeOnUser(author.caller, values.user_id))
  const { seen, rows, history, events } = propagateMember(
    propagate,
    { user, linked, profile, calendar, limits },
    author,
  )
  return {
    ...change,
    ...write.with({ ...values, cover_revision: user.coverRevision, seen }),
    rows: { ...change.rows, ...rows },
    history,
    events: [...change.events, ...events],
  }
}

const USER_ID_DIGITS_AFTER_FIRST = 11

/** Returns 12 random digits. The first is 0 or 1, so the id can never be a valid Aadhaar number. */
function newUserId(): string {
  const rest = String(randomInt(10 ** USER_ID_DIGITS_AFTER_FIRST)).padStart(USER_ID_DIGITS_AFTER_FIRST, '0')
  return `${randomInt(2)}${rest}`
}
