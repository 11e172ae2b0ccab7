import type { Vault, VaultKeys } from '../kernel/crypto/vault.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { countDataKeys, rewrapDataKeys } from './data-keys.ts'
import { type KeyStatus, listKeys, rotateKeys } from './key-fingerprints.ts'

type Context = { db: Queryable; keys: VaultKeys }

/** Returns each master key, configured or not, with the number of data keys that it wraps. */
export async function masterKeyStatus({ db, keys }: Context): Promise<KeyStatus[]> {
  const counts = await countDataKeys(db)
  const known = await listKeys(db, keys, 'MASTER_KEYS')
  return known.map((key) => ({ ...key, total: counts.get(key.id) ?? 0 }))
}

/** Rewraps all data keys with the first master key, as described at `rotateKeys`. */
export const rotateMasterKeys = (
  { vault, ...context }: Context & { vault: Vault },
  onProgress: (done: number, all: number) => void,
): Promise<KeyStatus[]> =>
  rotateKeys(context, {
    setting: 'MASTER_KEYS',
    convert: async () => {
      const others = (await masterKeyStatus(context)).filter(({ first }) => !first)
      const all = others.reduce((sum, { total }) => sum + total, 0)
      return rewrapDataKeys({ db: context.db, vault }, (done) => onProgress(done, all))
    },
    status: () => masterKeyStatus(context),
  })
