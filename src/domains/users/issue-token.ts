import { randomInt } from 'node:crypto'
import type { Caller } from '../../access/caller.ts'
import type { Deps } from '../../deps.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/refusal.ts'
import { emit } from '../events/index.ts'
import { identifyUser, identityOf } from './identify-user.ts'
import type { IssueTokenForm } from './schemas.ts'
import {
  type Candidates,
  type Identity,
  insertUser,
  type KnownUser,
  lockUser,
  type Profile,
  updateProfile,
  type User,
} from './store.ts'
import { trimPhone } from './trim-phone.ts'

/** Equal calls that lose a race find the winner's user at the next try; more than a few mean something else is wrong. */
const TRIES_MAX = 4

type Platform = Extract<Caller, { kind: 'platform' }>
type Find = (identity: Identity) => Promise<Candidates>
/** What the operation answers. */
type Issued = { access_token: string; user_id: string }
type Kit = Pick<Deps, 'db' | 'vault' | 'tokens'> & { find: Find }

/**
 * A token for the user with this id proof or phone, created if there is none (contract 4.1). A known user costs one
 * shared statement and nothing is written when the same fields come again. 409 when id proof and phone disagree.
 */
export async function issueToken(
  kit: Kit,
  { form, platform }: { form: IssueTokenForm; platform: Platform },
): Promise<Issued> {
  const { vault, tokens, find } = kit
  const { id_proof: _, ...profile } = { ...form, ...trimPhone(form) }
  const identity = identityOf(vault, platform.platformId, { ...form, ...profile })
  const profileDigest = vault.digest('profile', { ...profile, id_proof: identity.idProofHash?.toString('base64') })
  const save = { platform, identity, profile, profileDigest }

  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const known = identifyUser(identity, await find(identity))
    const isCurrent = known && (known.isOnboarded || known.profileDigest.equals(profileDigest))
    const userId = isCurrent ? known.id : await createOrUpdate(kit, { ...save, known })
    if (userId === LOST_RACE) continue
    const { token } = tokens.issueToUser({
      userId,
      platformId: platform.platformId,
      epoch: platform.epoch,
      credentialId: platform.credentialId,
    })
    return { access_token: token, user_id: userId }
  }
  throw conflict('The user is being changed by other calls; try again.')
}

const LOST_RACE = Symbol('another call took the phone, the id proof or the user id first')

type Save = {
  platform: Platform
  identity: Identity
  profile: Profile
  profileDigest: Buffer
  known: KnownUser | undefined
}

async function createOrUpdate({ db, vault }: Kit, { known, ...save }: Save): Promise<string | typeof LOST_RACE> {
  try {
    return await db.transaction((tx) => (known ? update(tx, vault, { ...save, known }) : create(tx, vault, save)))
  } catch (error) {
    if (error === LOST_RACE) return LOST_RACE
    throw error
  }
}

async function update(
  tx: Tx,
  vault: Vault,
  { platform, known, ...save }: Save & { known: KnownUser },
): Promise<string> {
  const user = await lockUser(tx, vault, { userId: known.id, platformId: platform.platformId, providerId: null })
  if (!leadsTo(user, save.identity)) throw LOST_RACE
  if (user.isOnboarded) return user.id
  const profile = { ...user.profile, ...save.profile }
  if (!(await updateProfile(tx, { ...save, user, profile }))) throw LOST_RACE
  return user.id
}

/** False when another call gave the user an id proof or a phone between the look-up and the lock. */
function leadsTo(user: User, { idProofHash, phoneHash }: Identity): boolean {
  return idProofHash && user.idProofHash ? user.idProofHash.equals(idProofHash) : user.phoneHash.equals(phoneHash)
}

async function create(
  tx: Tx,
  vault: Vault,
  { platform: { platformId }, ...save }: Omit<Save, 'known'>,
): Promise<string> {
  const id = newUserId()
  if (!(await insertUser(tx, vault, { id, platformId, ...save }))) throw LOST_RACE
  await emit(tx, 'user.created', { platformId, subject: id, data: { user_id: id } })
  return id
}

const USER_ID_DIGITS_AFTER_FIRST = 11

/** 12 random digits of which the first is 0 or 1, so that it can never be a valid Aadhaar number. */
function newUserId(): string {
  const rest = Array.from({ length: USER_ID_DIGITS_AFTER_FIRST }, () => randomInt(10))
  return `${randomInt(2)}${rest.join('')}`
}
