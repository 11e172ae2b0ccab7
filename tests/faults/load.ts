import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, newMember } from './member.ts'
import { contactOf, signUp } from './sign-up.ts'
import { renameSponsor, STEPS } from './steps.ts'
import { BOOKING_STEPS, WALLET_STEPS } from './wallet-steps.ts'

const CLIENTS = 8
const SIGNED_UP_FIRST = 2
const MEMBERS_MAX = 40
const NEW_MEMBER = 0.05
const PAUSE_MS_MAX = 60

const ALL = [...STEPS, ...WALLET_STEPS, ...BOOKING_STEPS]

/** Clients of earlier scenarios of this run; each has users of its own. */
let former = 0

/** Several clients that act as partners and their users, each for users of its own, one call after the other. */
export type Load = { stop(): Promise<void> }

export async function startLoad(context: Context, clients = CLIENTS): Promise<Load> {
  const first = former
  former += clients
  const loads = await Promise.all(Array.from({ length: clients }, (_, index) => startClient(context, first + index)))
  return {
    stop: async () => void (await Promise.all(loads.map(({ stop }) => stop()))),
  }
}

async function startClient(common: Context, index: number): Promise<Load> {
  const context = { ...common, random: common.random.fork(`client ${index}`) }
  const sponsor = await context.tenant.newSponsor(`Sponsor ${index}`)
  // Before anything is broken, so that there are wallets to book on from the first moment.
  const contacts = Array.from({ length: SIGNED_UP_FIRST }, (_, count) => contactOf(index, count))
  const members = await Promise.all(contacts.map((contact) => signUp(context, contact)))
  let phones = contacts.length
  const stopping = new AbortController()

  async function act(): Promise<void> {
    if (members.length < MEMBERS_MAX && context.random.chance(NEW_MEMBER)) {
      const member = await newMember(context, contactOf(index, phones++))
      if (member) members.push(member)
      return
    }
    if (context.random.chance(NEW_MEMBER)) return renameSponsor(context, sponsor.id)
    const member = context.random.pick(members)
    await context.random.weighted(ALL.filter((step) => step.suits(member))).run(context, member)
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await act().catch((error: Error) => context.traffic.offences.push({ sort: 'refused', text: error.message }))
      await sleep(context.random.between(0, PAUSE_MS_MAX))
    }
  }

  const running = run()
  return {
    stop: () => {
      stopping.abort()
      return running
    },
  }
}
