import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { S3Client } from '@aws-sdk/client-s3'
import { createBulkhead } from '../bulkhead.ts'
import { measuredCall } from '../outbound/measured-call.ts'
import type { AmazonAccess } from '../settings/read-settings.ts'
import { assertKey, guarded, orUnavailable, type Storage, writeAll } from './storage.ts'

export type S3Settings = AmazonAccess & {
  bucket: string
  region: string
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`, as most servers other than Amazon's require. */
  forcePathStyle: boolean
}

const TRIES_MAX = 3
const CONNECT_MS_MAX = 2_000
/** How long one try waits for the response to begin, and how long a started response may pause. */
const TIMEOUT_MS = 4_000
/** For all tries together, until a write is done or a read begins: every request ends within 10 s. */
const DEADLINE_MS = 8_000
/** Of a read that has begun: the reader may have a slow connection. */
const READ_MS_MAX = 120_000
/** Each slow reader holds one; with the SDK's default of 50, slow readers would block everybody else. */
const CONNECTIONS_MAX = 500
const FILE_MODE = 0o600
/** Each holds a whole file in memory. */
const WRITES_AT_ONCE = 8
/** Stored files are encrypted. */
const MEDIA_TYPE = 'application/octet-stream'

/**
 * Opens storage in a bucket of Amazon S3 or a compatible server. Loads the SDK only here, because that takes 60 ms. The
 * account needs GetObject, PutObject, DeleteObject and ListBucket; without the last, S3 returns 403 for missing files.
 */
export async function createS3Storage(
  { bucket, region, endpoint, forcePathStyle, credentials }: S3Settings,
  { timeout_ms = TIMEOUT_MS, deadline_ms = DEADLINE_MS }: { timeout_ms?: number; deadline_ms?: number } = {},
): Promise<Storage> {
  const { S3Client, GetObjectCommand, PutObjectCommand, DeleteObjectCommand } = await import('@aws-sdk/client-s3')
  const client = new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(credentials !== null && { credentials }),
    maxAttempts: TRIES_MAX,
    requestHandler: {
      connectionTimeout: CONNECT_MS_MAX,
      requestTimeout: timeout_ms,
      throwOnRequestTimeout: true,
      socketTimeout: timeout_ms,
      httpAgent: { maxSockets: CONNECTIONS_MAX },
      httpsAgent: { maxSockets: CONNECTIONS_MAX },
    },
    // By default, bodies are sent in chunks with a trailing checksum, which servers other than Amazon's reject or store
    // as data. Stored files are encrypted: a changed byte shows when they are opened.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Some servers never respond to `Expect: 100-continue`, sent from 2 MiB on; each file would wait in vain.
    expectContinueHeader: false,
  })

  measureTries(client)

  const writes = createBulkhead({ width: WRITES_AT_ONCE })
  return {
    async put(key, bytes) {
      assertKey(key)
      await collect(bytes, (read) => {
        const abortSignal = AbortSignal.timeout(deadline_ms) // includes the wait for the other writes
        return writes.run(bucket, async () => {
          const command = new PutObjectCommand({
            Bucket: bucket,
            Key: key,
            Body: await read(),
            ContentType: MEDIA_TYPE,
          })
          await client.send(command, { abortSignal })
        })
      })
    },

    async get(key) {
      assertKey(key)
      return await orUnavailable(async () => {
        const command = new GetObjectCommand({ Bucket: bucket, Key: key })
        const begin = new AbortController()
        const timer = setTimeout(() => begin.abort(), deadline_ms)
        const abortSignal = AbortSignal.any([begin.signal, AbortSignal.timeout(READ_MS_MAX)])
        const response = await client
          .send(command, { abortSignal })
          .catch(ignoreMissing)
          .finally(() => clearTimeout(timer))
        return response && guarded(response.Body as Readable)
      })
    },

    async delete(key) {
      assertKey(key)
      await orUnavailable(async () => {
        const command = new DeleteObjectCommand({ Bucket: bucket, Key: key })
        await client.send(command, { abortSignal: AbortSignal.timeout(deadline_ms) }).catch(ignoreMissing)
      })
    },
  }
}

/** Measures each try of a request as a call of its own: innermost, where responses are not parsed yet. */
function measureTries({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    (next) => async (args) => {
      const { method } = args.request as { method: string }
      const { result } = await measuredCall({ company: 'object_storage', method }, async () => {
        const result = await next(args)
        return { status: (result.response as { statusCode: number }).statusCode, result }
      })
      return result
    },
    { step: 'deserialize', priority: 'low' },
  )
}

/**
 * Collects a file before sending, because S3 needs its length, and retries need the bytes: on disk at the sender's
 * pace, and in memory only while S3 receives them. The file is unlinked as soon as it is open, so nothing remains even
 * when the process is killed.
 */
async function collect(
  bytes: AsyncIterable<Uint8Array>,
  send: (read: () => Promise<Buffer>) => Promise<void>,
): Promise<void> {
  const path = join(tmpdir(), `banyan-${randomUUID()}`)
  await using file = await orUnavailable(() => open(path, 'wx+', FILE_MODE))
  await orUnavailable(() => rm(path))
  await writeAll(file, bytes)
  await orUnavailable(() => send(() => buffer(file.createReadStream({ start: 0, autoClose: false }))))
}

/** Returns undefined for a missing file. A missing bucket is a 404 too, and must not look like a missing file. */
function ignoreMissing(error: Error): undefined {
  if (error.name !== 'NoSuchKey') throw error
}
