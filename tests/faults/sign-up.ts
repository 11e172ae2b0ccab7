import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, type Member, newMember } from './member.ts'
import { STEPS } from './steps.ts'
import { WALLET_STEPS } from './wallet-steps.ts'

const TIMEOUT_MS = 120_000
const POLL_MS = 200
const PHONE_DIGITS = 7

/** A phone and an IP address of its own. */
export const contactOf = (client: number, count: number) => ({
  phone: `9${String(client).padStart(2, '0')}${String(count).padStart(PHONE_DIGITS, '0')}`,
  address: `10.${client}.${count >> 8}.${count & 255}`,
})

/** Creates a user, onboarded, with a wallet that can be booked. */
export async function signUp(context: Context, contact: Pick<Member, 'phone' | 'address'>): Promise<Member> {
  const deadline = performance.now() + TIMEOUT_MS
  const member = await newMember(context, contact)
  if (!member) throw new Error('a user could not be made')
  const steps = [...STEPS.filter(({ name }) => name === 'onboarding'), ...WALLET_STEPS]
  while (!member.wallet?.isCompleted) {
    if (performance.now() > deadline) throw new Error('a user did not get a wallet in time')
    for (const step of steps) if (step.suits(member)) await step.run(context, member)
    await sleep(POLL_MS)
  }
  return member
}
