import {
  DIAL_CODE,
  type Dependant,
  type Context,
  type Member,
  type Policy,
  read,
  readAll,
  type Step,
  write,
} from './member.ts'
import { PLANS } from './tenant.ts'

const DEPENDANTS_AT_ONCE = 3
const DEPENDANTS_MAX = 20
const COVERED_MAX = 2

/** The next status of a policy, which the benefit provider sets. */
const NEXT_STATUS: Record<string, string> = {
  PENDING: 'VERIFICATION',
  VERIFICATION: 'APPROVED',
  APPROVED: 'ISSUED',
  REQUIRES_POLICY_REISSUANCE: 'ISSUED',
}

const home = ({ userId }: Member) => `/v1/users/${userId}`
const isActive = ({ isRetired }: Member) => !isRetired
const isInsured = (member: Member) => isActive(member) && member.isOnboarded
const movable = ({ policies }: Member) => policies.filter(({ status }) => status in NEXT_STATUS)

/** The steps on the main interface. */
export const STEPS: Step[] = [
  { name: 'token of a known user', weight: 3, suits: () => true, run: repeatRequest },
  { name: 'token with news', weight: 3, suits: (member) => isActive(member) && !member.isOnboarded, run: changeUser },
  { name: 'onboarding', weight: 6, suits: (member) => isActive(member) && !member.isOnboarded, run: onboard },
  {
    name: 'dependants',
    weight: 3,
    suits: (member) => isInsured(member) && member.dependants.length < DEPENDANTS_MAX,
    run: addDependants,
  },
  {
    name: 'correction',
    weight: 3,
    suits: (member) => isInsured(member) && member.dependants.length > 0,
    run: correctDependant,
  },
  {
    name: 'enrolment',
    weight: 4,
    suits: (member) => isInsured(member) && member.plans.length < PLANS.length,
    run: enrol,
  },
  {
    name: 'transition',
    weight: 8,
    suits: (member) => isInsured(member) && movable(member).length > 0,
    run: setPolicyStatus,
  },
  { name: 'message', weight: 6, suits: isInsured, run: talk },
  { name: 'read', weight: 12, suits: () => true, run: readSomething },
]

async function repeatRequest(context: Context, member: Member): Promise<void> {
  const body = { phone_country_code: DIAL_CODE, phone_number: member.phone }
  const clientRequest = {
    group: context.group,
    method: 'POST',
    path: '/v1/auth/token',
    token: await context.tenant.platform(),
    body,
  } as const
  const sent = await context.traffic.send(clientRequest, context.random)
  if (sent.outcome !== 'responded' || sent.reply.status !== 200) return
  if (sent.reply.body.user_id !== member.userId) context.traffic.offend('wrong', clientRequest, sent.reply)
}

async function changeUser(context: Context, { userId, phone }: Member): Promise<void> {
  const email = `${context.random.word()}@example.com`
  await write(context, {
    kind: 'news',
    of: userId,
    name: email,
    isHarmless: true,
    method: 'POST',
    path: '/v1/auth/token',
    token: await context.tenant.platform(),
    body: { phone_country_code: DIAL_CODE, phone_number: phone, email },
  })
}

async function onboard(context: Context, member: Member): Promise<void> {
  const last_name = `Example ${context.random.word()}`
  const done = await write(context, {
    kind: 'onboarding',
    of: member.userId,
    name: last_name,
    isNatural: true,
    method: 'POST',
    path: `${home(member)}/complete_onboarding`,
    token: await context.tenant.platform(),
    body: {
      title: 'MS',
      first_name: 'Asha',
      last_name,
      dob: '1990-05-17',
      gender: 'FEMALE',
      email: `${context.random.word()}@example.com`,
      address: 'Flat 4, Lake View, Pune 411001',
      bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
    },
  })
  member.isOnboarded = done !== undefined
  member.isRetired = done === undefined
}

async function addDependants(context: Context, member: Member): Promise<void> {
  const firstNames = Array.from({ length: context.random.between(1, DEPENDANTS_AT_ONCE) }, () => context.random.word())
  const path = `${home(member)}/dependants`
  const made = await write(context, {
    kind: 'dependants',
    of: member.userId,
    name: firstNames.join(' '),
    isNatural: true,
    method: 'POST',
    path: `${path}/bulk`,
    token: await context.tenant.platform(),
    body: {
      dependants: firstNames.map((first_name) => ({ first_name, last_name: 'Example', date_of_birth: '2015-08-02' })),
    },
    lookUp: async (_, { pending }) => {
      const data = (await readAll(context, path)).filter(({ first_name }) => firstNames.includes(first_name))
      return pending > 0 && data.length === firstNames.length ? { data } : undefined
    },
  })
  for (const { id, first_name: firstName } of made?.data ?? []) member.dependants.push({ id, firstName })
}

async function correctDependant(context: Context, member: Member): Promise<void> {
  const dependant = context.random.pick(member.dependants)
  const last_name = `Example ${context.random.word()}`
  const path = `${home(member)}/dependants`
  const made = await write(context, {
    kind: 'correction',
    of: `${member.userId} ${dependant.firstName}`,
    name: last_name,
    isNatural: true, // a version has one successor
    method: 'PATCH',
    path: `${path}/${dependant.id}`,
    token: await context.tenant.platform(),
    body: { last_name },
    lookUp: async () => (await readAll(context, path)).find((other) => other.last_name === last_name),
  })
  follow(context, member, dependant, made !== undefined)
  if (made) dependant.id = made.id
  else member.isRetired = true
}

/** An issued policy that covers a corrected dependant must be issued again. */
function follow(context: Context, { policies }: Member, dependant: Dependant, isCertain: boolean): void {
  for (const policy of policies) {
    if (policy.status !== 'ISSUED' || !policy.covers.includes(dependant)) continue
    policy.status = 'REQUIRES_POLICY_REISSUANCE'
    const entry = context.journal.begin({ kind: 'transition', of: policy.id, name: policy.status, isOnce: true })
    if (isCertain) entry.state = 'acknowledged'
    else entry.pending = 1
  }
}

async function enrol(context: Context, member: Member): Promise<void> {
  const plan_code = context.random.pick(PLANS.filter((plan) => !member.plans.includes(plan)))
  member.plans.push(plan_code)
  const covers = member.dependants.slice(-context.random.between(0, COVERED_MAX))
  const path = `${home(member)}/insurance_policies`
  const made = await write(context, {
    kind: 'policy',
    of: member.userId,
    name: plan_code,
    isNatural: true,
    method: 'POST',
    path,
    token: await context.tenant.platform(),
    body: {
      benefit_id: context.tenant.benefitId,
      plan_code,
      start_date: new Date().toISOString().slice(0, 10),
      dependant_ids: covers.map(({ id }) => id),
    },
    lookUp: async () => (await readAll(context, path)).find((other) => other.plan_code === plan_code),
  })
  if (made) member.policies.push({ id: made.id, status: 'PENDING', covers })
  // A dependant with an unknown outcome would change its policies unseen.
  else member.isRetired = true
}

async function setPolicyStatus(context: Context, member: Member): Promise<void> {
  const policy: Policy = context.random.pick(movable(member))
  const status = NEXT_STATUS[policy.status] ?? ''
  const wasUnclear = () => context.journal.entries('transition', policy.id).some(({ pending }) => pending > 0)
  const path = `${home(member)}/insurance_policies/${policy.id}/status`
  const { persons_version } = await read(context, path)
  const transitioned = await write(context, {
    kind: 'transition',
    of: policy.id,
    name: status,
    isHarmless: true,
    method: 'PUT',
    path,
    token: await context.tenant.provider(),
    body: { status, persons_version },
    lookUp: async ({ body }) => (wasUnclear() && body.current_state === status ? body : undefined),
  })
  if (transitioned) policy.status = status
  else member.isRetired = true
}

async function talk(context: Context, member: Member): Promise<void> {
  const token = await context.tenant.platform()
  const path = `${home(member)}/consultations`
  const to = { of: member.userId, method: 'POST', token } as const
  const name = context.random.word()
  if (member.talkId === undefined) {
    const body = { benefit_provider_id: context.tenant.providerId }
    member.talkId = (await write(context, { ...to, kind: 'consultation', name, path, body }))?.id
    return
  }
  const body = { body: { content: name, message_type: 'TEXT' } }
  await write(context, { ...to, kind: 'message', name, path: `${path}/${member.talkId}/messages`, body })
}

async function readSomething(context: Context, member: Member): Promise<void> {
  const lists = ['insurance_policies', 'dependants', 'accounts', 'consultations'].map((list) => `/${list}`)
  await read(context, `${home(member)}${context.random.pick(['', ...lists])}`)
}

/** A change that has the same result however often it is made. */
export async function renameSponsor(context: Context, sponsorId: string): Promise<void> {
  const name = `Sponsor ${context.random.word()}`
  await write(context, {
    kind: 'sponsor',
    of: sponsorId,
    name,
    isHarmless: true,
    method: 'PATCH',
    path: `/v1/sponsors/${sponsorId}`,
    token: await context.tenant.platform(),
    body: { name },
  })
}
