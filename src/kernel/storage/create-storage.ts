import { createFolderStorage } from './folder-storage.ts'
import { createS3Storage, type S3Settings } from './s3-storage.ts'
import type { Storage } from './storage.ts'

export type StorageSettings = { kind: 'folder'; folder: string } | ({ kind: 's3' } & S3Settings)

type Kind = StorageSettings['kind']
type SettingsOf<K extends Kind> = Extract<StorageSettings, { kind: K }>

const STORAGES: { [K in Kind]: (settings: SettingsOf<K>) => Promise<Storage> } = {
  folder: createFolderStorage,
  s3: createS3Storage,
}

/** Opens the configured storage. A folder is created if missing; a bucket must exist, and is not accessed yet. */
export const createStorage = <K extends Kind>(settings: SettingsOf<K>): Promise<Storage> =>
  STORAGES[settings.kind](settings)
