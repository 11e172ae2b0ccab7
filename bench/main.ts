import { parseArgs } from 'node:util'
import { compare, COMPARED_NAMES } from './against/compare.ts'
import { backlog } from './backlog.ts'
import { besideFloor } from './alongside-floor.ts'
import { calendar } from './calendar.ts'
import { documents } from './documents.ts'
import { fill } from './fill.ts'
import { measureFootprint } from './footprint/measure-footprint.ts'
import { measureGrowth } from './growth/measure-growth.ts'
import { measurePurge } from './measure-purge.ts'
import { measureOverload } from './overload.ts'
import type { ModeContext, Options, Part } from './part.ts'
import { comparePeers, PEER_NAMES, PEER_OPERATIONS } from './peers/compare.ts'
import { describeMachine } from './performance-page.ts'
import type { Closers } from './processes.ts'
import { PROFILED_NAMES, profileOperations } from './profile/profile-operations.ts'
import { provisioning } from './provisioning.ts'
import { measureSoak } from './soak/measure-soak.ts'
import { openStage } from './stage.ts'
import { webhooks } from './webhooks.ts'

type Values = ReturnType<typeof readOptions>

const readOptions = () =>
  parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      documents: { type: 'string', default: '2000' },
      only: { type: 'string', default: '' },
      profile: { type: 'boolean', default: false },
      keep: { type: 'string' },
      growth: { type: 'string' },
      soak: { type: 'string' },
      purge: { type: 'string' },
      overload: { type: 'boolean', default: false },
      footprint: { type: 'boolean', default: false },
      against: { type: 'string' },
      peers: { type: 'boolean', default: false },
      processes: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  }).values

const EXIT_FAILURE = 1
const EXIT_INTERRUPTED = 130

/** In this order: the last one leaves pending wallets, which a worker would start on. */
const PARTS: Part[] = [documents, provisioning, calendar, webhooks, backlog, besideFloor]

/** Six names a line. */
const inLines = (names: readonly string[]): string =>
  names.join(', ').replaceAll(/((?:[^,]+, ){6})/g, '$1\n                      ')

const HELP = `npm run bench -- [options]

Measures what the project promises about speed, part by part, and prints one report:

${PARTS.map(({ name, is }) => `  ${name.padEnd(14)}${is}`).join('\n')}

Everything runs here, on a temporary database that is removed at the end. One of these measures something else instead:

  --profile           where the time of a request goes, by module; written to docs/performance.md:
                      ${inLines(PROFILED_NAMES)}
  --growth <users>    what the same requests cost with 10,000 users and with so many; written to docs/performance.md
  --soak <minutes>    the mix of a day for so long: memory, tables, queues; written to docs/performance.md and docs/soak.svg
  --purge <events>    what deleting a day of events costs, with a ninth, a third and all of so many
  --overload          lists at half to four times the rate that the API holds: what is served, refused, and how late
  --footprint         start, memory and installation; written to docs/performance.md
  --against <folder>  these operations on this checkout and on another one in turn:
                      ${inLines(COMPARED_NAMES)}
  --peers             these operations on the product and on servers written with
                      ${PEER_NAMES.join(', ')},
                      on one PostgreSQL, in turn; written to bench/RESULTS.md:
                      ${inLines(PEER_OPERATIONS)}

  --rounds <n>        rounds of each measurement (5)
  --seconds <n>       length of a round (4)
  --documents <n>     documents set one after the other while memory is watched (2000)
  --only <words>      only parts, or operations, with one of these words, separated by commas, in their name:
                      ${besideFloor.within?.join(', ')}
  --keep <folder>     with --profile: also keep the profiles, for the developer tools of a browser
  --processes <n>     API processes of the product (1)
  --help              this text`

const closers: Closers = []
let tearingDown: Promise<void> | undefined
let interrupted = false

/** Runs once; also closes what is opened meanwhile. */
function tearDown(): Promise<void> {
  return (tearingDown ??= closeAll())
}

async function closeAll(): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => console.error('a part did not stop in order:', error))
  }
}

async function measureAll(options: Options): Promise<string[]> {
  const parts = PARTS.filter(({ name, within = [] }) => [name, ...within].some(options.isSelected))
  if (parts.length === 0) throw new Error('no part and no operation has a word of --only in its name')
  const stage = await openStage(closers, { processes: options.processes, say })
  const tenant = await fill(stage, say)
  const reports: string[] = []
  for (const { name, run } of parts) {
    say(name)
    await tenant.settle()
    reports.push(`${name}\n\n${await run({ stage, tenant, closers, say }, options)}`)
  }
  return reports
}

type Mode = (options: Options, context: ModeContext) => Promise<string>

/** Returns what is measured instead of the parts, if anything. */
function modeOf({ profile, growth, soak, purge, overload, footprint, against, peers, keep }: Values): Mode | undefined {
  const modes: (Mode | false | undefined)[] = [
    profile && ((options, context) => profileOperations({ ...options, keep }, context)),
    growth !== undefined &&
      ((options, context) => measureGrowth({ ...options, users: positive('growth', growth) }, context)),
    soak !== undefined && ((_, context) => measureSoak(positive('soak', soak), context)),
    purge !== undefined && ((_, context) => measurePurge({ events: positive('purge', purge) }, context)),
    overload && ((_, context) => measureOverload(context)),
    footprint && measureFootprint,
    against !== undefined && ((options, context) => compare({ ...options, against }, context)),
    peers && comparePeers,
  ]
  const [mode, second] = modes.filter((one) => typeof one === 'function')
  if (second)
    throw new Error(
      'only one of --profile, --growth, --soak, --purge, --overload, --footprint, --against and --peers at a time',
    )
  return mode
}

async function bench(options: Options, mode: Mode | undefined): Promise<void> {
  const machine = await describeMachine()
  const line = `${machine.hardware}, load ${machine.loadBefore.toFixed(1)} before the start`
  say(line)
  const reports = mode ? [await mode(options, { closers, say, machine })] : await measureAll(options)
  console.log(`\n${[line, ...reports].join('\n\n')}`)
}

function say(line: string): void {
  console.log(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`)
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1 on`)
  return value
}

async function interrupt(): Promise<void> {
  interrupted = true
  say('interrupted; cleaning up')
  await tearDown()
  process.exit(EXIT_INTERRUPTED)
}

async function main(): Promise<void> {
  const values = readOptions()
  if (values.help) return console.log(HELP)
  const words = values.only.split(',').map((word) => word.trim())
  const options = {
    isSelected: (name: string) => words.some((word) => name.includes(word)),
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    documents: positive('documents', values.documents),
    processes: positive('processes', values.processes),
  }
  process.once('SIGINT', () => void interrupt()).once('SIGTERM', () => void interrupt())
  try {
    await bench(options, modeOf(values))
  } finally {
    await tearDown()
  }
}

await main().catch((error: unknown) => {
  if (interrupted) return
  console.error(error)
  process.exitCode = EXIT_FAILURE
})
