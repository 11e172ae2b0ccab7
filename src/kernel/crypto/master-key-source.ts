import { StartError } from '../start-error.ts'
import { createAwsKms, type AwsKmsSettings } from './aws-kms.ts'
import { randomBytes } from './random.ts'

const KEY_BYTES = 32

/** Where master keys are stored: a setting or a file holds the key itself, with a KMS it holds the key as encrypted by the KMS. */
export type MasterKeySettings = { kind: 'environment' } | { kind: 'file' } | ({ kind: 'aws-kms' } & AwsKmsSettings)

/** Turns configured values into keys, and generates new values. */
export type MasterKeySource = {
  unwrap(id: string, stored: Buffer): Promise<Buffer>
  make(id: string): Promise<Buffer>
}

const plain: MasterKeySource = { unwrap: async (_id, stored) => stored, make: async () => randomBytes(KEY_BYTES) }

export const createMasterKeySource = async (settings: MasterKeySettings): Promise<MasterKeySource> =>
  settings.kind === 'aws-kms' ? createAwsKms(settings) : plain

type MasterKey = { id: string; key: Buffer }

/**
 * Returns the master keys ready for use; they stay in memory, so the source is called at the start only. Throws
 * `StartError` when it cannot be reached, refuses, or returns something that is not a key.
 */
export async function loadMasterKeys(settings: MasterKeySettings, stored: MasterKey[]): Promise<MasterKey[]> {
  const source = await createMasterKeySource(settings)
  return Promise.all(
    stored.map(async ({ id, key }) => {
      const opened = await source.unwrap(id, key)
      if (opened.length !== KEY_BYTES) throw new StartError(`The master key ${id} is not ${KEY_BYTES} bytes.`)
      return { id, key: opened }
    }),
  )
}
