import { createFolderStorage } from './folder-storage.ts'
import { createS3Storage, type S3Settings } from './s3-storage.ts'
import type { Storage } from './storage.ts'

export type StorageSettings = { kind: 'folder'; folder: string } | ({ kind: 's3' } & S3Settings)

/** Opens the configured storage. A folder is created if missing; a bucket must exist, and is not accessed yet. */
export const createStorage = (settings: StorageSettings): Promise<Storage> =>
  settings.kind === 's3' ? createS3Storage(settings) : createFolderStorage(settings)

/** Files below a prefix of a storage, which is opened when the first is read or written, and again after that has failed. */
export function createStorageBelow({
  prefix,
  ...settings
}: StorageSettings & { prefix: string }): Pick<Storage, 'get' | 'put'> {
  let opened: Promise<Storage> | undefined
  const open = () =>
    (opened ??= createStorage(settings).catch((error: unknown) => {
      opened = undefined
      throw error
    }))
  return {
    get: async (key) => (await open()).get(`${prefix}${key}`),
    put: async (key, bytes) => (await open()).put(`${prefix}${key}`, bytes),
  }
}
