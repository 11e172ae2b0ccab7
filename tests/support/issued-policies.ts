import type { Offer, TestApp, TestPlatform, TestProvider, TestUser } from './app.ts'

type Status =
  | 'VERIFICATION'
  | 'APPROVED'
  | 'ISSUED'
  | 'REQUIRES_POLICY_REISSUANCE'
  | 'REQUIRES_CUSTOMER_RENEWAL'
  | 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'

export type PolicyScene = {
  platform: TestPlatform
  provider: TestProvider
  user: TestUser
  dependants: string[]
  id: string
  /** Of the policy. */
  address: string
  documents: string
}

/** What an issue needs of somebody who has not completed onboarding. */
const EARLY = { first_name: 'Asha', last_name: 'Early', dob: '1990-05-17' }

type Enrolling = { dependants?: string[]; input?: object; plan?: object[]; isOnboarded?: boolean; offer?: Offer }

/** A family enrolled in a benefit of the offer; the policy is PENDING. */
export async function enrolFamily(
  t: TestApp,
  { dependants = ['Ravi'], input, plan, isOnboarded = true, offer }: Enrolling = {},
): Promise<PolicyScene> {
  const { platform, provider, benefit } = offer ?? (await t.offer(plan))
  const user = isOnboarded ? await t.onboardedUser(platform) : await t.user(platform, EARLY)
  const ids = dependants.length === 0 ? [] : await t.dependants(user, dependants)
  const id = await t.policy(platform, user, benefit, { dependant_ids: ids, ...input })
  const address = `/v1/users/${user.id}/insurance_policies/${id}`
  return { platform, provider, user, dependants: ids, id, address, documents: `${address}/documents` }
}

/** A provider's transitions, one after the other. */
export async function setPolicyStatusTo(
  t: TestApp,
  at: PolicyScene,
  statuses: Status[],
  more: object = {},
): Promise<void> {
  for (const status of statuses) {
    const body = { status, ...(status === statuses.at(-1) && more) }
    await t.made('PUT', `${at.address}/status`, { token: at.provider.token, body })
  }
}

export async function issueToFamily(t: TestApp, enrolling: Enrolling = {}, more: object = {}): Promise<PolicyScene> {
  const at = await enrolFamily(t, enrolling)
  await setPolicyStatusTo(t, at, ['VERIFICATION', 'APPROVED', 'ISSUED'], more)
  return at
}

/** An issue by a provider who has looked at the corrections. */
export async function issueAsCorrected(t: TestApp, { address, provider: { token } }: PolicyScene): Promise<void> {
  const { persons_version } = await t.made('GET', `${address}/status`, { token })
  await t.made('PUT', `${address}/status`, { token, body: { status: 'ISSUED', persons_version } })
}
