import type { Hasher } from '../../../kernel/crypto/vault.ts'
import type { Import } from './records.ts'

type SentFile = Pick<Import, 'platformId' | 'kind'> & { sha256: string }

/** Returns the blind index of a file: keyed, because a file of one row could be guessed from its plain hash. */
export const hashFile = (hasher: Hasher, { platformId, kind, sha256 }: SentFile): Buffer =>
  hasher.blindIndex('import', `${platformId}\0${kind}\0${sha256}`)
