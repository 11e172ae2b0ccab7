import { randomInt } from 'node:crypto'
import { enableCompileCache } from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { databasePid, globalSetup, globalTeardown } from '../support/global-setup.ts'
import { changedFiles, touchedBy } from './changed.ts'
import { findFiles } from './files.ts'
import { EXIT_USAGE, runAndReport, SILENCE_MS } from './run-and-report.ts'

const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url))
const SEEDS = 1_000_000
/** Of the fast tier, whose databases are small and used for a minute: it would visit each of them again and again. */
const WITHOUT_VACUUM = { autovacuum: 'off' }
/** Of the system tier one more, because many of its tests wait. */
const PROCESSES = availableParallelism()

const HELP = `npm test -- [options] [part of a path]…

Runs the tests whose files have one of these parts in their path: \`npm test -- users\`, \`npm test -- post-auth-token.test\`.
Without one, \`npm test\` runs what a contributor runs, and \`npm run test:system\` the files below tests/system.
Each of a few processes runs one file after another, in an order that the seed decides.

  --seed <word>      the order of the files; printed, and drawn when it is not given
  --processes <n>    how many run files at once (${PROCESSES}, and one more with --system)
  --changed          of both tiers what a change since main touches, by what it imports; with --system of that tier alone
  --verbose          a line for each test
  --help             this text

Exit code 1 when a test failed, or a file left something changed or open, or nothing was heard of it for ${SILENCE_MS / 60_000} minutes.`

type Options = Exclude<ReturnType<typeof readOptions>, undefined>

function readOptions() {
  const { values, positionals: parts } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: String(randomInt(SEEDS)) },
      processes: { type: 'string' },
      system: { type: 'boolean', default: false },
      changed: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const processes = Number(values.processes ?? (values.system ? PROCESSES + 1 : PROCESSES))
  if (!Number.isInteger(processes) || processes < 1) throw new Error('--processes must be a whole number from 1 on')
  return { ...values, processes, parts }
}

async function runTests({ parts, system, changed, ...options }: Options): Promise<void> {
  const tier = system ? 'system' : changed ? undefined : 'fast'
  const isWanted = changed ? touchedBy(changedFiles()) : undefined
  const files = findFiles({ parts, seed: options.seed, tier, isWanted })
  if (files.length === 0) throw new Error(`no test file has ${parts.join(' or ')} in its path`)
  await withDatabase(tier === 'fast' ? WITHOUT_VACUUM : {}, (environment) =>
    runAndReport({ ...options, files, environment, databasePid }),
  )
}

/** With one PostgreSQL for all files, which starts while the processes do. */
async function withDatabase(
  settings: Record<string, string>,
  work: (environment: Promise<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const setUp = globalSetup(settings)
  try {
    await work(setUp.then(() => Object.fromEntries(Object.entries(process.env).filter(isOfDatabase))))
  } finally {
    await setUp.then(globalTeardown)
  }
}

const isOfDatabase = (entry: [string, string | undefined]): entry is [string, string] =>
  entry[0].startsWith('BANYAN_TEST_')

// Compiled once for all processes, and for the programs that tests start.
process.env['NODE_COMPILE_CACHE'] ??= COMPILED
enableCompileCache(process.env['NODE_COMPILE_CACHE'])

try {
  const options = readOptions()
  if (options) await runTests(options)
  else console.log(HELP)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = EXIT_USAGE
}
