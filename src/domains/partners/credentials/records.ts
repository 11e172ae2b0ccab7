import { type Static, Type } from 'typebox'
import {
  bytes,
  columns,
  flag,
  instant,
  integer,
  nullable,
  oneOf,
  type RecordOf,
  text,
  texts,
  time,
} from '../../../kernel/db/columns.ts'
import { Nullable, PathId, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { BenefitProviderPath } from '../benefit-providers/index.ts'
import { PlatformPath } from '../platforms/index.ts'

const OWNER_KINDS = ['platform', 'provider'] as const

export type CredentialOwner = { kind: (typeof OWNER_KINDS)[number]; id: string }
export type PlatformParams = { platform_id: string }
export type ProviderParams = { benefit_provider_id: string }

export const platformIn = ({ platform_id: id }: PlatformParams): CredentialOwner => ({ kind: 'platform', id })
export const providerIn = ({ benefit_provider_id: id }: ProviderParams): CredentialOwner => ({ kind: 'provider', id })

export const CREDENTIAL = columns('c', {
  id: text('credential_id'),
  createdAt: time('created_at'),
  expiresAt: nullable(time('expires_at')),
  ipAllowList: nullable(texts('ip_allow_list')),
  lastUsedAt: nullable(time('last_used_at')),
})
export type Credential = RecordOf<typeof CREDENTIAL>

/** A credential's place among the limited number of its owner. */
export const USED_SLOT = columns('c', {
  credentialId: text('credential_id'),
  slot: integer('slot'),
  expiresAt: nullable(instant('expires_at')),
})
export type UsedSlot = RecordOf<typeof USED_SLOT>

/** A credential as its secret is checked, and its owner. */
export const PRESENTED = columns('c', {
  kind: oneOf('owner_kind', OWNER_KINDS),
  ownerId: text('owner_id'),
  secretHash: bytes('secret_hash'),
  expiresAt: nullable(instant('expires_at')),
  ipAllowList: nullable(texts('ip_allow_list')),
})
export const OWNER = columns('o', { enabled: flag('enabled'), epoch: integer('epoch') })
export type PresentedCredential = RecordOf<typeof PRESENTED> & RecordOf<typeof OWNER>

export const CredentialRecord = record(
  'Credential',
  {
    credential_id: Type.String(),
    created_at: Timestamp('Time of creation'),
    expires_at: Nullable(Timestamp('Time of expiry')),
    ip_allow_list: Nullable(Type.Array(Type.String(), { description: 'Networks it may be used from' })),
    last_used_at: Nullable(Timestamp('Last use of it or of an access token issued through it, to the minute')),
  },
  {
    description: 'A live credential, without its secret',
    examples: [
      {
        credential_id: 'crd_06bnv3m2r8f1s4k7q9t3v6w0y2',
        created_at: '2026-04-01T09:30:00',
        expires_at: '2027-04-01T00:00:00',
        ip_allow_list: ['203.0.113.0/24', '2001:db8::/32'],
        last_used_at: '2026-04-02T11:05:00',
      },
    ],
  },
)

export const CredentialList = record(
  'CredentialList',
  { credentials: Type.Array(Type.Object({ credential_id: Type.String() })) },
  {
    description: 'Live credentials, newest first, without secrets',
    examples: [{ credentials: [{ credential_id: 'crd_06bnv3m2r8f1s4k7q9t3v6w0y2' }] }],
  },
)

export const Revocation = record(
  'Revocation',
  { revoked: Type.Boolean({ description: 'False when the credential does not exist, which is not an error' }) },
  { description: 'Whether a credential was revoked', examples: [{ revoked: true }] },
)

export const presentIds = (ids: readonly string[]) => ({ credentials: ids.map((credential_id) => ({ credential_id })) })

const presentCredential = (credential: Credential): Static<typeof CredentialRecord> => ({
  credential_id: credential.id,
  created_at: credential.createdAt,
  expires_at: credential.expiresAt,
  ip_allow_list: credential.ipAllowList,
  last_used_at: credential.lastUsedAt,
})

/** A constant revision: only use changes a credential, and the record shows it. */
export const versionOf = (credential: Credential) => ({ record: presentCredential(credential), revision: 1 })

export const credentialEvent = ({ kind, id }: CredentialOwner, credentialId: string) => ({
  platformId: kind === 'platform' ? id : null,
  data: { credential_id: credentialId, owner_kind: kind, owner_id: id },
})

export const tags = ['Credentials']
const credential = { credential_id: PathId('As returned at creation') }
export const PlatformCredentialPath = Type.Object({ ...PlatformPath.properties, ...credential })
export const BenefitProviderCredentialPath = Type.Object({ ...BenefitProviderPath.properties, ...credential })
