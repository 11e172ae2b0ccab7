import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { fill, withClient } from '../fill.ts'
import type { ModeContext, Options } from '../part.ts'
import type { Machine } from '../performance-page.ts'
import { parentOf, processorTimes, secondsUsedBy } from '../process-figures.ts'
import { median, spread } from '../report.ts'
import { openStage, type Say } from '../stage.ts'
import { openWalletSide } from '../wallet-side.ts'
import { type LoadGenerator, type LoadRound, openLoadGenerator } from './load.ts'
import { type PeerOperation, peerOperationsOn } from './operations.ts'
import { checkPromises } from './check-promises.ts'
import { fillBare } from './population.ts'
import { fillPromises } from './promise-population.ts'
import { PEER_NAMES, startPeers, type System } from './systems.ts'
import { table } from '../../tools/reference/markdown.ts'

export { PEER_NAMES }

export const PEER_OPERATIONS = [
  'list policies',
  'issue token known',
  'issue token new',
  'ten dependants',
  'create wallet new',
  'wallet status',
]

const RESULTS = new URL('../RESULTS.md', import.meta.url)
/** The product has more code than a peer, which V8 compiles only while it runs: after one second its list still took twice the CPU. */
const WARM_UP_SECONDS = 4
/** Prepared for so many times the best rate so far, and for this rate at least: the warm-up may have been disturbed. */
const PREPARED_MARGIN = 2.5
const RATE_MIN = 8_000

type Measured = LoadRound & { serverMicros: number; databaseMicros: number; loadShare: number; othersShare: number }
type Contender = System & { rounds: Measured[]; best: number }
type Bench = { load: LoadGenerator; postmaster: number; rounds: number; seconds: number; say: Say }

/** Measures the operations on the product and its peers, in turn, and writes the results. */
export async function comparePeers(options: Options, { closers, say, machine }: ModeContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-peers-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  const load = await openLoadGenerator(folder)
  const stage = await openStage(closers, { say, processes: options.processes })
  const tenant = await fill(stage, say)
  const bare = await fillBare(stage, tenant)
  const promises = await fillPromises(stage, tenant)
  const processes = options.processes > 1 ? `, ${options.processes} processes` : ''
  const product: System = {
    name: `Banyan${processes}`,
    kind: 'product',
    url: stage.productUrl,
    pid: () => stage.productPid,
  }
  const settings = {
    bare: { DATABASE_URL: bare.url },
    promises: { DATABASE_URL: promises.url, ...promises.settings },
  }
  const systems = [product, ...(await startPeers({ stage, closers, say, settings, folder }))]
  const wallets = await openWalletSide({ tenant, stage, closers })
  await checkPromises(systems, { stage, tenant, wallets, promises, say })
  const operations = peerOperationsOn({ tenant, wallets, bare, promises }).filter(({ name }) =>
    options.isSelected(name),
  )
  assert(operations.length > 0, 'no operation has a word of --only in its name')
  const postmaster = await withClient(stage.config.migrationDatabaseUrl, postmasterOf)
  const sections: string[] = []
  for (const operation of operations) {
    await tenant.settle()
    await Promise.all([bare.settle(), promises.settle()])
    const contenders = systems.map((system) => ({ ...system, rounds: [], best: 0 }))
    await measure(operation, contenders, { ...options, load, postmaster, say })
    sections.push(sectionOf(operation.name, contenders))
  }
  const report = [headOf(load, machine, options), ...sections].join('\n\n')
  await writeFile(RESULTS, `${report}\n`)
  return report
}

async function postmasterOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const pid = parentOf(rows[0]?.pid as number)
  assert(pid !== undefined)
  return pid
}

async function measure(operation: PeerOperation, contenders: Contender[], bench: Bench): Promise<void> {
  const { rounds, seconds, say } = bench
  for (let round = 0; round <= rounds; round++) {
    // The first of one round is the last of the next.
    const order = contenders.map((_, place) => contenders[(place + round) % contenders.length] as Contender)
    for (const contender of order) {
      const one = await measureOnce(operation, contender, {
        ...bench,
        seconds: round === 0 ? WARM_UP_SECONDS : seconds,
      })
      contender.best = Math.max(contender.best, one.perSecond)
      if (round === 0) continue
      contender.rounds.push(one)
      const cost = `${one.serverMicros.toFixed(0)} + ${one.databaseMicros.toFixed(0)} µs`
      say(`${operation.name}, round ${round}: ${contender.name} ${one.perSecond.toFixed(0)} requests/s (${cost})`)
    }
  }
}

async function measureOnce(operation: PeerOperation, contender: Contender, bench: Bench): Promise<Measured> {
  const { load, postmaster, seconds } = bench
  const { url, pid, best } = contender
  const count = Math.ceil(seconds * Math.max(RATE_MIN, best * PREPARED_MARGIN))
  const requests = await operation.requests(contender, count)
  const used = () => ({ server: secondsUsedBy(pid()), database: secondsUsedBy(postmaster), ...processorTimes() })
  const before = used()
  const round = await load.run(url, requests, seconds)
  const after = used()
  const isDry = operation.usesUp && round.responses > requests.length
  assert(!isDry, `${operation.name}: ${requests.length} requests are too few for ${seconds} s of ${contender.name}`)
  const server = after.server - before.server
  const database = after.database - before.database
  const ours = server + database + round.loadSeconds
  const passed = after.all - before.all
  const busy = passed - (after.idle - before.idle)
  return {
    ...round,
    serverMicros: (server / round.responses) * 1e6,
    databaseMicros: (database / round.responses) * 1e6,
    loadShare: round.loadSeconds / ours,
    othersShare: Math.max(0, busy - ours) / passed,
  }
}

const HEAD = ['', 'requests/s', 'p50 ms', 'p99 ms', 'server µs', 'database µs', 'load generator', 'other programs']

function sectionOf(name: string, contenders: Contender[]): string {
  const rows = contenders.map(({ name: system, rounds }) => {
    const of = (value: (round: Measured) => number) => rounds.map(value)
    const percent = (value: (round: Measured) => number) => `${(median(of(value)) * 100).toFixed(0)} %`
    return [
      system,
      spread(
        of(({ perSecond }) => perSecond),
        0,
      ),
      median(of(({ p50Ms }) => p50Ms)).toFixed(1),
      median(of(({ p99Ms }) => p99Ms)).toFixed(1),
      median(of(({ serverMicros }) => serverMicros)).toFixed(0),
      median(of(({ databaseMicros }) => databaseMicros)).toFixed(0),
      percent(({ loadShare }) => loadShare),
      percent(({ othersShare }) => othersShare),
    ]
  })
  return `## ${name}\n\n${table(HEAD, rows)}`
}

function headOf(load: LoadGenerator, { date, commit, hardware }: Machine, { rounds, seconds }: Options): string {
  return `# Results

Written by \`npm run bench -- --peers\`; [README.md](README.md) says how it is measured.

- Date ${date}, commit ${commit}
- ${hardware}; server, PostgreSQL and load generator share them. Load average ${loadavg()[0]?.toFixed(1)} at the end
- Load: ${load.name}
- ${rounds} rounds of ${seconds} s in turn; medians, requests a second with least and most. µs: CPU time a request, of the server with its
  child processes and of PostgreSQL. Load generator: its share of the CPU time of all three. Other programs: their share of all processors`
}
