/**
 * The partners of the sandbox's people `desk` and `support`, created at every start outside production that misses them. A
 * platform has nothing but its id to be named by in settings, so the id is fixed.
 */
export const SANDBOX_PARTNERS = {
  platform: { id: 'plt_00000000000000000000000001', name: 'Demo Platform' },
  provider: { id: 'bpr_00000000000000000000000001', name: 'Demo General Insurance', code: 'DEMO_INSURER' },
} as const

/** The roles at the sandbox's identity provider of people of these partners, as `OIDC_ROLES` has them. */
export const SANDBOX_PARTNER_ROLES = [
  `desk=benefit_provider:${SANDBOX_PARTNERS.provider.code}`,
  `support=platform:${SANDBOX_PARTNERS.platform.id}`,
]
