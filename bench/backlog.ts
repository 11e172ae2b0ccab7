import { onlyRow, statement } from '../src/kernel/db/database.ts'
import type { BenchContext, Options, Part } from './part.ts'
import { type Compared, comparedLine, comparedReport, openSteadyLoad, rest } from './steady-load.ts'
import { until } from './until.ts'
import { openWebhooks, startSender } from './webhooks.ts'

const EVENTS = 100_000
const BATCH = 10_000
const RATIO_MAX = 1.5
const TIMEOUT_MS = 180_000

/** An endpoint that is down must not slow down the API, whatever waits for it. */
export const backlog: Part = {
  name: 'backlog',
  is: '100,000 events that wait for an endpoint which is down, and listing policies meanwhile',
  run,
}

const WAITING = statement(
  'bench_waiting',
  `select count(*)::int as count from webhook_deliveries where status = 'PENDING'`,
)

async function run(context: BenchContext, { rounds, seconds }: Options): Promise<string> {
  const { stage, say } = context
  const { db, receiver, emit } = await openWebhooks(context)
  receiver.fail()
  const worker = await startSender(stage)
  const load = await openSteadyLoad(context)
  const measure = async () => {
    const figures = []
    for (let round = 0; round < rounds; round++) figures.push(await load.measure(() => rest(seconds)))
    return figures
  }
  const atRest = await measure()
  for (let count = 0; count < EVENTS; count += BATCH) await emit(BATCH)
  const isWaiting = async () => onlyRow(await db.query<{ count: number }>(WAITING)).count >= EVENTS
  await until(TIMEOUT_MS, isWaiting)
  const compared: Compared[] = (await measure()).map((meanwhile, round) => ({
    atRest: atRest[round] ?? meanwhile,
    meanwhile,
  }))
  await worker.stop()
  for (const one of compared) say(`  ${comparedLine(one)}`)
  return [`${EVENTS} events wait`, ...comparedReport(compared, RATIO_MAX)].join('\n')
}
