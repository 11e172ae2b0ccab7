import assert from 'node:assert/strict'
import type { Caller } from '../../../access/caller.ts'

export const OWNER_KINDS = ['platform', 'provider', 'administrators'] as const
export type OwnerKind = (typeof OWNER_KINDS)[number]

/** The owner of an endpoint. Administrators share theirs, so that one who leaves takes none along. */
export type Owner = { kind: OwnerKind; id: string }

export const ADMINISTRATORS: Owner = { kind: 'administrators', id: 'administrators' }

/** Whether the caller may read the endpoints and deliveries of partners and replay deliveries, in order to help them. */
export const helpsPartners = ({ kind }: Caller): boolean => kind === 'operator' || kind === 'owner'

export const findPlatform = ({ kind, id }: Owner): string | null => (kind === 'platform' ? id : null)

export function ownerOf(caller: Caller): Owner {
  switch (caller.kind) {
    case 'platform':
      return { kind: 'platform', id: caller.platformId }
    case 'provider':
      return { kind: 'provider', id: caller.benefitProviderId }
    case 'viewer':
    case 'operator':
    case 'owner':
      return ADMINISTRATORS
    case 'user':
    case 'wallet_user':
    case 'admin_key':
    case 'anyone':
    case 'system':
      return assert.fail(`${caller.kind} owns no webhook endpoints`)
  }
}
