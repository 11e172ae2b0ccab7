import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { checkAll } from '../faults/invariants.ts'
import { createJournal } from '../faults/journal.ts'
import { startLoad } from '../faults/load.ts'
import type { Context } from '../faults/member.ts'
import { randomFrom } from '../faults/random.ts'
import { startReceivers } from '../faults/receivers.ts'
import { settle } from '../faults/settle.ts'
import { prepareTenant } from '../faults/tenant.ts'
import { createTraffic } from '../faults/traffic.ts'
import { openWebhooks } from '../faults/webhooks.ts'
import { eventually } from '../support/server.ts'
import type { Installation } from './installation.ts'
import type { Program } from './programs.ts'

/** They leave processors to the processes that start meanwhile. */
const CLIENTS = 3
const SEEDS = 1_000_000
/** Enough for each kind of request. */
const REQUESTS_OF_A_PHASE = 100

/** Clients of the fault tests, who here have no reason to see a single failure. */
export async function startWatchedLoad(installation: Installation, program: Program) {
  const seed = String(randomInt(SEEDS))
  const random = randomFrom(seed)
  const log = createWriteStream(join(installation.folder, 'requests.log'))
  installation.closers.push(async () => void log.end())
  const traffic = createTraffic({ apis: [{ origin: installation.origin, frozen_ms: () => 0 }], log })
  const tenant = await prepareTenant(installation.targetOf(program), { traffic, random: random.fork('tenant') })
  const journal = createJournal()
  const { sandboxUrl } = installation.targetOf(program)
  const common = { traffic, journal, tenant, sandboxUrl, random, givesUp: 0 }
  const opened = await startReceivers(random.fork('receivers'))
  installation.closers.push(opened.close)
  // The other one fails now and then, and is called again minutes later.
  const receivers = opened.receivers.filter(({ name }) => name === 'steady')
  const webhooks = await openWebhooks({ ...common, group: 'check' }, receivers)
  const context: Context = { ...common, webhooks, group: 'load' }
  const load = await startLoad(context, CLIENTS)
  installation.closers.push(load.stop)

  const outcomes = () => Object.fromEntries(traffic.outcomes.get('load') ?? [])
  const requests = () => Object.values(outcomes()).reduce((sum, count) => sum + count, 0)
  const failures = () => ({
    outcomes: Object.entries(outcomes()).filter(([outcome]) => !/^[234]\d\d$/.test(outcome) || outcome === '429'),
    offences: traffic.offences.map(({ text }) => text),
  })
  return {
    /** Resolves after some hundred more requests, none of which failed. */
    async goesOn(phase: string): Promise<void> {
      const from = requests()
      await eventually(
        async () => requests(),
        (count) => count >= from + REQUESTS_OF_A_PHASE,
      )
      assert.deepEqual(failures(), { outcomes: [], offences: [] }, `${phase}, seed ${seed}`)
    },
    /** Stops the clients, and checks that every write they got a response for is stored, once, and that nothing else is. */
    async finish(last: Program): Promise<void> {
      await load.stop()
      assert.deepEqual(failures(), { outcomes: [], offences: [] }, `seed ${seed}`)
      const target = installation.targetOf(last)
      const { left } = await settle(target, { ...context, group: 'check' }, () => {})
      assert.equal(left, '', `everything that was begun is finished, seed ${seed}`)
      assert.deepEqual(await checkAll(target, { ...context, group: 'check' }), [], `seed ${seed}`)
      const { acknowledged, unknown } = journal.counts()
      assert(acknowledged > REQUESTS_OF_A_PHASE, `${acknowledged} writes`)
      assert.equal(unknown, 0)
    },
  }
}
