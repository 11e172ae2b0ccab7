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
  const kind = reading.choice('DOCUMENT_STORAGE', ['folder', 's3'])
  return kind === 's3' ? s3Settings(reading) : { kind, folder: documentFolder(reading) }
}

const documentFolder = (reading: Reading): string =>
  resolve(reading.text('DOCUMENT_FOLDER', join(readDataDir(reading), 'documents')))

const S3_ADDRESS = /^s3:\/\/([^/]+)\/([a-z0-9_-]+(?:\/[a-z0-9_-]+)*)\/?$/

/** Where the list for restores is: a folder, or a prefix in a bucket. */
export type ListSettings = StorageSettings & { prefix: string }

/** Reads where the list for restores is; never inside what is restored with the database. */
export function restoreListSettings(reading: Reading): ListSettings {
  const { text, errors } = reading
  const settings = listSettings(reading, text('RESTORE_LIST', join(readDataDir(reading), 'restore-list')))
  const isFolder = settings.kind === 'folder' && text('DOCUMENT_STORAGE') !== 's3'
  if (isFolder && `${settings.folder}/`.startsWith(`${documentFolder(reading)}/`))
    errors.push('RESTORE_LIST must not be among the documents: a restore brings those back, too.')
  return settings
}

/** Returns the settings of an address of a list. */
export function listSettings(reading: Reading, address: string): ListSettings {
  if (!address.startsWith('s3:')) return { kind: 'folder', folder: resolve(address), prefix: '' }
  const [, bucket = '', prefix = ''] = S3_ADDRESS.exec(address) ?? []
  if (!BUCKET.test(bucket))
    reading.errors.push(
      'The address of a list in S3 is s3://bucket/prefix, with a prefix of lower-case letters, digits, _, - and /.',
    )
  const [region = ''] = reading.all(['S3_REGION'], 'RESTORE_LIST is in a bucket')
  const forcePathStyle = reading.flag('S3_FORCE_PATH_STYLE', false)
  return { kind: 's3', bucket, region, ...reading.amazon(S3_ACCESS), forcePathStyle, prefix: `${prefix}/` }
}

function s3Settings({ errors, all, amazon, flag }: Reading): Extract<StorageSettings, { kind: 's3' }> {
  const [bucket = '', region = ''] = all(S3_NAMES, 'DOCUMENT_STORAGE is s3')
  if (bucket && !BUCKET.test(bucket))
    errors.push('S3_BUCKET must have 3 to 63 lower-case letters, digits, dots and hyphens.')
  return { kind: 's3', bucket, region, ...amazon(S3_ACCESS), forcePathStyle: flag('S3_FORCE_PATH_STYLE', false) }
}
