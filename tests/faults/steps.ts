import {
  DIAL_CODE,
  type Dependant,
  type Kit,
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

/** Where a policy goes from a status; the benefit provider moves it there. */
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

/** What happens on the main interface. */
export const STEPS: Step[] = [
  { name: 'token of a known user', weight: 3, suits: () => true, run: askAgain },
  { name: 'token with news', weight: 3, suits: (member) => isActive(member) && !member.isOnboarded, run: sendNews },
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
  { name: 'move', weight: 8, suits: (member) => isInsured(member) && movable(member).length > 0, run: movePolicy },
  { name: 'message', weight: 6, suits: isInsured, run: talk },
  { name: 'read', weight: 12, suits: () => true, run: readSomething },
]

async function askAgain(kit: Kit, member: Member): Promise<void> {
  const body = { phone_country_code: DIAL_CODE, phone_number: member.phone }
  const asking = {
    group: kit.group,
    method: 'POST',
    path: '/v1/auth/token',
    token: await kit.tenant.platform(),
    body,
  } as const
  const sent = await kit.traffic.send(asking, kit.random)
  if (sent.outcome !== 'answered' || sent.reply.status !== 200) return
  if (sent.reply.body.user_id !== member.userId) kit.traffic.offend('wrong', asking, sent.reply)
}

async function sendNews(kit: Kit, { userId, phone }: Member): Promise<void> {
  const email = `${kit.random.word()}@example.com`
  await write(kit, {
    kind: 'news',
    of: userId,
    name: email,
    isHarmless: true,
    method: 'POST',
    path: '/v1/auth/token',
    token: await kit.tenant.platform(),
    body: { phone_country_code: DIAL_CODE, phone_number: phone, email },
  })
}

async function onboard(kit: Kit, member: Member): Promise<void> {
  const last_name = `Example ${kit.random.word()}`
  const done = await write(kit, {
    kind: 'onboarding',
    of: member.userId,
    name: last_name,
    isNatural: true,
    method: 'POST',
    path: `${home(member)}/complete_onboarding`,
    token: await kit.tenant.platform(),
    body: {
      title: 'MS',
      first_name: 'Asha',
      last_name,
      dob: '1990-05-17',
      gender: 'FEMALE',
      email: `${kit.random.word()}@example.com`,
      address: 'Flat 4, Lake View, Pune 411001',
      bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
    },
  })
  member.isOnboarded = done !== undefined
  member.isRetired = done === undefined
}

async function addDependants(kit: Kit, member: Member): Promise<void> {
  const firstNames = Array.from({ length: kit.random.between(1, DEPENDANTS_AT_ONCE) }, () => kit.random.word())
  const path = `${home(member)}/dependants`
  const made = await write(kit, {
    kind: 'dependants',
    of: member.userId,
    name: firstNames.join(' '),
    isNatural: true,
    method: 'POST',
    path: `${path}/bulk`,
    token: await kit.tenant.platform(),
    body: {
      dependants: firstNames.map((first_name) => ({ first_name, last_name: 'Example', date_of_birth: '2015-08-02' })),
    },
    lookUp: async (_, { unanswered }) => {
      const data = (await readAll(kit, path)).filter(({ first_name }) => firstNames.includes(first_name))
      return unanswered > 0 && data.length === firstNames.length ? { data } : undefined
    },
  })
  for (const { id, first_name: firstName } of made?.data ?? []) member.dependants.push({ id, firstName })
}

async function correctDependant(kit: Kit, member: Member): Promise<void> {
  const dependant = kit.random.pick(member.dependants)
  const last_name = `Example ${kit.random.word()}`
  const path = `${home(member)}/dependants`
  const made = await write(kit, {
    kind: 'correction',
    of: `${member.userId} ${dependant.firstName}`,
    name: last_name,
    isNatural: true, // a version has one successor
    method: 'PATCH',
    path: `${path}/${dependant.id}`,
    token: await kit.tenant.platform(),
    body: { last_name },
    lookUp: async () => (await readAll(kit, path)).find((other) => other.last_name === last_name),
  })
  follow(kit, member, dependant, made !== undefined)
  if (made) dependant.id = made.id
  else member.isRetired = true
}

/** An issued policy that covers a corrected dependant has to be issued again. */
function follow(kit: Kit, { policies }: Member, dependant: Dependant, isCertain: boolean): void {
  for (const policy of policies) {
    if (policy.status !== 'ISSUED' || !policy.covers.includes(dependant)) continue
    policy.status = 'REQUIRES_POLICY_REISSUANCE'
    const entry = kit.journal.begin({ kind: 'move', of: policy.id, name: policy.status, isOnce: true })
    if (isCertain) entry.state = 'acknowledged'
    else entry.unanswered = 1
  }
}

async function enrol(kit: Kit, member: Member): Promise<void> {
  const plan_code = kit.random.pick(PLANS.filter((plan) => !member.plans.includes(plan)))
  member.plans.push(plan_code)
  const covers = member.dependants.slice(-kit.random.between(0, COVERED_MAX))
  const path = `${home(member)}/insurance_policies`
  const made = await write(kit, {
    kind: 'policy',
    of: member.userId,
    name: plan_code,
    isNatural: true,
    method: 'POST',
    path,
    token: await kit.tenant.platform(),
    body: {
      benefit_id: kit.tenant.benefitId,
      plan_code,
      start_date: new Date().toISOString().slice(0, 10),
      dependant_ids: covers.map(({ id }) => id),
    },
    lookUp: async () => (await readAll(kit, path)).find((other) => other.plan_code === plan_code),
  })
  if (made) member.policies.push({ id: made.id, status: 'PENDING', covers })
  // One of which nobody knows would follow its dependants unseen.
  else member.isRetired = true
}

async function movePolicy(kit: Kit, member: Member): Promise<void> {
  const policy: Policy = kit.random.pick(movable(member))
  const status = NEXT_STATUS[policy.status] ?? ''
  const wasUnclear = () => kit.journal.entries('move', policy.id).some(({ unanswered }) => unanswered > 0)
  const moved = await write(kit, {
    kind: 'move',
    of: policy.id,
    name: status,
    isHarmless: true,
    method: 'PUT',
    path: `${home(member)}/insurance_policies/${policy.id}/status`,
    token: await kit.tenant.provider(),
    body: { status },
    lookUp: async ({ body }) => (wasUnclear() && body.current_state === status ? body : undefined),
  })
  if (moved) policy.status = status
  else member.isRetired = true
}

async function talk(kit: Kit, member: Member): Promise<void> {
  const token = await kit.tenant.platform()
  const path = `${home(member)}/consultations`
  const to = { of: member.userId, method: 'POST', token } as const
  const name = kit.random.word()
  if (member.talkId === undefined) {
    const body = { benefit_provider_id: kit.tenant.providerId }
    member.talkId = (await write(kit, { ...to, kind: 'consultation', name, path, body }))?.id
    return
  }
  const body = { body: { content: name, message_type: 'TEXT' } }
  await write(kit, { ...to, kind: 'message', name, path: `${path}/${member.talkId}/messages`, body })
}

async function readSomething(kit: Kit, member: Member): Promise<void> {
  const lists = ['insurance_policies', 'dependants', 'accounts', 'consultations'].map((list) => `/${list}`)
  await read(kit, `${home(member)}${kit.random.pick(['', ...lists])}`)
}

/** A change that leads to the same record however often it is made. */
export async function renameSponsor(kit: Kit, sponsorId: string): Promise<void> {
  const name = `Sponsor ${kit.random.word()}`
  await write(kit, {
    kind: 'sponsor',
    of: sponsorId,
    name,
    isHarmless: true,
    method: 'PATCH',
    path: `/v1/sponsors/${sponsorId}`,
    token: await kit.tenant.platform(),
    body: { name },
  })
}
