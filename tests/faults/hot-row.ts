import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ScenarioContext } from './scenario-context.ts'
import { isAcknowledged } from './journal.ts'
import type { Context, Member, Step } from './member.ts'
import { contactOf, signUp } from './sign-up.ts'
import { renameSponsor, STEPS } from './steps.ts'
import { holdRows } from './stored.ts'
import { book, BOOKING_STEPS } from './wallet-steps.ts'

const WRITES_PER_SECOND = 20
const BYSTANDERS = 4
/** Clients of the load have the numbers below. */
const HOT_CLIENT = 90
const LASTS_MS = 12_000
/** The rows are held from here to there, and free before and after. */
const HELD_FROM_MS = 2_000
const HELD_FOR_MS = 6_000

const BYSTANDER_STEPS = new Set(['token of a known user', 'message', 'read', 'credit', 'dependants'])

/**
 * Writes one wallet and one sponsor twenty times a second each, while another transaction holds both rows for some
 * seconds. Unrelated callers must not notice, and in the end every write is done.
 */
export async function hotRow({ stage, context: common, figures, say }: ScenarioContext): Promise<void> {
  const context = (group: Context['group']) => ({ ...common, group, givesUp: 0, random: common.random.fork(group) })
  const first = context('load')
  const contacts = Array.from({ length: 1 + BYSTANDERS }, (_, count) => contactOf(HOT_CLIENT, count))
  const [hot, ...bystanders] = await Promise.all(contacts.map((contact) => signUp(first, contact)))
  assert(hot)
  const sponsor = await common.tenant.newSponsor('Hot sponsor')
  const from = performance.now()
  const holding = sleep(HELD_FROM_MS).then(() => {
    say(`both rows are held for ${HELD_FOR_MS / 1000} s`)
    return holdRows(stage.databaseUrl, { wallet: hot.userId, sponsor: sponsor.id }, () => sleep(HELD_FOR_MS))
  })
  const steady = (act: () => Promise<void>) => sendSteadily(act, from + LASTS_MS)
  const hotContext = context('hot')
  const bystander = context('bystander')
  await Promise.all([
    holding,
    steady(() => book(hotContext, hot, { type: 'CREDIT', amount: 1 })),
    steady(() => renameSponsor(hotContext, sponsor.id)),
    steady(() => callAsBystander(bystander, bystander.random.pick(bystanders))),
  ])
  const writes = [...common.journal.entries('booking', hot.userId), ...common.journal.entries('sponsor', sponsor.id)]
  figures.hotWrites = { asked: writes.length, done: writes.filter(isAcknowledged).length }
  say(`${figures.hotWrites.done} of ${figures.hotWrites.asked} writes to the hot rows were done`)
}

async function callAsBystander(context: Context, member: Member): Promise<void> {
  const steps: Step[] = [...STEPS, ...BOOKING_STEPS].filter(
    (step) => BYSTANDER_STEPS.has(step.name) && step.suits(member),
  )
  const failed = (error: Error) => void context.traffic.offences.push({ sort: 'refused', text: error.message })
  await context.random.weighted(steps).run(context, member).catch(failed)
}

/** Acts this many times a second, whether or not earlier calls have ended; resolves when all have. */
async function sendSteadily(act: () => Promise<void>, until: number): Promise<void> {
  const acts: Promise<void>[] = []
  for (let due = performance.now(); due < until; due += 1000 / WRITES_PER_SECOND) {
    await sleep(Math.max(0, due - performance.now()))
    acts.push(act())
  }
  await Promise.all(acts)
}
