import { readFileSync } from 'node:fs'
import type { MasterKeySettings } from '../kernel/crypto/master-key-source.ts'
import type { Environment, Reading } from '../kernel/read-environment.ts'
import type { VaultKeys } from '../kernel/crypto/vault.ts'

/** The hash keys and master keys; `loadVaultKeys` prepares them for use. */
export type VaultConfig = Readonly<{ keys: VaultKeys; masterKeySource: MasterKeySettings }>

const KINDS = ['environment', 'file', 'aws-kms'] as const
const KMS_NAMES = ['KMS_KEY_ID', 'KMS_REGION'] as const
const KMS_ACCESS = {
  endpoint: 'KMS_ENDPOINT',
  accessKeyId: 'KMS_ACCESS_KEY_ID',
  secretAccessKey: 'KMS_SECRET_ACCESS_KEY',
}

/** Reads where master keys are kept; with `isFirst`, none exists yet. */
export function masterKeySettings(reading: Reading, { isFirst = false } = {}): MasterKeySettings {
  const kind = reading.oneOf('MASTER_KEY_SOURCE', { fallback: 'environment', values: KINDS })
  const when = `MASTER_KEY_SOURCE is ${kind}`
  if (kind === 'file' && !isFirst) reading.all(['MASTER_KEYS_FILE'], when)
  if (kind !== 'aws-kms') return { kind }
  const [keyId = '', region = ''] = reading.all([...KMS_NAMES, ...(isFirst ? [] : ['MASTER_KEYS'])], when)
  return { kind, keyId, region, ...reading.amazon(KMS_ACCESS) }
}

/** Returns the settings with `MASTER_KEYS` read from its file, when the source is files. */
export function withMasterKeysFile(environment: Environment, errors: string[]): Environment {
  const file = environment['MASTER_KEYS_FILE']
  if (environment['MASTER_KEY_SOURCE'] !== 'file' || !file) return environment
  try {
    return { ...environment, MASTER_KEYS: readFileSync(file, 'utf8').trim() }
  } catch (error) {
    errors.push(`MASTER_KEYS_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
    return environment
  }
}
