import { readFileSync } from 'node:fs'
import type { MasterKeySettings } from '../kernel/crypto/master-key-source.ts'
import type { Environment } from '../kernel/read-environment.ts'
import type { VaultKeys } from '../kernel/crypto/vault.ts'

/** The keys that seal and find; `openVaultKeys` makes them ready for use. */
export type VaultConfig = Readonly<{ keys: VaultKeys; masterKeySource: MasterKeySettings }>

type Reading = {
  errors: string[]
  /** There is no master key yet. */
  isFirst?: boolean
  url: (name: string, text: string) => string
  word: <W extends string>(name: string, options: { otherwise: W; words: readonly W[] }) => W
}

const KINDS = ['environment', 'file', 'aws-kms'] as const
const KMS_NAMES = ['KMS_KEY_ID', 'KMS_REGION'] as const

/** Reads where master keys are kept; what is wrong goes to the errors, a sentence each. */
export function masterKeySettings(
  environment: Environment,
  { errors, url, word, isFirst = false }: Reading,
): MasterKeySettings {
  const kind = word('MASTER_KEY_SOURCE', { otherwise: 'environment', words: KINDS })
  if (kind === 'file' && !isFirst && !environment['MASTER_KEYS_FILE'])
    errors.push('MASTER_KEYS_FILE must be set when MASTER_KEY_SOURCE is file.')
  if (kind !== 'aws-kms') return { kind }
  for (const name of [...KMS_NAMES, ...(isFirst ? [] : ['MASTER_KEYS'])])
    if (!environment[name]) errors.push(`${name} must be set when MASTER_KEY_SOURCE is aws-kms.`)
  const [keyId = '', region = ''] = KMS_NAMES.map((name) => environment[name])
  const endpoint = environment['KMS_ENDPOINT']
  const accessKeyId = environment['KMS_ACCESS_KEY_ID'] || ''
  const secretAccessKey = environment['KMS_SECRET_ACCESS_KEY'] || ''
  if (!accessKeyId !== !secretAccessKey)
    errors.push('KMS_ACCESS_KEY_ID and KMS_SECRET_ACCESS_KEY must be set together, or neither.')
  return {
    kind,
    keyId,
    region,
    endpoint: endpoint ? url('KMS_ENDPOINT', endpoint) : null,
    credentials: accessKeyId ? { accessKeyId, secretAccessKey } : null,
  }
}

/** Returns the settings with `MASTER_KEYS` from the file that is named, where files are the source. */
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
