import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { drive, type Round } from '../drive.ts'
import { settle } from '../fill.ts'
import type { Closers } from '../processes.ts'
import { OWN_VERSION, type Say, type Version } from '../stage.ts'
import type { Used } from './meter.ts'
import { type Ground, type Kind, KINDS, type Operation } from './operations.ts'
import { populationOf } from './population.ts'
import { type Compared, comparedLine, comparedReport, type Measured } from './report.ts'
import { openSide } from './side.ts'
import { walletsOf } from './wallets.ts'

/** As many, and as long, whichever ends later: how warm a process is depends on the requests, how many a second is seen late. */
const WARM_UP_REQUESTS = 5_000
const WARM_UP_MS = 3_000
/** What a round may use up is prepared for this many times the best rate so far; what is left serves the next round. */
const PREPARED_MARGIN = 3
/** Before each round, not counted: a side that idled comes back to cold caches. */
const LEAD_IN_SECONDS = 0.5
/** So many rounds are measured on one life of the processes. */
const ROUNDS_A_LIFE = 2

export type Comparing = { against: string; rounds: number; seconds: number; isAsked(name: string): boolean }

type Seat = Ground & { operation: Operation; best: number; rounds: Measured[] }

export const COMPARED_NAMES = KINDS.map(({ name }) => name)

/** Measures these operations on this checkout and on another in turn, one of them at a time while the other idles. */
export async function compare(
  { against, rounds, seconds, isAsked }: Comparing,
  { closers, say }: { closers: Closers; say: Say },
): Promise<string> {
  const kinds = KINDS.filter(({ name }) => isAsked(name))
  if (kinds.length === 0) throw new Error('no operation has a word of --only in its name')
  const versions = [OWN_VERSION.checkout, resolve(against)].map(versionIn)
  const grounds: Ground[] = []
  for (const version of versions) {
    say(`starting ${version.checkout}`)
    const side = await openSide(version, { closers, say })
    const population = populationOf(side)
    grounds.push({ side, population, wallets: walletsOf(side, population) })
  }
  const compared: Compared[] = []
  try {
    for (const kind of kinds) compared.push(await compareOn(grounds, kind, { rounds, seconds, say }))
  } catch (error) {
    if (compared.length > 0) say(`what was measured until it failed:\n\n${comparedReport(compared)}`)
    throw error
  }
  const [own = '', other = ''] = await Promise.all(versions.map(nameOf))
  return `this: ${own}\nagainst: ${other}\n\n${comparedReport(compared)}`
}

type Rounds = { rounds: number; seconds: number; say: Say }

async function compareOn(grounds: Ground[], { name, open }: Kind, { rounds, seconds, say }: Rounds): Promise<Compared> {
  say(`${name}: preparing`)
  const seats: Seat[] = []
  for (const ground of grounds) seats.push(await takeSeat(ground, open))
  const [ours, theirs] = seats
  assert(ours && theirs)
  for (let round = 0; round < rounds; round++) {
    if (round % ROUNDS_A_LIFE === 0) for (const seat of seats) await beginLife(seat)
    for (const seat of seats) await seat.operation.prepare?.(Math.ceil(seat.best * seconds * PREPARED_MARGIN))
    for (const seat of round % 2 === 0 ? seats : seats.toReversed()) await measure(seat, seconds)
    say(`  round ${round + 1}: ${comparedLine(ours.rounds.at(-1), theirs.rounds.at(-1))}`)
  }
  for (const { operation } of seats) await operation.check?.()
  return { name, ours: ours.rounds, theirs: theirs.rounds }
}

async function takeSeat(ground: Ground, open: Kind['open']): Promise<Seat> {
  await ground.side.signIn()
  return { ...ground, operation: await open(ground), best: 0, rounds: [] }
}

/** Whatever befalls a process lasts as long as it lives, such as how its code was compiled: one life tells of its luck too. */
async function beginLife(seat: Seat): Promise<void> {
  const { stage } = seat.side
  await stage.restartProduct()
  seat.best = Math.max(seat.best, (await warmUp(seat)).perSecond)
  await settle(stage)
}

async function warmUp({ side, operation: { prepare, source } }: Seat): Promise<Round> {
  await prepare?.(WARM_UP_REQUESTS)
  const end = performance.now() + WARM_UP_MS
  let sent = 0
  return drive(side.stage.productUrl, (connection) =>
    ++sent > WARM_UP_REQUESTS && performance.now() > end ? undefined : source(connection),
  )
}

async function measure(seat: Seat, seconds: number): Promise<void> {
  const { side, operation } = seat
  const { productUrl } = side.stage
  await drive(productUrl, operation.source, { seconds: LEAD_IN_SECONDS })
  const before = await side.meter.read()
  const round = await drive(productUrl, operation.source, { seconds })
  const after = await side.meter.read()
  if (round.isDry)
    throw new Error(`what was prepared was used up after ${round.responses} requests, before the round ended`)
  seat.best = Math.max(seat.best, round.perSecond)
  seat.rounds.push(measuredFrom(round, before, after))
}

function measuredFrom(round: Round, before: Used, after: Used): Measured {
  const used = (what: keyof Used) => after[what] - before[what]
  const each = (what: keyof Used) => used(what) / round.responses
  const micros = (what: keyof Used) => each(what) * 1_000_000
  const ours = used('server') + used('database') + used('load')
  return {
    ...round,
    serverMicros: micros('server'),
    databaseMicros: micros('database'),
    loadMicros: micros('load'),
    statements: each('statements'),
    writes: each('writes'),
    loadShare: used('load') / ours,
    busy: used('busy') / used('passed'),
    othersBusy: Math.max(0, used('busy') - ours) / used('passed'),
  }
}

/** A checkout has the Node among its packages that it was made for. */
function versionIn(checkout: string): Version {
  const own = join(checkout, 'node_modules/.bin/node')
  if (!existsSync(join(checkout, 'src/main.ts'))) throw new Error(`${checkout} is no checkout of the product`)
  return { checkout, node: existsSync(own) ? own : process.execPath }
}

async function nameOf({ checkout, node }: Version): Promise<string> {
  const run = promisify(execFile)
  const [{ stdout: version }, commit] = await Promise.all([
    run(node, ['--version']),
    run('git', ['-C', checkout, 'describe', '--always', '--dirty']).then(
      ({ stdout }) => stdout.trim(),
      () => 'no commit',
    ),
  ])
  return `${checkout}, ${commit}, Node ${version.trim()}`
}
