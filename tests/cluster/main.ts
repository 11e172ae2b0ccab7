import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { STORED_TABLES } from '../../src/data-map/tables.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { migrateQueue } from '../../src/kernel/jobs/queue.ts'
import { JOBS } from '../../src/record/jobs.ts'
import { findFiles } from '../run/files.ts'
import { EXIT_FAILED, EXIT_USAGE, runAndReport } from '../run/run-and-report.ts'
import { readText } from '../support/sources.ts'
import { STATEMENTS_FILE, type SeenStatement } from '../support/cluster.ts'
import { NOT_ON_A_CLUSTER } from './exceptions.ts'
import { explainAll, offencesOf, tableOf } from './shards.ts'

/** What speaks to the product by its API, its jobs or its commands. */
const FOLDERS = [
  'access',
  'api',
  'dependants',
  'events',
  'ledger',
  'personal-data',
  'policies',
  'record',
  'sponsors',
  'users',
  'wallets',
  'webhooks',
]
const UNSET =
  'Set CLUSTER_URL to the address of the owner of a database on the coordinator of a Citus cluster; its name must begin with test, because all of its rows are deleted.'

const HELP = `npm run test:cluster -- [options] [part of a path]…

Migrates the database at CLUSTER_URL, runs the tests that speak to the product against it, and asks the cluster how it runs each
statement that they sent. The owner is a superuser on every node, because tests look at who waits. With CLUSTER_APP_URL the program
connects as another role than the owner, as it should.

  --seed <word>      the order of the files
  --verbose          a line for each test
  --help             this text

Exit code 1 when a test failed, or a statement goes to several shards and tests/cluster/exceptions.ts gives no reason; 2 when
CLUSTER_URL is not set.`

type Urls = { ownerUrl: string; appUrl: string }

function readUrls(): Urls {
  const ownerUrl = process.env['CLUSTER_URL']
  if (!ownerUrl || !URL.canParse(ownerUrl) || !new URL(ownerUrl).pathname.startsWith('/test')) throw new Error(UNSET)
  return { ownerUrl, appUrl: process.env['CLUSTER_APP_URL'] || ownerUrl }
}

async function migrateCluster({ ownerUrl, appUrl }: Urls): Promise<void> {
  const appRole = appUrl === ownerUrl ? null : decodeURIComponent(new URL(appUrl).username)
  const found = await migrate({ ownerUrl, appRole, tables: STORED_TABLES, onApplied: () => {} })
  await migrateQueue(ownerUrl, JOBS, appRole)
  console.log(found)
  if (!found.startsWith('Citus')) throw new Error(UNSET)
}

/** Those that share the database come first: one that needs it for itself finds it emptied, and leaves rows behind. */
function filesFor(parts: string[], seed: string): string[] {
  const isAlone = (path: string) => /own: true|cloneDatabase/.test(readText(path))
  const folderOf = (path: string) => path.replace('tests/system/', 'tests/').split('/')[1] ?? ''
  const found = findFiles({ parts: parts.length > 0 ? parts : ['tests/'], seed }) // of both tiers
    .filter((path) => FOLDERS.includes(folderOf(path)))
  for (const path of found) if (NOT_ON_A_CLUSTER[path]) console.log(`left out  ${path}: ${NOT_ON_A_CLUSTER[path]}`)
  const files = found.filter((path) => NOT_ON_A_CLUSTER[path] === undefined)
  return files.toSorted((one, other) => Number(isAlone(one)) - Number(isAlone(other)))
}

async function testCluster({ seed, verbose, parts }: { seed: string; verbose: boolean; parts: string[] }) {
  const urls = readUrls()
  await migrateCluster(urls)
  const statements = join(tmpdir(), `banyan-statements-${process.pid}`)
  try {
    const environment = {
      BANYAN_TEST_OWNER_URL: urls.ownerUrl,
      BANYAN_TEST_APP_URL: urls.appUrl,
      [STATEMENTS_FILE]: statements,
    }
    // One process: all files share one database, and the outbox in it.
    const how = { files: filesFor(parts, seed), seed, processes: 1, verbose }
    await runAndReport({ ...how, environment: Promise.resolve(environment) })
    const lines = existsSync(statements) ? readFileSync(statements, 'utf8').trim().split('\n') : []
    const explained = await explainAll(
      urls.ownerUrl,
      lines.map((line) => JSON.parse(line) as SeenStatement),
    )
    const offences = offencesOf(explained)
    console.log(`\nStatements by where they run:\n${tableOf(explained)}`)
    for (const line of offences) console.log(`wrong: ${line}`)
    if (offences.length > 0) process.exitCode = EXIT_FAILED
  } finally {
    rmSync(statements, { force: true })
  }
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: 'cluster' },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) console.log(HELP)
  else await testCluster({ ...values, parts: positionals })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = EXIT_USAGE
}
