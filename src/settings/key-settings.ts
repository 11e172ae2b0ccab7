import { SEALINGS } from '../kernel/crypto/vault.ts'
import { type Settings, WEB_URL } from '../kernel/settings/setting.ts'

export const KEY_SETTINGS = {
  SIGNING_KEYS: {
    kind: 'text',
    meaning:
      'JWK set of Ed25519 keys, each with a `kid`; the first is private, the others may be public ' +
      'halves. All verify; the newest private one whose `nbf` (Unix seconds) has passed signs, else ' +
      'the first. `keys rotate-signing` generates the next value',
    fallbackText: '`$DATA_DIR/keys/signing-keys.json`',
    required: 'in production',
    secret: true,
  },
  HASH_KEY: {
    kind: 'text',
    meaning:
      '32 bytes in base64, for the keyed hashes used to look people up; several during a rotation, ' +
      'comma separated: hashes are written with the first and looked up with all',
    fallbackText: '`$DATA_DIR/keys/hash-key`',
    required: 'in production',
    secret: true,
  },
  ADMIN_API_KEYS: {
    kind: 'text',
    meaning:
      '`name:key`, comma separated, keys of at least 16 characters, in production 32; the header ' +
      '`admin-api-key` carries the key only, histories record the name. A key without a name is `unnamed`',
    fallbackText: '`$DATA_DIR/keys/admin-api-key`',
    required: 'in production',
    secret: true,
  },
  MASTER_KEYS: {
    kind: 'text',
    meaning:
      '`id:base64` of 32 bytes, comma separated; the first seals new users, all unseal. After `keys ' +
      'rotate` the others are no longer needed',
    fallbackText: '`$DATA_DIR/keys/master-keys`',
    required: 'in production',
    secret: true,
  },
  MASTER_KEY_SOURCE: {
    kind: 'choice',
    values: ['environment', 'file', 'aws-kms'],
    meaning:
      'where master keys come from: `environment` (`MASTER_KEYS`), `file` (`MASTER_KEYS_FILE`, in the ' +
      'same form), or `aws-kms`: `MASTER_KEYS` then holds `id:base64` as encrypted by AWS KMS; `keys ' +
      'new-master` generates one. KMS is called at the start only; the program does not start without ' +
      'it',
    fallback: 'environment',
  },
  SEALING: {
    kind: 'choice',
    values: SEALINGS,
    meaning:
      'what personal data is encrypted with from now on; what is stored stays readable with either. ' +
      '`xchacha20-poly1305` is faster, but 0.2.0 cannot read it and it is not FIPS-approved',
    fallback: 'aes-256-gcm',
  },
  KMS_KEY_ID: {
    kind: 'text',
    meaning: 'id, ARN or alias of the key in KMS; required with `aws-kms`, as is the next',
    required: 'when `MASTER_KEY_SOURCE` is `aws-kms`',
  },
  KMS_REGION: { kind: 'text', meaning: 'its region', required: 'when `MASTER_KEY_SOURCE` is `aws-kms`' },
  KMS_ENDPOINT: {
    ...WEB_URL,
    meaning: 'URL of another server that speaks the same protocol',
    fallbackText: "Amazon's for the region",
  },
  KMS_ACCESS_KEY_ID: {
    kind: 'text',
    meaning: 'access key; set both this and the secret, or neither',
    fallbackText: 'found by the SDK, as in the role of the machine',
    secret: true,
  },
  KMS_SECRET_ACCESS_KEY: {
    kind: 'text',
    meaning: 'its secret; needs `kms:Decrypt`, and `kms:GenerateDataKeyWithoutPlaintext` for `keys new-master`',
    fallbackText: 'found by the SDK',
    secret: true,
  },
} as const satisfies Settings
