import { setTimeout as sleep } from 'node:timers/promises'
import type { Ground } from './ground.ts'
import { isAcknowledged } from './journal.ts'
import { placeOf } from './load.ts'
import { type Kit, type Member, newMember, type Step } from './member.ts'
import { renameSponsor, STEPS } from './steps.ts'
import { holdRows } from './stored.ts'
import { book, BOOKING_STEPS, WALLET_STEPS } from './wallet-steps.ts'

const WRITES_PER_SECOND = 20
const BYSTANDERS = 4
/** Clients of the load have the numbers below. */
const HOT_CLIENT = 90
const LASTS_MS = 12_000
/** The rows are held from here to there, and free before and after. */
const HELD_FROM_MS = 2_000
const HELD_FOR_MS = 6_000
const PREPARING_MS = 180_000
const POLL_MS = 200

const BYSTANDER_STEPS = new Set(['token of a known user', 'message', 'read', 'credit', 'dependants'])

/**
 * One wallet and one sponsor are written twenty times a second each, while somebody holds both rows for some seconds.
 * Who has nothing to do with them must not notice, and in the end every write is done.
 */
export async function hotRow({ stage, kit: common, figures, say }: Ground): Promise<void> {
  const kit = (group: Kit['group']) => ({ ...common, group, givesUp: 0, random: common.random.fork(group) })
  const [hot, ...bystanders] = await prepare(kit('load'))
  if (!hot) throw new Error('there is somebody to write for')
  const sponsor = await common.tenant.newSponsor('Hot sponsor')
  const from = performance.now()
  const holding = sleep(HELD_FROM_MS).then(() => {
    say(`both rows are held for ${HELD_FOR_MS / 1000} s`)
    return holdRows(stage.databaseUrl, { wallet: hot.userId, sponsor: sponsor.id }, () => sleep(HELD_FOR_MS))
  })
  const steady = (act: () => Promise<void>) => sendSteadily(act, from + LASTS_MS)
  const hotKit = kit('hot')
  const bystander = kit('bystander')
  await Promise.all([
    holding,
    steady(() => book(hotKit, hot, { type: 'CREDIT', amount: 1 })),
    steady(() => renameSponsor(hotKit, sponsor.id)),
    steady(() => standBy(bystander, bystander.random.pick(bystanders))),
  ])
  const writes = [...common.journal.entries('booking', hot.userId), ...common.journal.entries('sponsor', sponsor.id)]
  figures.hotWrites = { asked: writes.length, done: writes.filter(isAcknowledged).length }
  say(`${figures.hotWrites.done} of ${figures.hotWrites.asked} writes to the hot rows were done`)
}

/** Members with a wallet that takes bookings, and something to read. */
async function prepare(kit: Kit): Promise<Member[]> {
  const deadline = performance.now() + PREPARING_MS
  const onboarding = STEPS.filter(({ name }) => name === 'onboarding')
  const steps = [...onboarding, ...WALLET_STEPS]
  const one = async (count: number): Promise<Member> => {
    const member = await newMember(kit, placeOf(HOT_CLIENT, count))
    if (!member) throw new Error('a user could not be made')
    while (!member.wallet?.isCompleted) {
      if (performance.now() > deadline) throw new Error('a user did not get a wallet in time')
      for (const step of steps) if (step.suits(member)) await step.run(kit, member)
      await sleep(POLL_MS)
    }
    return member
  }
  return Promise.all(Array.from({ length: 1 + BYSTANDERS }, (_, count) => one(count)))
}

async function standBy(kit: Kit, member: Member): Promise<void> {
  const steps: Step[] = [...STEPS, ...BOOKING_STEPS].filter(
    (step) => BYSTANDER_STEPS.has(step.name) && step.suits(member),
  )
  const failed = (error: Error) => void kit.traffic.offences.push({ sort: 'refused', text: error.message })
  await kit.random.weighted(steps).run(kit, member).catch(failed)
}

/** Acts so many times a second, whether what came before has ended or not; resolves when everything has. */
async function sendSteadily(act: () => Promise<void>, until: number): Promise<void> {
  const acts: Promise<void>[] = []
  for (let due = performance.now(); due < until; due += 1000 / WRITES_PER_SECOND) {
    await sleep(Math.max(0, due - performance.now()))
    acts.push(act())
  }
  await Promise.all(acts)
}
