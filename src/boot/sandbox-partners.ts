import type { Actor } from '../access/caller.ts'
import { SANDBOX_PARTNERS } from '../settings/sandbox-partners.ts'
import { hasBenefitProvider, insertBenefitProvider } from '../domains/partners/benefit-providers/index.ts'
import { hasPlatform, insertPlatform } from '../domains/partners/platforms/index.ts'
import { newId } from '../kernel/id.ts'
import { applyWithRetry, type Deps, unchanged } from '../record/index.ts'

const PLAIN = { address: null, colour: null }

/** Creates the partners of the sandbox's people, unless they exist. Processes that start together may all call it. */
export async function createSandboxPartners(deps: Deps): Promise<void> {
  const { db } = deps
  const { platform, provider } = SANDBOX_PARTNERS
  const author: Actor = { caller: { kind: 'system', job: 'sandbox' }, requestId: newId('job') }
  await applyWithRetry<unknown>(deps, author, async ({ at }) =>
    (await hasPlatform(db, platform.id))
      ? unchanged(platform)
      : insertPlatform({ ...platform, defaultAccountType: 'SAVINGS' }, at),
  )
  await applyWithRetry<unknown>(deps, author, async ({ at }) =>
    (await hasBenefitProvider(db, provider.code))
      ? unchanged(provider)
      : insertBenefitProvider({ ...provider, ...PLAIN }, at),
  )
}
