import { join, resolve } from 'node:path'
import type { StorageSettings } from '../kernel/storage/create-storage.ts'
import type { Reading } from './table.ts'

export function auditArchiveDays({ text }: Reading): number | null {
  const days = text('AUDIT_ARCHIVE_DAYS')
  return days === '' ? null : Number(days)
}

export const readDataDir = ({ text }: Reading): string => resolve(text('DATA_DIR'))

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
export function storageSettings(reading: Reading): StorageSettings {
  const { choice, text } = reading
  const inDataDir = join(readDataDir(reading), 'documents')
  const kind = choice('DOCUMENT_STORAGE', ['folder', 's3'])
  return kind === 's3' ? s3Settings(reading) : { kind, folder: resolve(text('DOCUMENT_FOLDER', inDataDir)) }
}

function s3Settings({ errors, all, amazon, flag }: Reading): Extract<StorageSettings, { kind: 's3' }> {
  const [bucket = '', region = ''] = all(S3_NAMES, 'DOCUMENT_STORAGE is s3')
  if (bucket && !BUCKET.test(bucket))
    errors.push('S3_BUCKET must have 3 to 63 lower-case letters, digits, dots and hyphens.')
  return { kind: 's3', bucket, region, ...amazon(S3_ACCESS), forcePathStyle: flag('S3_FORCE_PATH_STYLE', false) }
}
