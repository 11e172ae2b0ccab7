import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Ended, figuresOf, interruptStages, runStage } from './run-stage.ts'
import { type Stage, STAGES } from './stages.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2
const EXIT_INTERRUPTED = 130
/** What a stage keeps busy is a mean: with a little more than all cores, none stands idle. */
const SPARE_CORES = 0.3

const NAMES = STAGES.map(({ name }) => name)

const HELP = `npm run ci -- [name of a stage]…

Runs all that a build server runs, as many stages at once as the cores have room for:
${NAMES.join(', ')}.

The log of a stage is printed when it has ended. What stops processes, or waits for a browser or a balancer, runs once more, alone,
at the end if it has failed: a file, or a stage without files. If it passes then, the run is green and names it UNSTABLE.

Exit code 1 when a stage failed.`

async function runStages(stages: readonly Stage[], folder: string): Promise<void> {
  const ended = await runSideBySide(stages, folder)
  const unstable: string[] = []
  const broken: { stage: string; what: string; tail: string }[] = []
  for (const one of ended.filter(({ code }) => code !== 0)) {
    const repeats = repeatsOf(one)
    if (repeats.length === 0) broken.push({ stage: one.stage.name, what: one.stage.name, tail: one.tail })
    for (const repeat of repeats) {
      const { code, tail } = await runStage(repeat, folder)
      const what = `${repeat.name} (seed ${one.seed}, load ${one.load.toFixed(1)})`
      if (code === 0) unstable.push(what)
      else broken.push({ stage: one.stage.name, what, tail })
    }
  }
  const whole = {
    stage: { name: 'all' },
    wall_s: performance.now() / 1_000,
    cpu_s: sum(ended.map(({ cpu_s }) => cpu_s)),
  }
  console.log(`\n${[...ended, whole].map(figuresOf).join('\n')}`)
  for (const what of unstable) console.log(`UNSTABLE ${what}: failed, and passed when it ran once more, alone`)
  for (const { what, tail } of broken) console.log(`FAILED ${what}; the end of its log:\n${tail}\n`)
  const failed = new Set(broken.map(({ stage }) => stage)).size
  console.log(`${ended.length - failed} passed, ${failed} failed`)
  if (failed > 0) process.exitCode = EXIT_FAILED
}

/** Starts what others wait for, then the longest stage that the cores have room for, until all have ended. */
async function runSideBySide(stages: readonly Stage[], folder: string): Promise<Ended[]> {
  const cores = availableParallelism() + SPARE_CORES
  const isAwaited = ({ name }: Stage) => stages.some(({ after }) => after === name)
  const waiting = stages.toSorted(
    (one, other) => Number(isAwaited(other)) - Number(isAwaited(one)) || other.wall_s - one.wall_s,
  )
  const ended: Ended[] = []
  const running = new Map<Stage, Promise<void>>()
  const isReady = ({ after }: Stage) =>
    !stages.some(({ name }) => name === after) || ended.some(({ stage }) => stage.name === after)
  while (waiting.length > 0 || running.size > 0) {
    const used = sum([...running.keys()].map((stage) => stage.cores))
    const next = waiting.find((stage) => isReady(stage) && (running.size === 0 || used + stage.cores <= cores))
    if (next === undefined) {
      await Promise.race(running.values())
      continue
    }
    waiting.splice(waiting.indexOf(next), 1)
    const end = runStage(next, folder).then((one) => {
      ended.push(one)
      running.delete(next)
    })
    running.set(next, end)
  }
  return ended
}

/** What of a failed stage may run once more; nothing when the stage may not fail even once. */
function repeatsOf({ stage, failedFiles }: Ended): Stage[] {
  if (stage.again === 'whole') return [{ ...stage, name: `${stage.name} again` }]
  if (stage.again === undefined) return []
  const separator = stage.command.includes('--') ? [] : ['--']
  return failedFiles.map((file) => ({
    ...stage,
    name: `${file} again`,
    command: [...stage.command, ...separator, file],
  }))
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false } },
})
const unknown = positionals.filter((name) => !NAMES.includes(name))
if (values.help) console.log(HELP)
else if (unknown.length > 0) {
  console.error(`there is no stage ${unknown.join(', ')}; there are ${NAMES.join(', ')}`)
  process.exitCode = EXIT_USAGE
} else {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      interruptStages()
      process.exit(EXIT_INTERRUPTED)
    })
  const folder = await mkdtemp(join(tmpdir(), 'banyan-ci-'))
  await runStages(
    STAGES.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    folder,
  )
  await rm(folder, { recursive: true, force: true })
}
