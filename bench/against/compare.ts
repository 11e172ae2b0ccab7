import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { ModeContext } from '../part.ts'
import { OWN_VERSION, type Say, type Version } from '../stage.ts'
import { type Contender, measure, openContender, prepareRound, restartAndWarmUp } from './contender.ts'
import { type BenchContext, type Kind, KINDS } from './operations.ts'
import { populationOf } from './population.ts'
import { type Compared, comparedLine, comparedReport, type Measured } from './report.ts'
import { openSide } from './side.ts'
import { walletsOf } from './wallets.ts'

/** Rounds measured before the processes are restarted. */
const ROUNDS_PER_PROCESS = 2

export type CompareOptions = { against: string; rounds: number; seconds: number; isSelected(name: string): boolean }

export const COMPARED_NAMES = KINDS.map(({ name }) => name)

/** Measures the operations on this checkout and on another, in turn, one at a time while the other is idle. */
export async function compare(
  { against, rounds, seconds, isSelected }: CompareOptions,
  { closers, say }: ModeContext,
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
  const contenders: (Contender & { rounds: Measured[] })[] = []
  for (const context of contexts) contenders.push({ ...(await openContender(context, open)), rounds: [] })
  const [ours, theirs] = contenders
  assert(ours && theirs)
  for (let round = 0; round < rounds; round++) {
    const processes = Math.floor(round / ROUNDS_PER_PROCESS)
    // Which side comes first alternates, because the first to start idles longest before it is measured.
    const inTurn = (turn: number) => (turn % 2 === 0 ? contenders : contenders.toReversed())
    if (round % ROUNDS_PER_PROCESS === 0) for (const contender of inTurn(processes)) await restartAndWarmUp(contender)
    for (const contender of inTurn(processes)) await prepareRound(contender, seconds)
    for (const contender of inTurn(processes + round)) contender.rounds.push(await measure(contender, seconds))
    say(`  round ${round + 1}: ${comparedLine(ours.rounds.at(-1), theirs.rounds.at(-1))}`)
  }
  for (const { operation } of contenders) await operation.check?.()
  return { name, ours: ours.rounds, theirs: theirs.rounds }
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
