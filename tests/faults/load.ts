import { setTimeout as sleep } from 'node:timers/promises'
import { type Kit, type Member, newMember } from './member.ts'
import { renameSponsor, STEPS } from './steps.ts'
import { BOOKING_STEPS, WALLET_STEPS } from './wallet-steps.ts'

const CLIENTS = 8
const MEMBERS_AT_FIRST = 3
const MEMBERS_MAX = 40
const NEW_MEMBER = 0.05
const PAUSE_MS_MAX = 60
const PHONE_DIGITS = 7

const ALL = [...STEPS, ...WALLET_STEPS, ...BOOKING_STEPS]

/** Several clients that do what partners and their users do, each for users of its own, one thing after the other. */
export type Load = { members: Member[]; stop(): Promise<void> }

export async function startLoad(kit: Kit): Promise<Load> {
  const loads = await Promise.all(Array.from({ length: CLIENTS }, (_, index) => startClient(kit, index)))
  return {
    get members() {
      return loads.flatMap(({ members }) => members)
    },
    stop: async () => void (await Promise.all(loads.map(({ stop }) => stop()))),
  }
}

async function startClient(common: Kit, index: number): Promise<Load> {
  const kit = { ...common, random: common.random.fork(`client ${index}`) }
  const sponsor = await kit.tenant.newSponsor(`Sponsor ${index}`)
  const members: Member[] = []
  let phones = 0
  const stopping = new AbortController()

  async function act(): Promise<void> {
    const isNew = members.length < MEMBERS_AT_FIRST || (members.length < MEMBERS_MAX && kit.random.chance(NEW_MEMBER))
    if (isNew) {
      const member = await newMember(kit, placeOf(index, phones++))
      if (member) members.push(member)
      return
    }
    if (kit.random.chance(NEW_MEMBER)) return renameSponsor(kit, sponsor.id)
    const member = kit.random.pick(members)
    await kit.random.weighted(ALL.filter((step) => step.suits(member))).run(kit, member)
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await act().catch((error: Error) => kit.traffic.offences.push({ sort: 'refused', text: error.message }))
      await sleep(kit.random.between(0, PAUSE_MS_MAX))
    }
  }

  const running = run()
  return {
    members,
    stop: () => {
      stopping.abort()
      return running
    },
  }
}

/** A phone and a network address that nobody else has. */
export const placeOf = (client: number, count: number) => ({
  phone: `9${String(client).padStart(2, '0')}${String(count).padStart(PHONE_DIGITS, '0')}`,
  address: `10.${client}.${count >> 8}.${count & 255}`,
})
