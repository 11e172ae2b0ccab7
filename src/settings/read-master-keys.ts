import type { MasterKeySettings } from '../kernel/crypto/master-key-source.ts'
import { type Sealing, SEALINGS, type VaultKeys } from '../kernel/crypto/vault.ts'
import type { Reading } from './table.ts'

/** The hash keys and master keys; `loadVaultKeys` prepares them for use. */
export type VaultConfig = Readonly<{ keys: VaultKeys; masterKeySource: MasterKeySettings; sealing: Sealing }>

export const sealingSetting = ({ choice }: Reading): Sealing => choice('SEALING', SEALINGS)

const KMS_NAMES = ['KMS_KEY_ID', 'KMS_REGION'] as const
const MASTER_KEYS = ['MASTER_KEYS'] as const
const KMS_ACCESS = {
  endpoint: 'KMS_ENDPOINT',
  accessKeyId: 'KMS_ACCESS_KEY_ID',
  secretAccessKey: 'KMS_SECRET_ACCESS_KEY',
} as const

/** Reads where master keys are kept; with `isFirst`, none exists yet. */
export function masterKeySettings(reading: Reading, { isFirst = false } = {}): MasterKeySettings {
  const kind = reading.choice('MASTER_KEY_SOURCE', ['environment', 'file', 'aws-kms'])
  const when = `MASTER_KEY_SOURCE is ${kind}`
  if (kind === 'file' && !isFirst && !reading.isInFile('MASTER_KEYS'))
    reading.errors.push(`MASTER_KEYS_FILE must be set when ${when}.`)
  if (kind !== 'aws-kms') return { kind }
  const [keyId = '', region = ''] = reading.all([...KMS_NAMES, ...(isFirst ? [] : MASTER_KEYS)], when)
  return { kind, keyId, region, ...reading.amazon(KMS_ACCESS) }
}
