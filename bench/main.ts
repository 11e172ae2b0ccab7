import { parseArgs } from 'node:util'
import { fill } from './fill.ts'
import { measure, report } from './measure.ts'
import { operationsOn } from './operations.ts'
import { type Closers, openStage } from './stage.ts'
import { walletOperationsOn } from './wallet-operations.ts'

const EXIT_FAILURE = 1
const EXIT_INTERRUPTED = 130

const HELP = `npm run bench -- [options]

Measures the product beside a floor: bare node:http and pg with the same statements and the same bytes in the answer.
Everything runs here, on a temporary database that is removed at the end.

  --rounds <n>        rounds of product and floor, taken in turn (5)
  --seconds <n>       length of a round (4)
  --only <word>       only operations with this word in their name
  --profile <folder>  write a CPU profile of the product there; the figures of such a run do not count
  --help              this text`

const closers: Closers = []
let tearingDown: Promise<void> | undefined
let interrupted = false

/** Once, whoever asks; what is opened meanwhile is closed too. */
function tearDown(): Promise<void> {
  return (tearingDown ??= closeAll())
}

async function closeAll(): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => console.error('a part did not stop in order:', error))
  }
}

type Options = { rounds: number; seconds: number; only: string; profile: string | undefined }

async function bench(options: Options): Promise<void> {
  const stage = await openStage(closers, { profile: options.profile, say })
  const tenant = await fill(stage, say)
  const all = [...operationsOn(tenant, stage), ...walletOperationsOn(tenant, stage, closers)]
  const operations = all.filter(({ name }) => name.includes(options.only))
  if (operations.length === 0) throw new Error(`no operation has "${options.only}" in its name`)
  for (const operation of operations) await operation.check()
  say('product and floor answer the same bytes')

  const figures = []
  for (const operation of operations) {
    say(`${operation.name}: ${options.rounds} rounds of ${options.seconds} s each for product and floor`)
    figures.push(await measure(operation, { ...stage, ...options, say }))
    await operation.checkAfterwards?.()
  }
  await tenant.checkNothingWasWritten()
  console.log(`\n${report(figures)}`)
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
      only: { type: 'string', default: '' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(HELP)
  const rounds = positive('rounds', values.rounds)
  const seconds = positive('seconds', values.seconds)
  process.once('SIGINT', () => void interrupt()).once('SIGTERM', () => void interrupt())
  try {
    await bench({ rounds, seconds, only: values.only, profile: values.profile })
  } finally {
    await tearDown()
  }
}

await main().catch((error: unknown) => {
  if (interrupted) return
  console.error(error)
  process.exitCode = EXIT_FAILURE
})
