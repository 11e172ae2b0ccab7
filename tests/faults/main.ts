import { randomInt } from 'node:crypto'
import { createWriteStream, type WriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import type { Figures, ScenarioContext } from './scenario-context.ts'
import { checkAll } from './invariants.ts'
import { createJournal } from './journal.ts'
import type { Context } from './member.ts'
import { randomFrom } from './random.ts'
import { isPassed, markdownOf, type Outcome, reportOf, tablesOf } from './report.ts'
import { DISK_FULL, SCENARIOS, USUAL } from './scenarios.ts'
import { settle } from './settle.ts'
import { type Closers, openStage, type Stage } from './stage.ts'
import { prepareTenant } from './tenant.ts'
import { createTraffic } from './traffic.ts'
import { startReceivers } from './receivers.ts'
import { openWebhooks } from './webhooks.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2
const EXIT_INTERRUPTED = 130
const SEEDS = 1_000_000
const GIVES_UP = 0.1

const HELP = `npm run test:faults -- [options]

Breaks what runs while clients work, and proves that no acknowledged write is lost or done twice. Over HTTP, on a
database and processes of its own, which it ends and removes.

${SCENARIOS.map(({ name, is }) => `  ${name.padEnd(10)}${is}`).join('\n')}

  --seed <word>       what all choices follow from; printed, and drawn when it is not given
  --kills <n>         how often something is broken (20)
  --scenario <name>   only this one, may repeat (${USUAL.join(', ')})
  --project <folder>  a checkout, with its node_modules, of the version to try (this one)
  --report            the figures as a table in Markdown too, as docs/reliability.md has it
  --help              this text

Exit code 1 when something did not hold; the logs are then kept.`

type Options = { seed: string; strikes: number; project: string; names: string[]; hasTable: boolean }

const closers: Closers = []
let tearingDown: Promise<void> | undefined
let interrupted = false
let hasFailed = true

/** Once, however often it is called; processes started meanwhile are closed too. */
function tearDown(): Promise<void> {
  return (tearingDown ??= closeAll())
}

async function closeAll(): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => console.error('a part did not stop in order:', error))
  }
}

async function tryOut({ seed, strikes, project, names, hasTable }: Options): Promise<void> {
  say(`seed ${seed}`)
  const random = randomFrom(seed)
  const keep = () => hasFailed && !interrupted
  const stage = await openStage({ project, closers, say, keep, hasSmallDisk: names.includes(DISK_FULL) })
  const traffic = createTraffic({ apis: stage.apis, log: createLog(stage) })
  const tenant = await prepareTenant(stage, { traffic, random: random.fork('tenant') })
  const journal = createJournal()
  const { sandboxUrl } = stage
  const common = { traffic, journal, tenant, sandboxUrl, random, givesUp: GIVES_UP }
  const { receivers, close } = await startReceivers(random.fork('receivers'))
  closers.push(close)
  const webhooks = await openWebhooks({ ...common, group: 'check' }, receivers)
  const context: Context = { ...common, webhooks, group: 'load' }
  const figures: Figures = { strikes: new Map(), hotWrites: undefined }
  const ground: ScenarioContext = { stage, context, figures, strikes, say }
  for (const scenario of SCENARIOS.filter(({ name }) => names.includes(name))) {
    say(scenario.name)
    await scenario.run(ground)
  }
  say('waiting until everything is settled')
  const settled = await settle(stage, { ...context, group: 'check' }, say)
  say('looking at everything that was written')
  const findings = await checkAll(stage, { ...context, group: 'check' })
  const processes = [...stage.apis, ...stage.workers]
  const events = { logged: (await webhooks.readLog()).length, receivers }
  const writes = journal.counts()
  const outcome: Outcome = { seed, names, figures, traffic, writes, events, processes, settled, findings }
  const report = reportOf(outcome)
  hasFailed = !isPassed(report)
  console.log(`\n${tablesOf(report, outcome)}\n\n${JSON.stringify(report)}`)
  if (hasTable) console.log(`\n${markdownOf(report)}`)
}

/** Every request and its outcome, alongside the logs of the processes. */
function createLog({ folder }: Stage): WriteStream {
  const log = createWriteStream(join(folder, 'requests.log'))
  closers.push(() => finished(log.end()))
  return log
}

function say(line: string): void {
  console.log(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`)
}

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      kills: { type: 'string', default: '20' },
      scenario: { type: 'string', multiple: true, default: USUAL },
      project: { type: 'string', default: resolve(import.meta.dirname, '../..') },
      report: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const strikes = Number(values.kills)
  if (!Number.isInteger(strikes) || strikes < 1) throw new Error('--kills must be a whole number from 1 on')
  const unknown = values.scenario.find((name) => !SCENARIOS.some((scenario) => scenario.name === name))
  if (unknown !== undefined) throw new Error(`there is no scenario "${unknown}"; --help lists them`)
  const seed = values.seed ?? String(randomInt(SEEDS))
  return { seed, strikes, project: resolve(values.project), names: values.scenario, hasTable: values.report }
}

async function interrupt(): Promise<void> {
  interrupted = true
  say('interrupted; cleaning up')
  await tearDown()
  process.exit(EXIT_INTERRUPTED)
}

async function main(): Promise<void> {
  let options: Options | undefined
  try {
    options = readOptions()
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = EXIT_USAGE
    return
  }
  if (!options) return console.log(HELP)
  process.once('SIGINT', () => void interrupt()).once('SIGTERM', () => void interrupt())
  try {
    await tryOut(options)
  } finally {
    await tearDown()
  }
  if (hasFailed) process.exitCode = EXIT_FAILED
}

await main().catch((error: unknown) => {
  if (interrupted) return
  console.error(error)
  process.exitCode = EXIT_FAILED
})
