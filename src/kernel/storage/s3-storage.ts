import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { assertKey, guarded, orUnavailable, type Storage, writeAll } from './storage.ts'

export type S3Settings = {
  bucket: string
  region: string
  /** null: Amazon's own for the region. */
  endpoint: string | null
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`, as most servers other than Amazon's want it. */
  forcePathStyle: boolean
  /** null: where the SDK looks by itself, such as the role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

const TRIES_MAX = 3
const CONNECT_MS_MAX = 2_000
/** How long one try waits for the answer to begin, and how long a response that has begun may pause. */
const PATIENCE_MS = 10_000
/** For all tries together; of a reading also for the reader, who may have a slow line. */
const WRITE_MS_MAX = 25_000
const READ_MS_MAX = 120_000
/** Each slow reader holds one; the SDK's 50 would let so many of them keep everybody else waiting. */
const CONNECTIONS_MAX = 500
const FILE_MODE = 0o600
const WRITES_AT_ONCE = 8
/** What is stored is sealed. */
const MEDIA_TYPE = 'application/octet-stream'

/**
 * Files in a bucket of Amazon S3, or of what speaks its language. The SDK is loaded here alone, because that takes 60 ms.
 * The account needs GetObject, PutObject, DeleteObject and ListBucket; without the last, S3 returns 403 for what is missing.
 */
export async function openS3Storage(
  { bucket, region, endpoint, forcePathStyle, credentials }: S3Settings,
  { timeout_ms = PATIENCE_MS }: { timeout_ms?: number } = {},
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
    // Otherwise bodies are sent in chunks with a checksum behind them, which servers other than Amazon's refuse or store
    // as they are. What is stored is sealed: a changed byte shows when it is opened.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Some servers never answer `Expect: 100-continue`, which is sent from 2 MiB on; each file would wait in vain.
    expectContinueHeader: false,
  })

  const inTurn = turns(WRITES_AT_ONCE)
  return {
    async put(key, bytes) {
      assertKey(key)
      await collect(bytes, (read) =>
        inTurn(async () => {
          const command = new PutObjectCommand({
            Bucket: bucket,
            Key: key,
            Body: await read(),
            ContentType: MEDIA_TYPE,
          })
          await client.send(command, { abortSignal: AbortSignal.timeout(WRITE_MS_MAX) })
        }),
      )
    },

    async get(key) {
      assertKey(key)
      return await orUnavailable(async () => {
        const command = new GetObjectCommand({ Bucket: bucket, Key: key })
        const response = await client
          .send(command, { abortSignal: AbortSignal.timeout(READ_MS_MAX) })
          .catch(ignoreMissing)
        return response && guarded(response.Body as Readable)
      })
    },

    async delete(key) {
      assertKey(key)
      await orUnavailable(async () => {
        const command = new DeleteObjectCommand({ Bucket: bucket, Key: key })
        await client.send(command, { abortSignal: AbortSignal.timeout(WRITE_MS_MAX) }).catch(ignoreMissing)
      })
    },
  }
}

/**
 * S3 wants to know the length beforehand, and a second try needs the bytes again, so they are collected: on the disk at
 * the pace of whoever sends them, and in memory only while S3 takes them. The file loses its name as soon as it is open,
 * so nothing stays even when the process is killed.
 */
async function collect(
  bytes: AsyncIterable<Uint8Array>,
  send: (read: () => Promise<Buffer>) => Promise<void>,
): Promise<void> {
  const path = join(tmpdir(), `banyan-${randomUUID()}`)
  const file = await orUnavailable(() => open(path, 'wx+', FILE_MODE))
  try {
    await orUnavailable(() => rm(path))
    await writeAll(file, bytes)
    await orUnavailable(() => send(() => buffer(file.createReadStream({ start: 0, autoClose: false }))))
  } finally {
    await file.close()
  }
}

/** So many at a time, the others in turn: each holds a whole file in memory. */
function turns(atOnce: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work: () => Promise<void>): Promise<void> => {
    if (running >= atOnce) await new Promise<void>((begin) => waiting.push(begin))
    else running++
    try {
      await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

/** A missing bucket is a 404 as well, and must not pass for a missing file. */
function ignoreMissing(error: Error): undefined {
  if (error.name !== 'NoSuchKey') throw error
}
