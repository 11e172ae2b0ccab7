import { openFolderStorage } from './folder-storage.ts'
import { openS3Storage, type S3Settings } from './s3-storage.ts'
import type { Storage } from './storage.ts'

export type StorageSettings = { kind: 'folder'; folder: string } | ({ kind: 's3' } & S3Settings)

/** The storage that the settings name. A folder is made when it is not there; a bucket must be there. */
export function openStorage(settings: StorageSettings): Promise<Storage> {
  return settings.kind === 'folder' ? openFolderStorage(settings) : openS3Storage(settings)
}
