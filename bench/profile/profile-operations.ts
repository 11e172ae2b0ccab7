import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { measure, openContender, prepareRound, restartAndWarmUp } from '../against/contender.ts'
import { type BenchContext, type Kind, KINDS } from '../against/operations.ts'
import { populationOf } from '../against/population.ts'
import { openSide } from '../against/side.ts'
import { walletsOf } from '../against/wallets.ts'
import type { ModeContext } from '../part.ts'
import { writeSection } from '../performance-page.ts'
import { freePorts } from '../processes.ts'
import { OWN_VERSION } from '../stage.ts'
import { type CpuProfile, profileDuring, selfTimes } from './inspector.ts'
import { moduleOf, locationOf } from './modules.ts'
import { threadTimesOf } from './threads.ts'
import { table } from '../../tools/reference/markdown.ts'

/** In this order: the last one leaves pending wallets. The target is the CPU time of the server, in µs a request. */
const PROFILED: { name: string; title: string; targetMicros?: number }[] = [
  { name: 'list policies', title: 'list policies', targetMicros: 95 },
  { name: 'issue token known', title: 'known token', targetMicros: 85 },
  { name: 'issue token new', title: 'new user', targetMicros: 160 },
  { name: 'ten dependants', title: '10 dependants', targetMicros: 220 },
  { name: 'wallet status', title: 'wallet status', targetMicros: 60 },
  { name: 'policy status', title: 'status of a policy' },
  { name: 'credit', title: 'booking' },
  { name: 'create wallet new', title: 'new wallet', targetMicros: 110 },
]
/**
 * V8 compiles the hot code for so long: of lists, its threads took 125 µs a request at first and 16 after 20,000 requests, the
 * main thread 386 and 216.
 */
const WARM_UP_REQUESTS = 20_000
/** Modules that take less in every operation are summed up. */
const SMALL_MICROS = 1.5
const SMALL = 'all others'
const DEAREST = 8

export const PROFILED_NAMES = PROFILED.map(({ name }) => name)

type ProfileOptions = { seconds: number; keep: string | undefined; isSelected(name: string): boolean }
type Micros = Map<string, number>
type Profiled = {
  title: string
  targetMicros: number | undefined
  perSecond: number
  serverMicros: number
  databaseMicros: number
  othersBusy: number
  modules: Micros
  locations: Micros
}

/** Profiles the product while it serves each operation, and writes what each module takes of a request. */
export async function profileOperations(
  { seconds, keep, isSelected }: ProfileOptions,
  { closers, say, machine }: ModeContext,
): Promise<string> {
  const selected = PROFILED.filter(({ name }) => isSelected(name))
  assert(selected.length > 0, 'no operation has a word of --only in its name')
  const [port = ''] = await freePorts(1)
  const address = `127.0.0.1:${port}`
  const side = await openSide(OWN_VERSION, { closers, say, nodeArguments: [`--inspect-port=${address}`] })
  const population = populationOf(side)
  const context = { side, population, wallets: walletsOf(side, population) }
  if (keep !== undefined) await mkdir(keep, { recursive: true })
  const all: Profiled[] = []
  for (const one of selected) {
    say(`${one.name}: preparing`)
    const kind = KINDS.find(({ name }) => name === one.name)
    assert(kind)
    const { profile, ...costs } = await profileOne(context, kind, { seconds, url: `http://${address}` })
    if (keep !== undefined)
      await writeFile(join(keep, `${one.name.replaceAll(' ', '-')}.cpuprofile`), JSON.stringify(profile))
    all.push({ title: one.title, targetMicros: one.targetMicros, ...costs })
    say(`  ${costs.serverMicros.toFixed(0)} µs of the server, others took ${(costs.othersBusy * 100).toFixed(0)} %`)
  }
  const report = reportOf(all)
  if (selected.length === PROFILED.length) await writeSection('Where the time of a request goes', machine, report)
  return report
}

/** One round without the profiler says what a request costs, the next one with it how that is divided. */
async function profileOne(context: BenchContext, { open }: Kind, { seconds, url }: { seconds: number; url: string }) {
  const contender = await openContender(context, open)
  await restartAndWarmUp(contender, WARM_UP_REQUESTS)
  await prepareRound(contender, seconds)
  const { perSecond, serverMicros, databaseMicros, othersBusy } = await measure(contender, seconds)
  await prepareRound(contender, seconds)
  const pid = context.side.stage.productPid
  const before = threadTimesOf(pid)
  const { profile } = await profileDuring({ pid, url }, () => measure(contender, seconds))
  const after = threadTimesOf(pid)
  await contender.operation.check?.()

  const used = {
    main: after.main - before.main,
    pool: after.pool - before.pool,
    helpers: after.helpers - before.helpers,
  }
  const ticks = used.main + used.pool + used.helpers
  const microsOf = (part: keyof typeof used) => (serverMicros * used[part]) / ticks
  return {
    profile,
    perSecond,
    serverMicros,
    databaseMicros,
    othersBusy,
    modules: new Map([
      ...shared(profile, microsOf('main'), moduleOf),
      ['threads: pool (signatures, hashes)', microsOf('pool')],
      ['threads: collector and compiler of V8', microsOf('helpers')],
    ]),
    locations: shared(profile, microsOf('main'), (frame) =>
      moduleOf(frame) === undefined ? undefined : locationOf(frame),
    ),
  }
}

type NameOf = (frame: ReturnType<typeof selfTimes>[number]['frame']) => string | undefined

/** Divides the microseconds of a request as the samples are divided. Those without a name do not count. */
function shared(profile: CpuProfile, micros: number, nameOf: NameOf): Micros {
  const sums: Micros = new Map()
  for (const { frame, micros: own } of selfTimes(profile)) {
    const name = nameOf(frame)
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + own)
  }
  const total = [...sums.values()].reduce((sum, one) => sum + one, 0)
  return new Map([...sums].map(([name, own]) => [name, (own / total) * micros]))
}

const verdictOn = (micros: number, target = Number.POSITIVE_INFINITY): string => {
  if (target === Number.POSITIVE_INFINITY) return ''
  return micros <= target ? 'met' : `missed by ${((micros / target - 1) * 100).toFixed(0)} %`
}

function reportOf(all: Profiled[]): string {
  const head = ['µs a request', ...all.map(({ title }) => title)]
  const row = (name: string, of: (one: Profiled) => string) => [name, ...all.map(of)]
  const most = new Map<string, number>()
  for (const { modules } of all)
    for (const [name, micros] of modules) most.set(name, Math.max(micros, most.get(name) ?? 0))
  const isSmall = (name: string) => (most.get(name) ?? 0) < SMALL_MICROS
  const names = [...most.keys()]
    .filter((name) => !isSmall(name))
    .toSorted((a, b) => (most.get(b) ?? 0) - (most.get(a) ?? 0))
  const sumOfSmall = ({ modules }: Profiled) =>
    [...modules].reduce((sum, [name, micros]) => (isSmall(name) ? sum + micros : sum), 0)
  const rows = [
    row('**server**', ({ serverMicros }) => `**${serverMicros.toFixed(0)}**`),
    row('target', ({ targetMicros }) => targetMicros?.toFixed(0) ?? ''),
    row('', ({ targetMicros, serverMicros }) => verdictOn(serverMicros, targetMicros)),
    row('database', ({ databaseMicros }) => databaseMicros.toFixed(0)),
    ...names.map((name) => row(name, ({ modules }) => (modules.get(name) ?? 0).toFixed(1))),
    row(SMALL, (one) => sumOfSmall(one).toFixed(1)),
  ]
  const dearest = all.map(({ title, locations }) => {
    const lines = [...locations].toSorted(([, a], [, b]) => b - a).slice(0, DEAREST)
    return `- ${title}: ${lines.map(([location, micros]) => `${micros.toFixed(1)} \`${location}\``).join(', ')}`
  })
  const others = Math.max(...all.map(({ othersBusy }) => othersBusy))
  return [
    table(head, rows),
    '',
    `Other programs took up to ${(others * 100).toFixed(0)} % of the processors. The functions that take most, without what they call:`,
    '',
    ...dearest,
  ].join('\n')
}
