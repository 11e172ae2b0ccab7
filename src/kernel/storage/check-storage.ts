import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import type { Storage } from './storage.ts'

/** Nobody waits longer for a storage that does not answer; the first who needs a file will see. */
const PATIENCE_MS = 5_000
/** Of a file that is never stored. */
const MISSING_KEY = 'never-stored'

type Failure = { name?: string; $metadata?: { httpStatusCode?: number } }

/**
 * Asks the storage for a file that is not there. Throws `StartError` when it says that we may not, or that there is no
 * such bucket: that does not mend itself. One that is away is told to `onAway`, for it may come back.
 */
export async function checkStorage(storage: Storage, onAway: (cause: unknown) => void): Promise<void> {
  const asking = storage.get(MISSING_KEY).then(
    () => undefined,
    (error: Error) => error.cause as Failure,
  )
  const failure = await Promise.race([asking, sleep(PATIENCE_MS, { name: 'TimeoutError' }, { ref: false })])
  if (failure === undefined) return
  if (isRefusal(failure)) {
    throw new StartError(
      `The document storage denies access: ${failure.name}. Check S3_BUCKET, S3_REGION, S3_ENDPOINT and the S3 keys.`,
    )
  }
  onAway(failure)
}

function isRefusal({ name, $metadata: { httpStatusCode: status = 0 } = {} }: Failure): boolean {
  return name === 'CredentialsProviderError' || (status >= 300 && status < 500 && status !== 408 && status !== 429)
}
