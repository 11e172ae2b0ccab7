import { type Settings, WEB_URL } from '../kernel/settings/setting.ts'

/** Settings of the storage of documents, and of backups. */
export const STORAGE_SETTINGS = {
  DOCUMENT_STORAGE: {
    kind: 'choice',
    values: ['folder', 's3'],
    meaning:
      'where uploaded documents are stored, sealed: `folder`, or `s3` for Amazon S3 and compatible ' +
      "servers; on the way there they pass through the system's temporary folder, also sealed",
    fallback: 'folder',
    required: 'in production',
  },
  DOCUMENT_FOLDER: {
    kind: 'text',
    meaning: 'the folder; shared by all processes',
    fallbackText: '`$DATA_DIR/documents`',
  },
  S3_BUCKET: { kind: 'text', meaning: 'the bucket, which must exist', required: 'when `DOCUMENT_STORAGE` is `s3`' },
  S3_REGION: { kind: 'text', meaning: 'its region', required: 'when `DOCUMENT_STORAGE` is `s3`' },
  S3_ENDPOINT: { ...WEB_URL, meaning: 'URL of another S3 server', fallbackText: "Amazon's for the region" },
  S3_FORCE_PATH_STYLE: {
    kind: 'flag',
    meaning: '`true` puts the bucket name into the path instead of the host, as most other servers require',
    fallback: 'false',
  },
  S3_ACCESS_KEY_ID: {
    kind: 'text',
    meaning: 'access key; set both this and the secret, or neither',
    fallbackText: 'found by the SDK, as in the role of the machine',
    secret: true,
  },
  S3_SECRET_ACCESS_KEY: {
    kind: 'text',
    meaning: 'its secret; needs permission to get, put and delete objects and to list the bucket',
    fallbackText: 'found by the SDK',
    secret: true,
  },
  RESTORE_LIST: {
    kind: 'text',
    meaning:
      'a folder, or s3://bucket/prefix and the `S3_…` settings, for the list by which a restored database is shut again; ' +
      'the worker writes it; never with the backups or among the documents',
    fallbackText: '`$DATA_DIR/restore-list`',
  },
  BACKUP_PASSPHRASE: {
    kind: 'text',
    meaning:
      'passphrase of at least 16 characters that `backup` and `restore` of the embedded database need; keep it apart from the backups',
    secret: true,
  },
} as const satisfies Settings
