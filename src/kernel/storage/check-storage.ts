import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import type { Storage } from './storage.ts'

/** The start does not wait longer for an unresponsive storage. */
const TIMEOUT_MS = 5_000
const MISSING_KEY = 'never-stored'

type Failure = { name?: string; $metadata?: { httpStatusCode?: number } }

/**
 * Requests a missing file from the storage. Throws `StartError` when access is denied or the bucket does not exist,
 * which retries would not fix. Calls `onUnreachable` for any other failure, which may be temporary.
 */
export async function checkStorage(storage: Storage, onUnreachable: (cause: unknown) => void): Promise<void> {
  const request = storage.get(MISSING_KEY).then(
    () => undefined,
    (error: Error) => error.cause as Failure,
  )
  const failure = await Promise.race([request, sleep(TIMEOUT_MS, { name: 'TimeoutError' }, { ref: false })])
  if (failure === undefined) return
  if (isPermanent(failure)) {
    throw new StartError(
      `The document storage denies access: ${failure.name}. Check S3_BUCKET, S3_REGION, S3_ENDPOINT and the S3 keys.`,
    )
  }
  onUnreachable(failure)
}

function isPermanent({ name, $metadata: { httpStatusCode: status = 0 } = {} }: Failure): boolean {
  return name === 'CredentialsProviderError' || (status >= 300 && status < 500 && status !== 408 && status !== 429)
}
