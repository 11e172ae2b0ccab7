import { sealedColumn } from '../../../kernel/crypto/sealed-column.ts'
import { type Hasher, type Vault, underEachKey } from '../../../kernel/crypto/vault.ts'
import { bytes, integer, nullable, text } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { linkedDelete, linkedInsert, type LinkedRows } from '../../../kernel/db/write-statement.ts'
import { alreadyExists } from '../../../kernel/problem-error.ts'
import { recordedWrite } from '../../../record/index.ts'
import type { ListedUser, User } from './records.ts'

export const REFERENCE = sealedColumn<string, { id: string }>('users.reference_sealed', {
  row: ({ id }) => `users.reference:${id}`,
})

const LINKED_REFERENCES = linkedInsert('user_references', {
  hash: bytes('reference_hash'),
  userId: text('user_id'),
  hashKey: text('hash_key'),
})

/** Frees the number that a user has had, under every hash key, whichever this server knows. */
export const LINKED_FREE_REFERENCES = linkedDelete('freed_references', 'user_references', 'user_id')

/** Deletes what a rotation of the hash key has added while the user was erased. */
export const ERASE_REFERENCES = statement('user_references_erase', 'delete from user_references where user_id = $1')

/** Guarded by `cover_revision`, which an erasure compares. The revision stays the same: the record does not show the number. */
export const SET_REFERENCE = recordedWrite({
  name: 'users_set_reference',
  values: {
    id: text('user_id'),
    coverRevision: integer('cover_revision'),
    sealed: nullable(text('reference_sealed')),
  },
  update: 'users u',
  set: 'reference_sealed = :reference_sealed, cover_revision = u.cover_revision + 1',
  key: 'u.user_id = :user_id',
  guard: 'u.cover_revision = :cover_revision and u.data_key is not null',
  linked: [LINKED_REFERENCES, LINKED_FREE_REFERENCES],
})

const FIND_HOLDER = statement(
  'user_references_find',
  'select user_id from user_references where reference_hash = any ($1::bytea[]) limit 1',
)

type Key = Parameters<typeof REFERENCE.unseal>[0]
type WithReference = Pick<User, 'id' | 'referenceSealed'> & { key: Key }

/** Returns the employee number of a user, null when there is none. */
export const unsealReference = ({ key, ...user }: WithReference): string | null =>
  user.referenceSealed === null ? null : REFERENCE.unseal(key, user, user.referenceSealed)

/** The same for lists and exports: `instead` when it cannot be read. */
export const unsealReferenceOr = (key: Key, user: Pick<ListedUser, 'id' | 'referenceSealed'>, instead: string) =>
  user.referenceSealed === null ? null : REFERENCE.unsealOr(key, user, user.referenceSealed, instead)

/** One number has one hash, however it is typed: with blanks around it, in lower case, in full-width digits. */
const normalized = (number: string): string => number.normalize('NFKC').trim().toUpperCase()

const isSameReference = (one: string | null, other: string | null): boolean =>
  one === null || other === null ? one === other : normalized(one) === normalized(other)

/** Returns the blind index of an employee number within a platform. */
export const hashReference = (hasher: Hasher, { platformId, number }: { platformId: string; number: string }): Buffer =>
  hasher.blindIndex('employee_number', `${platformId}\0${normalized(number)}`)

const hashesOf = (vault: Vault, { platformId }: User, number: string) =>
  underEachKey(vault, (hasher) => ({
    reference_hash: hashReference(hasher, { platformId, number }),
    hash_key: hasher.hashKey,
  }))

type NewReference = { from: string | null; to: string | null }

/**
 * Returns the lookup rows of a change of the employee number: two while the hash key rotates, so that servers of which each makes
 * hashes with another see a number taken. The former number is free.
 */
export function toReferenceRows(vault: Vault, user: User, { from, to }: NewReference): LinkedRows {
  if (isSameReference(from, to)) return {}
  const added = to === null ? [] : hashesOf(vault, user, to).slice(0, 2)
  return {
    ...LINKED_REFERENCES.rows(added.map((row) => ({ ...row, user_id: user.id }))),
    ...LINKED_FREE_REFERENCES.rows(from === null ? [] : [{ user_id: user.id }]),
  }
}

/** Maps a violation of the unique number to 409 `already_exists`. */
export const referenceConflict = (db: Queryable, vault: Vault, { user, to }: { user: User; to: string }) => ({
  user_references_pkey: async () => {
    const hashes = hashesOf(vault, user, to).map(({ reference_hash }) => reference_hash)
    const [holder] = await db.query<{ user_id: string }>(FIND_HOLDER, [hashes])
    const detail = 'Another user of the platform has this employee number. Change theirs first.'
    return holder && alreadyExists(detail, [holder.user_id])
  },
})
