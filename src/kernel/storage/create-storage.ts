import { createFolderStorage } from './folder-storage.ts'
import { createS3Storage, type S3Settings } from './s3-storage.ts'
import type { Storage } from './storage.ts'

export type StorageSettings = { kind: 'folder'; folder: string } | ({ kind: 's3' } & S3Settings)

/** Opens the configured storage. A folder is created if missing; a bucket must exist, and is not accessed yet. */
export const createStorage = (settings: StorageSettings): Promise<Storage> =>
  settings.kind === 's3' ? createS3Storage(settings) : createFolderStorage(settings)
