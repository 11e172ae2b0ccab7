import type { LinkedRecords } from './linked-records.ts'
import { endUserSessions } from './end-user-sessions.ts'
import { issueToken } from './issue-token.ts'
import { listUsers } from './list-users.ts'
import { readReference } from './read-reference.ts'
import { readUser } from './read-user.ts'
import { searchUsers } from './search-users.ts'
import { setReference } from './set-reference.ts'
import { updateStatements } from './store.ts'
import { updateUser } from './update-user.ts'

export { findActiveByPhone, userIdByPhone } from './candidate-store.ts'
export type { LinkedRecords, NewVersion, PropagationTime } from './linked-records.ts'
export { endHashKey, type HashKeyStatus, hashKeyStatus, rotateHashKey } from './hash-keys-store.ts'
export { fillPlatforms } from './platforms-store.ts'
export { rehashPhones } from './rehash-store.ts'
export { rehashReferences } from './rehash-references-store.ts'
export { ERASE_REFERENCES, REFERENCE as USER_REFERENCE } from './reference-store.ts'
export { hashPhone, phoneOf } from './to-identity.ts'
export { findSessionEpoch, deleteFormerPhone, raiseSessionEpoch } from './session-epoch-store.ts'
export { ERASE_ID_PROOFS, ERASE_LOOKUPS_PARTS, ERASE_USER, refuseWhileErasing, toLookupRows } from './erasure-store.ts'
export { trimPhone, validatePhone } from './trim-phone.ts'
export { correctedFields, memberAsPerson } from './corrected-fields.ts'
export { propagateMember } from './propagate-member.ts'
export {
  BankDetails,
  BirthDay,
  DialCode,
  Gender,
  PhoneNumber,
  presentUser,
  type Profile,
  Title,
  type User,
  UserPath,
  UserRecord as UserSchema,
  versionOf as versionOfUser,
} from './records.ts'
export {
  decodeUser,
  ensureUserInPath,
  findListedUser,
  findUser,
  joinUserText,
  STAYS_THERE,
  PROFILE as USER_PROFILE,
  saveOnboarding,
  unsealProfileTolerantly,
  USER_COLUMNS,
} from './store.ts'

type Cover = {
  /** The policies that an update changes with a user. */
  linked: LinkedRecords
  /** Returns SQL for the users with the policy of a number. */
  holdersOf: (policyNumber: string) => string
}

/** `Cover` depends on users, so src/app.ts passes it. */
export function userOperations({ linked, holdersOf }: Cover) {
  const update = updateStatements(linked)
  return [
    issueToken(update),
    listUsers,
    searchUsers(holdersOf),
    readUser,
    updateUser(update),
    readReference,
    setReference,
    endUserSessions,
  ]
}
