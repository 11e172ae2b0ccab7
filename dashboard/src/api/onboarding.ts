import type { PlatformId } from '@banyan/client'
import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { credentialsQuery } from './credentials.ts'
import { may } from './rights.ts'
import type { Role } from './roles.ts'

/** Where a partner begins has few of each. */
const PAGE = 100

export const STEPS = ['sponsor', 'benefit', 'provider', 'credential', 'webhooks'] as const
export type Step = (typeof STEPS)[number]

/** `unknown`: the role may not read it. `waits`: it is there, but cannot be used yet. */
export type StepState = 'done' | 'missing' | 'waits' | 'unknown'

export const ONBOARDING_KEY = ['onboarding'] as const

/** What a platform has of what its first policy needs. */
export const onboardingQuery = (id: PlatformId, role: Role) =>
  queryOptions({
    queryKey: [...ONBOARDING_KEY, id],
    queryFn: async ({ signal, client }): Promise<Record<Step, StepState>> => {
      const page = { platform_id: id, limit: PAGE }
      const mayReadWebhooks = may(role, 'replayWebhookEvents')
      const credentialsOf = (kind: 'platform' | 'benefit_provider', owner: string) =>
        client.fetchQuery(credentialsQuery({ kind, id: owner }))
      const [sponsors, benefits, own, endpoints] = await Promise.all([
        banyan.sponsorNames.list(page, { signal }),
        banyan.benefits.list(page, { signal }),
        credentialsOf('platform', id),
        mayReadWebhooks ? banyan.webhookEndpoints.list({ owner: id, limit: PAGE }, { signal }) : undefined,
      ])
      const active = new Set<string>(sponsors.data.filter(({ status }) => status === 'ACTIVE').map((one) => one.id))
      const usable = benefits.data.filter(({ sponsor_id: sponsor, plans }) => active.has(sponsor) && plans.length > 0)
      const providers = [...new Set(usable.map((benefit) => benefit.benefit_provider_id))]
      const theirs = await Promise.all(providers.map((provider) => credentialsOf('benefit_provider', provider)))
      const anyActive = endpoints?.data.some(({ status }) => status === 'ACTIVE') ?? false
      return {
        sponsor: stateOf(active.size > 0, sponsors.data.length > 0),
        benefit: stateOf(usable.length > 0, benefits.data.length > 0),
        provider: stateOf(
          theirs.some((one) => one.length > 0),
          false,
        ),
        credential: stateOf(own.length > 0, false),
        webhooks: endpoints === undefined ? 'unknown' : stateOf(anyActive, endpoints.data.length > 0),
      }
    },
  })

const stateOf = (isDone: boolean, isThere: boolean): StepState => (isDone ? 'done' : isThere ? 'waits' : 'missing')
