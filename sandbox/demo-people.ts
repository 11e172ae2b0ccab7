import {
  Banyan,
  type BenefitId,
  type BenefitProviderId,
  benefitProviderId,
  type DependantId,
  Money,
  type PlainDate,
  type PlatformId,
  platformId,
  type SetInsurancePolicyStatusRequest,
  type UserId,
} from '../client/src/index.ts'
import { Sandbox } from '../client/src/sandbox.ts'
import { type DemoTarget, firstOfThisMonth, makeSponsor, newCredential, newPhone, openWallet, plan } from './demo.ts'
import { DEMO_ADDRESSES, DEMO_NAMES } from './demo-names.ts'

type PeopleSettings = DemoTarget & { count: number; onProgress: (done: number, all: number) => void }

/** People made at the same time: the platform's own limit is far higher. */
const AT_A_TIME = 6
const CALL_TIMEOUT_MS = 60_000
/** Every so manyth person has one. */
const CONSULTATION_EVERY = 4
const WALLET_EVERY = 5
const FAMILY_EVERY = 3

type Step = SetInsurancePolicyStatusRequest['status']

/** A state as the steps that lead to it; the shares are those of a working insurer. */
const WAYS: readonly { share: number; steps: readonly Step[] }[] = [
  { share: 14, steps: [] },
  { share: 12, steps: ['VERIFICATION'] },
  { share: 8, steps: ['VERIFICATION', 'APPROVED'] },
  { share: 44, steps: ['VERIFICATION', 'APPROVED', 'ISSUED'] },
  { share: 6, steps: ['VERIFICATION', 'APPROVED', 'ISSUED', 'REQUIRES_POLICY_REISSUANCE'] },
  { share: 6, steps: ['VERIFICATION', 'APPROVED', 'ISSUED', 'REQUIRES_CUSTOMER_RENEWAL'] },
  { share: 4, steps: ['VERIFICATION', 'APPROVED', 'ISSUED', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'] },
  { share: 3, steps: ['VERIFICATION', 'APPROVED', 'ISSUED', 'EXPIRED'] },
  { share: 3, steps: ['VERIFICATION', 'REJECTED'] },
]

const REASONS: Partial<Record<Step, string>> = {
  REJECTED: 'The declaration is incomplete.',
  EXPIRED: 'Left the company.',
  REQUIRES_POLICY_REISSUANCE: 'A name was misspelt.',
}

/** Returns the way of a person by number, so that each state has its share of any hundred. */
function wayOf(number: number): readonly Step[] {
  let left = (number * 37) % 100 // spread over the list
  return WAYS.find(({ share }) => (left -= share) < 0)?.steps ?? []
}

const QUESTIONS = ['Does anyone in the family smoke?', 'Has anyone been in hospital in the last two years?']
const COMPLAINTS = ['नमस्ते, दो दिन से बुखार है।', 'எனக்கு இருமல் இருக்கிறது.', 'My knee hurts when I climb stairs.']

type Desk = { owner: Banyan; platform: Banyan; provider: Banyan; sandbox: Sandbox; benefits: readonly BenefitId[] }

/**
 * Fills the platform of the sandbox's people with so many of them: families, policies in every state, accounts,
 * consultations, wallets and a webhook endpoint. Made in parallel, as far as limits go.
 */
export async function makePeople(settings: PeopleSettings): Promise<{ userIds: UserId[] }> {
  const { origin, sandboxUrl, ownerToken, partners, count, onProgress } = settings
  const owner = new Banyan({
    accessToken: ownerToken,
    baseUrl: origin,
    timeout: CALL_TIMEOUT_MS,
    // An installation may require one of administrators.
    onRequest: () => ({ purpose: 'Filling the demo' }),
  })
  const ids = { platformId: platformId(partners.platformId), providerId: benefitProviderId(partners.providerId) }
  const platform = owner.as({ basicToken: (await newCredential(owner.platforms, ids.platformId)).basic_token })
  const provider = owner.as({ basicToken: (await newCredential(owner.benefitProviders, ids.providerId)).basic_token })
  const sandbox = new Sandbox(sandboxUrl)
  const benefits = await makeBenefits(owner, ids)
  await platform.webhookEndpoints.create({
    url: sandbox.webhooks('demo').url,
    event_types: ['policy.*', 'wallet.*'],
    description: 'Demo',
  })
  const desk = { owner, platform, provider, sandbox, benefits }
  const userIds: UserId[] = []
  let next = 0
  const work = async () => {
    for (let number = next++; number < count; number = next++) {
      userIds.push(await makePerson(desk, { number, ...ids }))
      onProgress(userIds.length, count)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return { userIds }
}

type Ids = { platformId: PlatformId; providerId: BenefitProviderId }

async function makeBenefits(owner: Banyan, { platformId, providerId }: Ids): Promise<BenefitId[]> {
  const sponsor = await makeSponsor(owner, platformId)
  const about = { benefit_provider_id: providerId, sponsor_id: sponsor.id }
  const plans = [
    {
      name: 'Family health cover',
      plans: [plan('FAMILY_5L', '12045', '6022.50'), plan('FAMILY_10L', '18250', '6022.50')],
    },
    { name: 'Personal accident cover', plans: [plan('ACCIDENT_10L', '1825', '1825')] },
  ]
  return Promise.all(plans.map(async (benefit) => (await owner.benefits.create({ ...about, ...benefit })).id))
}

type Person = Ids & { number: number }

async function makePerson(desk: Desk, { number, platformId, providerId }: Person): Promise<UserId> {
  const { platform, provider } = desk
  const [given = '', family = ''] = DEMO_NAMES[number % DEMO_NAMES.length] ?? []
  const phone = newPhone()
  const { user_id: id } = await platform.users.issueToken({
    id_proof: { number: `DEMO${phone.phone_number}` },
    ...phone,
  })
  const { access_token } = await platform.user(id).completeOnboarding({
    title: number % 2 === 0 ? 'MS' : 'MR',
    first_name: given,
    last_name: family,
    dob: birthday(number, 1965),
    gender: number % 2 === 0 ? 'FEMALE' : 'MALE',
    email: `person${number}@example.com`,
    address: DEMO_ADDRESSES[number % DEMO_ADDRESSES.length] ?? DEMO_ADDRESSES[0],
    bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
  })
  const dependantIds = number % FAMILY_EVERY === 0 ? await makeFamily(platform, { id, number, family }) : []
  await makePolicy(desk, { id, number, dependantIds })
  const user = desk.owner.as({ accessToken: access_token })
  if (number % CONSULTATION_EVERY === 0) {
    const { consultations } = user.user(id)
    const { id: consultation } = await consultations.create({ benefit_provider_id: providerId })
    const content = COMPLAINTS[number % COMPLAINTS.length] ?? ''
    await consultations.createMessage(consultation, { body: { content, message_type: 'TEXT' } })
    if (number % (2 * CONSULTATION_EVERY) === 0) {
      const answer = { content: 'Since when, and how strong is it?', message_type: 'TEXT' } as const
      await provider.user(id).consultations.createMessage(consultation, { body: answer })
    }
  }
  if (number % WALLET_EVERY === 0) {
    const { session } = await openWallet(desk, { platformId, phone })
    await session.waitUntilReady({ timeout: CALL_TIMEOUT_MS })
    await platform
      .user(id)
      .wallet.credit(Money.rupees('1250'), { reference: 'demo-allowance', description: 'Allowance' })
  }
  return id
}

const birthday = (number: number, from: number) =>
  `${from + (number % 40)}-${String(1 + (number % 12)).padStart(2, '0')}-${String(1 + (number % 28)).padStart(2, '0')}` as PlainDate

async function makeFamily(platform: Banyan, { id, number, family }: { id: UserId; number: number; family: string }) {
  const names = DEMO_NAMES.filter(([, last]) => last === family)
  const { data } = await platform.user(id).dependants.create({
    dependants: [1, 2].map((step) => ({
      first_name: names[(number + step) % names.length]?.[0] ?? '',
      last_name: family,
      date_of_birth: birthday(number * step, step === 1 ? 1966 : 1984),
    })),
  })
  return data.map(({ id }) => id)
}

type Enrolled = { id: UserId; number: number; dependantIds: DependantId[] }

async function makePolicy(desk: Desk, { id, number, dependantIds }: Enrolled): Promise<void> {
  const isAccident = number % 6 === 5
  const { policies } = desk.platform.user(id)
  const policy = await policies.enrol({
    benefit_id: desk.benefits[isAccident ? 1 : 0] as BenefitId,
    plan_code: isAccident ? 'ACCIDENT_10L' : number % 2 === 0 ? 'FAMILY_5L' : 'FAMILY_10L',
    start_date: firstOfThisMonth(),
    dependant_ids: dependantIds,
    questionnaire: {
      questions: QUESTIONS.map((question, index) => ({ question, answer: (number + index) % 3 === 0 })),
    },
  })
  for (const status of wayOf(number)) {
    const who = status === 'REQUIRES_CUSTOMER_RENEWAL' ? desk.owner : desk.provider
    await who.user(id).policies.setStatus(policy.id, {
      status,
      ...(status === 'ISSUED' && { external_policy_id: `DEMO-2026-${String(number).padStart(6, '0')}` }),
      reason: REASONS[status] ?? 'Done by the demo.',
    })
  }
}
