import assert from 'node:assert/strict'
import { hasDuePolicies } from '../../src/domains/cover/policies/store.ts'
import { systemClock, todayIn } from '../../src/kernel/clock.ts'
import { createVault } from '../../src/kernel/crypto/vault.ts'
import type { Queryable } from '../../src/kernel/db/database.ts'
import { measuredFrom } from '../against/contender.ts'
import { type Meter, METER_SETTINGS, openMeter } from '../against/meter.ts'
import type { Measured } from '../against/report.ts'
import { type Catalogue, exchange, makeCatalogue } from '../catalogue.ts'
import { drive } from '../drive.ts'
import { addUsers, FILLED_TABLES, settle, withClient } from '../fill.ts'
import type { ModeContext } from '../part.ts'
import { writeSection } from '../performance-page.ts'
import { median, target } from '../report.ts'
import { openStage, type Say, type Stage } from '../stage.ts'
import { openWalletSide } from '../wallet-side.ts'
import { readSizes, sizesReport } from './database-sizes.ts'
import { grownRows } from './grown-rows.ts'
import { type GrowthRequest, growthRequests } from './growth-requests.ts'
import { measureCold } from './measure-cold.ts'
import { table } from '../../tools/reference/markdown.ts'

const USERS_AT_FIRST = 10_000
const ROUNDS = 4
/** Of the 5,000 users without a wallet, who can each get one. */
const ROUND_OF_WALLETS = 1_000
const ROUND = 4_000
const CALENDAR_LOOKS = 4_000
/** Pages of an index grow by its depth; more than this is a search of more than one entry. */
const RATIO_MAX = 1.5

/** A cluster for a batch job: the fill alone writes many gigabytes. */
const SERVER_SETTINGS = { ...METER_SETTINGS, max_wal_size: '16GB', checkpoint_timeout: '30min' }

type Ground = {
  stage: Stage
  catalogue: Catalogue
  meter: Meter
  db: Queryable
  headersOf(userId: string): Record<string, string>
  hasWallet: Set<number>
}
type Costs = Map<string, Measured>

/** Measures the same requests with few and with many users, and what the database needs for each user. */
export async function measureGrowth(
  { users }: { users: number },
  { closers, say, machine }: ModeContext,
): Promise<string> {
  assert(users > USERS_AT_FIRST && users % 2 === 0, `--growth must be an even number above ${USERS_AT_FIRST}`)
  const stage = await openStage(closers, { say, serverSettings: SERVER_SETTINGS })
  const catalogue = await makeCatalogue(stage)
  const meter = await openMeter(stage, closers)
  const { db, headersOf } = await openWalletSide({ tenant: catalogue, stage, closers })
  const ground = { stage, catalogue, meter, db, headersOf, hasWallet: new Set<number>() }
  const costs: Costs[] = []
  for (const [from, to] of [[0, USERS_AT_FIRST] as const, [USERS_AT_FIRST, users] as const]) {
    await grow(ground, { from, to, say })
    costs.push(await measureAll(ground, { users: to, say }))
  }
  const cold = await measureCold(stage.productUrl, await requestsOf(ground, users), say)
  const sizes = await withClient(stage.config.migrationDatabaseUrl, readSizes)
  const parts = [costReport(costs, [USERS_AT_FIRST, users]), cold, sizesReport(sizes, users)]
  const report = parts.filter((part) => part !== undefined).join('\n\n')
  await writeSection('Growth', machine, report)
  return report
}

type Step = { from: number; to: number; say: Say }

/**
 * The owner adds the users. References are not checked, because the rows are made together, and the indexes are built
 * again at the end: each row would be looked up in up to seven, at a position of its own.
 */
async function grow({ stage, catalogue }: Ground, step: Step): Promise<void> {
  const vault = createVault(stage.config.keys)
  await withClient(stage.config.migrationDatabaseUrl, async (owner) => {
    await owner.query('set session_replication_role = replica')
    await owner.query('set synchronous_commit = off')
    await owner.query(`set maintenance_work_mem = '1GB'`)
    await owner.query('update pg_index set indisready = false where indrelid = any ($1::regclass[])', [FILLED_TABLES])
    await addUsers(owner, { vault, catalogue, rowsOf: grownRows, ...step })
    step.say('building the indexes')
    for (const table of FILLED_TABLES) await owner.query(`reindex table ${table}`)
  })
  await settle(stage)
  await withClient(stage.config.migrationDatabaseUrl, (owner) => owner.query('select pg_stat_reset()'))
  await stage.restartProduct()
}

async function measureAll(ground: Ground, { users, say }: { users: number; say: Say }): Promise<Costs> {
  const costs: Costs = new Map()
  for (const request of await requestsOf(ground, users)) {
    costs.set(request.name, await measureRequest(ground, request))
    say(lineOf(users, request.name, costs))
  }
  costs.set('is a policy due', await measureCalendar(ground))
  say(lineOf(users, 'is a policy due', costs))
  return costs
}

async function requestsOf({ stage, catalogue, headersOf, hasWallet }: Ground, users: number): Promise<GrowthRequest[]> {
  const token = await exchange(stage.productUrl, catalogue.platformBasic)
  return growthRequests(users, { platform: { authorization: `Bearer ${token}` }, headersOf, hasWallet })
}

const lineOf = (users: number, name: string, costs: Costs): string => {
  const { serverMicros = 0, databaseMicros = 0, pages = 0 } = costs.get(name) ?? {}
  return `${users} users, ${name}: ${serverMicros.toFixed(0)} + ${databaseMicros.toFixed(0)} µs, ${pages.toFixed(1)} pages`
}

/** Returns the medians of the rounds; the first one warms up. */
async function measureRequest({ stage, meter }: Ground, { make, status, usesUp }: GrowthRequest): Promise<Measured> {
  const rounds: Measured[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const requests = Array.from({ length: usesUp ? ROUND_OF_WALLETS : ROUND }, make)
    let sent = 0
    const before = await meter.read()
    const driven = await drive(stage.productUrl, () => {
      const request = requests[sent++]
      return request && { request, status }
    })
    if (round > 0) rounds.push(measuredFrom(driven, before, await meter.read()))
  }
  return mediansOf(rounds)
}

/** The worker looks every few seconds whether a policy is due. */
async function measureCalendar({ meter, db }: Ground): Promise<Measured> {
  const rounds: Measured[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const before = await meter.read()
    const took: number[] = []
    for (let look = 0; look < CALENDAR_LOOKS; look++) {
      const from = performance.now()
      assert.equal(await hasDuePolicies(db, todayIn(systemClock)), false)
      took.push(performance.now() - from)
    }
    const all = { responses: took.length, seconds: 0, perSecond: 0, p50Ms: median(took), p99Ms: 0, isDry: false }
    if (round > 0) rounds.push({ ...measuredFrom(all, before, await meter.read()), serverMicros: 0 })
  }
  return mediansOf(rounds)
}

const FIGURES = ['serverMicros', 'databaseMicros', 'pages', 'walBytes', 'p50Ms', 'othersBusy'] as const

function mediansOf(rounds: Measured[]): Measured {
  const [first] = rounds
  assert(first)
  return { ...first, ...Object.fromEntries(FIGURES.map((name) => [name, median(rounds.map((round) => round[name]))])) }
}

const HEAD = ['', 'users', 'server µs', 'database µs', 'pages', 'p50 ms', 'WAL bytes']

function costReport(costs: Costs[], sizes: number[]): string {
  const [few, many] = costs
  assert(few && many)
  const rows = [...few.keys()].flatMap((name) =>
    costs.map((of, position) => {
      const { serverMicros, databaseMicros, pages, p50Ms, walBytes } = of.get(name) as Measured
      const own = [
        serverMicros.toFixed(0),
        databaseMicros.toFixed(0),
        pages.toFixed(1),
        p50Ms.toFixed(2),
        walBytes.toFixed(0),
      ]
      return [position === 0 ? name : '', (sizes[position] ?? 0).toLocaleString('en'), ...own]
    }),
  )
  const ratios = [...few].map(([name, { pages }]) => ({ name, ratio: (many.get(name)?.pages ?? Number.NaN) / pages }))
  const most = ratios.reduce((one, other) => (one.ratio > other.ratio ? one : other))
  const isMet = ratios.every(({ ratio }) => ratio <= RATIO_MAX)
  return [
    table(HEAD, rows),
    '',
    'Pages: of tables and indexes, that a request looks at, in memory or not.',
    `Pages with many users over pages with few: at most ${most.ratio.toFixed(2)} (${most.name}), ${target(`at most ${RATIO_MAX}`, isMet)}.`,
  ].join('\n')
}
