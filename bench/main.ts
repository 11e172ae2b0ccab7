import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { compare, COMPARED_NAMES } from './against/compare.ts'
import { backlog } from './backlog.ts'
import { besideFloor } from './beside-floor.ts'
import { calendar } from './calendar.ts'
import { documents } from './documents.ts'
import { fill } from './fill.ts'
import type { Options, Part } from './part.ts'
import { comparePeers, PEER_NAMES, PEER_OPERATIONS } from './peers/compare.ts'
import type { Closers } from './processes.ts'
import { provisioning } from './provisioning.ts'
import { openStage } from './stage.ts'
import { webhooks } from './webhooks.ts'

const EXIT_FAILURE = 1
const EXIT_INTERRUPTED = 130

/** In this order: the last one leaves pending wallets, which a worker would start on. */
const PARTS: Part[] = [documents, provisioning, calendar, webhooks, backlog, besideFloor]

const HELP = `npm run bench -- [options]

Measures what the project promises about speed, part by part, and prints one report:

${PARTS.map(({ name, is }) => `  ${name.padEnd(14)}${is}`).join('\n')}

Everything runs here, on a temporary database that is removed at the end.

  --rounds <n>        rounds of each measurement (5)
  --seconds <n>       length of a round (4)
  --documents <n>     documents set one after the other while memory is watched (2000)
  --only <words>      only parts, or operations, with one of these words, separated by commas, in their name:
                      ${besideFloor.within?.join(', ')}
  --profile <folder>  write a CPU profile of the product there; the figures of such a run do not count
  --against <folder>  measure nothing of the above, but these operations on this checkout and on another one in turn:
                      ${COMPARED_NAMES.slice(0, 7).join(', ')},
                      ${COMPARED_NAMES.slice(7).join(', ')}
  --peers             measure nothing of the above, but these operations on the product and on servers written with
                      ${PEER_NAMES.join(', ')},
                      on one PostgreSQL, in turn, and write bench/RESULTS.md:
                      ${PEER_OPERATIONS.join(', ')}
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
  const stage = await openStage(closers, { profile: options.profile, processes: options.processes, say })
  const tenant = await fill(stage, say)
  const reports: string[] = []
  for (const { name, run } of parts) {
    say(name)
    await tenant.settle()
    reports.push(`${name}\n\n${await run({ stage, tenant, closers, say }, options)}`)
  }
  return reports
}

type Comparison = { against: string | undefined; peers: boolean }

async function bench(options: Options, { against, peers }: Comparison): Promise<void> {
  const machine = `${availableParallelism()} processors, load ${loadavg()[0]?.toFixed(1)} before the start`
  say(machine)
  const context = { closers, say }
  const measure = async () => {
    if (peers) return [await comparePeers(options, context)]
    return against === undefined ? measureAll(options) : [await compare({ ...options, against }, context)]
  }
  const reports = await measure()
  console.log(`\n${[machine, ...reports].join('\n\n')}`)
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
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      documents: { type: 'string', default: '2000' },
      only: { type: 'string', default: '' },
      profile: { type: 'string' },
      against: { type: 'string' },
      peers: { type: 'boolean', default: false },
      processes: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(HELP)
  const words = values.only.split(',').map((word) => word.trim())
  const options = {
    isSelected: (name: string) => words.some((word) => name.includes(word)),
    profile: values.profile,
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    documents: positive('documents', values.documents),
    processes: positive('processes', values.processes),
  }
  process.once('SIGINT', () => void interrupt()).once('SIGTERM', () => void interrupt())
  try {
    await bench(options, { against: values.against, peers: values.peers })
  } finally {
    await tearDown()
  }
}

await main().catch((error: unknown) => {
  if (interrupted) return
  console.error(error)
  process.exitCode = EXIT_FAILURE
})
