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
import { type BenchContext, type Kind, KINDS, type Operation } from './operations.ts'
import { populationOf } from './population.ts'
import { type Compared, comparedLine, comparedReport, type Measured } from './report.ts'
import { openSide } from './side.ts'
import { walletsOf } from './wallets.ts'

/** Both minimums hold: warming up depends on the number of requests, and the request rate is known only late. */
const WARM_UP_REQUESTS = 5_000
const WARM_UP_MS = 3_000
/** Prepares this many times the requests of the best rate so far; the rest is left for the next round. */
const PREPARED_MARGIN = 3
/** Not measured: an idle side has cold caches. */
const LEAD_IN_SECONDS = 0.5
/** Rounds measured before the processes are restarted. */
const ROUNDS_PER_PROCESS = 2

export type CompareOptions = { against: string; rounds: number; seconds: number; isSelected(name: string): boolean }

type Contender = BenchContext & { operation: Operation; best: number; rounds: Measured[] }

export const COMPARED_NAMES = KINDS.map(({ name }) => name)

/** Measures the operations on this checkout and on another, in turn, one at a time while the other is idle. */
export async function compare(
  { against, rounds, seconds, isSelected }: CompareOptions,
  { closers, say }: { closers: Closers; say: Say },
): Promise<string> {
  const kinds = KINDS.filter(({ name }) => isSelected(name))
  if (kinds.length === 0) throw new Error('no operation has a word of --only in its name')
  const versions = [OWN_VERSION.checkout, resolve(against)].map(versionIn)
  const contexts: BenchContext[] = []
  for (const version of versions) {
    say(`starting ${version.checkout}`)
    const side = await openSide(version, { closers, say })
    const population = populationOf(side)
    contexts.push({ side, population, wallets: walletsOf(side, population) })
  }
  const compared: Compared[] = []
  try {
    for (const kind of kinds) compared.push(await compareOn(contexts, kind, { rounds, seconds, say }))
  } catch (error) {
    if (compared.length > 0) say(`what was measured until it failed:\n\n${comparedReport(compared)}`)
    throw error
  }
  const [own = '', other = ''] = await Promise.all(versions.map(nameOf))
  return `this: ${own}\nagainst: ${other}\n\n${comparedReport(compared)}`
}

type Rounds = { rounds: number; seconds: number; say: Say }

async function compareOn(
  contexts: BenchContext[],
  { name, open }: Kind,
  { rounds, seconds, say }: Rounds,
): Promise<Compared> {
  say(`${name}: preparing`)
  const contenders: Contender[] = []
  for (const context of contexts) contenders.push(await openContender(context, open))
  const [ours, theirs] = contenders
  assert(ours && theirs)
  for (let round = 0; round < rounds; round++) {
    if (round % ROUNDS_PER_PROCESS === 0) for (const contender of contenders) await restartAndWarmUp(contender)
    for (const contender of contenders)
      await contender.operation.prepare?.(Math.ceil(contender.best * seconds * PREPARED_MARGIN))
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) await measure(contender, seconds)
    say(`  round ${round + 1}: ${comparedLine(ours.rounds.at(-1), theirs.rounds.at(-1))}`)
  }
  for (const { operation } of contenders) await operation.check?.()
  return { name, ours: ours.rounds, theirs: theirs.rounds }
}

async function openContender(context: BenchContext, open: Kind['open']): Promise<Contender> {
  await context.side.signIn()
  return { ...context, operation: await open(context), best: 0, rounds: [] }
}

/**
 * Restarts the product: random effects, such as how its code was compiled, last as long as a process, and would distort
 * a single one.
 */
async function restartAndWarmUp(contender: Contender): Promise<void> {
  const { stage } = contender.side
  await stage.restartProduct()
  contender.best = Math.max(contender.best, (await warmUp(contender)).perSecond)
  await settle(stage)
}

async function warmUp({ side, operation: { prepare, source } }: Contender): Promise<Round> {
  await prepare?.(WARM_UP_REQUESTS)
  const end = performance.now() + WARM_UP_MS
  let sent = 0
  return drive(side.stage.productUrl, (connection) =>
    ++sent > WARM_UP_REQUESTS && performance.now() > end ? undefined : source(connection),
  )
}

async function measure(contender: Contender, seconds: number): Promise<void> {
  const { side, operation } = contender
  const { productUrl } = side.stage
  await drive(productUrl, operation.source, { seconds: LEAD_IN_SECONDS })
  const before = await side.meter.read()
  const round = await drive(productUrl, operation.source, { seconds })
  const after = await side.meter.read()
  if (round.isDry)
    throw new Error(`what was prepared was used up after ${round.responses} requests, before the round ended`)
  contender.best = Math.max(contender.best, round.perSecond)
  contender.rounds.push(measuredFrom(round, before, after))
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

/** Returns a checkout with the Node in its packages, which it was made for. */
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
