import type { Vault, VaultKeys } from '../kernel/crypto/vault.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { StartError } from '../kernel/start-error.ts'
import { countDataKeys, rewrapDataKeys } from './data-keys.ts'
import { compareKeys, type KnownKey, listKeys, retireKey } from './key-fingerprints.ts'

/** A master key and how many data keys it wraps. */
export type MasterKeyStatus = KnownKey & { dataKeys: number }

type Context = { db: Queryable; keys: VaultKeys }

/** Says of each master key, configured or not, what still needs it. */
export async function masterKeyStatus({ db, keys }: Context): Promise<MasterKeyStatus[]> {
  const counts = await countDataKeys(db)
  const known = await listKeys(db, keys, 'MASTER_KEYS')
  return known.map((key) => ({ ...key, dataKeys: counts.get(key.id) ?? 0 }))
}

/**
 * Wraps all data keys by the first master key and retires those that nothing needs any more; results in what then is. Throws
 * `StartError` when no server has begun with this key yet, because those that do not know it could open nothing, and when keys are missing.
 */
export async function rotateMasterKeys(
  { db, keys, vault }: Context & { vault: Vault },
  onProgress: (done: number) => void,
): Promise<MasterKeyStatus[]> {
  await compareKeys(db, keys)
  const newest = vault.newestMasterKey
  if (!(await listKeys(db, keys, 'MASTER_KEYS')).some(({ first, used }) => first && used)) {
    throw new StartError(
      `No server has started with the key ${newest} in front of MASTER_KEYS. Start all of them so, and then rotate.`,
    )
  }
  await rewrapDataKeys({ db, vault }, onProgress)
  for (const { id, first, used, retired, dataKeys } of await masterKeyStatus({ db, keys })) {
    if (!first && used && !retired && dataKeys === 0) await retireKey(db, 'MASTER_KEYS', id)
  }
  return masterKeyStatus({ db, keys })
}
