import { join, resolve } from 'node:path'
import type { Reading } from '../kernel/settings/read-settings.ts'
import type { StorageSettings } from '../kernel/storage/create-storage.ts'
import type { SERVER_SETTINGS } from './server-settings.ts'
import type { STORAGE_SETTINGS } from './storage-settings.ts'

type StorageReading = Reading<keyof typeof SERVER_SETTINGS | keyof typeof STORAGE_SETTINGS>

/** Returns after how many whole days sealed batches of the audit are archived; null: they are not. */
export function auditArchiveDays({ text }: Reading<'AUDIT_ARCHIVE_DAYS'>): number | null {
  const days = text('AUDIT_ARCHIVE_DAYS')
  return days === '' ? null : Number(days)
}

/** Returns the folder of data. */
export const dataDirOf = ({ text }: StorageReading): string => resolve(text('DATA_DIR'))

const S3_NAMES = ['S3_BUCKET', 'S3_REGION'] as const
const S3_ACCESS = {
  endpoint: 'S3_ENDPOINT',
  accessKeyId: 'S3_ACCESS_KEY_ID',
  secretAccessKey: 'S3_SECRET_ACCESS_KEY',
} as const
/** The bucket names that Amazon accepts. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/**
 * Reads the storage of documents: by default a folder; production must choose, because a container's folders are lost.
 */
export function storageSettings(reading: StorageReading): StorageSettings {
  const { choice, text } = reading
  const inDataDir = join(dataDirOf(reading), 'documents')
  const kind = choice('DOCUMENT_STORAGE', { fallback: 'folder', values: ['folder', 's3'] })
  return kind === 's3' ? s3Settings(reading) : { kind, folder: resolve(text('DOCUMENT_FOLDER', inDataDir)) }
}

function s3Settings({ errors, all, amazon, flag }: StorageReading): Extract<StorageSettings, { kind: 's3' }> {
  const [bucket = '', region = ''] = all(S3_NAMES, 'DOCUMENT_STORAGE is s3')
  if (bucket && !BUCKET.test(bucket))
    errors.push('S3_BUCKET must have 3 to 63 lower-case letters, digits, dots and hyphens.')
  return { kind: 's3', bucket, region, ...amazon(S3_ACCESS), forcePathStyle: flag('S3_FORCE_PATH_STYLE', false) }
}
