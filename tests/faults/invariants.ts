import { checkAccounts, checkBookings, checkMoneyEvents, checkWallets } from './check-money.ts'
import {
  checkDependants,
  checkPolicies,
  checkProfiles,
  checkSponsors,
  checkConsultations,
  checkUsers,
} from './check-people.ts'
import { checkCodes, checkHistory, checkLedger, checkPolicyEvents } from './check-records.ts'
import { checkWebhooks } from './check-webhooks.ts'
import { type Finding, readWorld, type World } from './world.ts'
import type { Context } from './member.ts'
import type { Target } from './stage.ts'

/** The conditions at the end, whatever was broken. */
const INVARIANTS: ((world: World) => Finding[] | Promise<Finding[]>)[] = [
  checkUsers,
  checkProfiles,
  checkDependants,
  checkPolicies,
  checkConsultations,
  checkSponsors,
  checkWallets,
  checkAccounts,
  checkBookings,
  checkMoneyEvents,
  checkPolicyEvents,
  checkHistory,
  checkCodes,
  checkWebhooks,
  checkLedger,
]

/** Returns every violated condition. No work may be in progress any more. */
export async function checkAll(stage: Target, context: Context): Promise<Finding[]> {
  const world = await readWorld(stage, context)
  const findings: Finding[] = []
  for (const check of INVARIANTS) findings.push(...(await check(world)))
  return findings
}
