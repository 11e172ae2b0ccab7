import type { AmazonAccess } from '../settings/read-settings.ts'
import { StartError } from '../start-error.ts'
import type { MasterKeySource } from './master-key-source.ts'

export type AwsKmsSettings = AmazonAccess & {
  /** Id, ARN or alias of the key in KMS that encrypts ours. */
  keyId: string
  region: string
}

const TRIES_MAX = 3
const CONNECT_MS_MAX = 2_000
/** How long one try waits for its response. */
const TIMEOUT_MS = 4_000
/** For all tries together. */
const TOTAL_MS_MAX = 10_000

/** Binds a key to its name, so that one cannot be put in the place of another. */
const encryptionContext = (id: string) => ({ 'banyan:master-key': id })

/**
 * Opens master keys that AWS KMS has encrypted. The SDK is loaded here alone. The account needs `kms:Decrypt`, and
 * `kms:GenerateDataKeyWithoutPlaintext` where new ones are made.
 */
export async function createAwsKms(
  { keyId, region, endpoint, credentials }: AwsKmsSettings,
  { timeout_ms = TIMEOUT_MS }: { timeout_ms?: number } = {},
): Promise<MasterKeySource> {
  const { DecryptCommand, GenerateDataKeyWithoutPlaintextCommand, KMSClient } = await import('@aws-sdk/client-kms')
  const client = new KMSClient({
    region,
    ...(endpoint !== null && { endpoint }),
    ...(credentials !== null && { credentials }),
    maxAttempts: TRIES_MAX,
    requestHandler: { connectionTimeout: CONNECT_MS_MAX, requestTimeout: timeout_ms, throwOnRequestTimeout: true },
  })
  const bounded = () => ({ abortSignal: AbortSignal.timeout(TOTAL_MS_MAX) })
  return {
    async unwrap(id, stored) {
      const command = new DecryptCommand({
        KeyId: keyId,
        CiphertextBlob: stored,
        EncryptionContext: encryptionContext(id),
      })
      const { Plaintext } = await client.send(command, bounded()).catch(toError(`open the master key ${id}`))
      return Buffer.from(Plaintext ?? [])
    },
    async make(id) {
      const command = new GenerateDataKeyWithoutPlaintextCommand({
        KeyId: keyId,
        KeySpec: 'AES_256',
        EncryptionContext: encryptionContext(id),
      })
      const { CiphertextBlob } = await client.send(command, bounded()).catch(toError(`make the master key ${id}`))
      return Buffer.from(CiphertextBlob ?? [])
    },
  }
}

/** Names what AWS KMS did not do and its error, without the message, which can contain identifiers of the account. */
const toError =
  (what: string) =>
  (error: unknown): never => {
    const name = error instanceof Error ? error.name : 'an error'
    throw new StartError(
      `AWS KMS did not ${what}: ${name}. Check that it can be reached, and KMS_KEY_ID, KMS_REGION, KMS_ENDPOINT and the KMS keys.`,
    )
  }
