import { createS3Storage } from '../../src/kernel/storage/s3-storage.ts'

/** Where only a busy machine could make an attempt wait. */
const TIMEOUT_MS = 10_000

/** Opens a storage that uses the S3 server at this port. */
export const s3StorageAt = (port: number, timeout_ms = TIMEOUT_MS, deadline_ms = 10 * timeout_ms) =>
  createS3Storage(
    {
      bucket: 'files',
      region: 'ap-south-1',
      endpoint: `http://127.0.0.1:${port}`,
      forcePathStyle: true,
      credentials: { accessKeyId: 'access', secretAccessKey: 'very-secret' },
    },
    { timeout_ms, deadline_ms },
  )
