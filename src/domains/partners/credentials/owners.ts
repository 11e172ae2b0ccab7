import type { Caller } from '../../../access/caller.ts'
import { checkIsOwn } from '../../../access/scope.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { benefitProviderInPath } from '../benefit-providers/index.ts'
import { platformInPath } from '../platforms/index.ts'

export const OWNER_KINDS = ['platform', 'provider'] as const
export type OwnerKind = (typeof OWNER_KINDS)[number]

export type CredentialOwner = { kind: OwnerKind; id: string }

type PlatformParams = { platform_id: string }
type ProviderParams = { benefit_provider_id: string }
type Target<Params> = { deps: { db: Queryable }; request: { caller: Caller }; params: Params }

export const platformIn = ({ platform_id: id }: PlatformParams): CredentialOwner => ({ kind: 'platform', id })
export const providerIn = ({ benefit_provider_id: id }: ProviderParams): CredentialOwner => ({ kind: 'provider', id })

/** Throws 404 `not_found` when the platform in the path does not exist, or is not the calling one. */
export async function ownPlatformIn(call: Target<PlatformParams>): Promise<CredentialOwner> {
  checkIsOwn(call.request.caller, { platformId: call.params.platform_id })
  await platformInPath(call)
  return platformIn(call.params)
}

/** Throws 404 `not_found` when the benefit provider in the path does not exist, or is not the calling one. */
export async function ownProviderIn(call: Target<ProviderParams>): Promise<CredentialOwner> {
  checkIsOwn(call.request.caller, { benefitProviderId: call.params.benefit_provider_id })
  await benefitProviderInPath(call)
  return providerIn(call.params)
}
