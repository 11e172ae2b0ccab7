import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { FAILED_FILES } from './failed-files.ts'
import type { Stage } from './stages.ts'

/** Of a stage that passed; the whole log of one that failed is printed. */
const TAIL_LINES = 9
/** Of one that failed, at the end of the run: where a build server cuts its output, the end is what it shows. */
const FAILED_TAIL_LINES = 40

/** How a stage ended. `failedFiles` is empty where the stage does not report them; `load` is that of the machine at its end. */
export type Ended = {
  stage: Stage
  code: number | null
  wall_s: number
  cpu_s: number
  failedFiles: string[]
  load: number
  seed: string
  /** The end of its log. */
  tail: string
}

const running = new Set<number>()

/** Ends all stages that run, with the processes that they started. */
export const interruptStages = (): void => running.forEach((pid) => process.kill(-pid, 'SIGTERM'))

/** Prints a line with the seconds since this program began. */
export const say = (text: string): void =>
  console.log(`[${(performance.now() / 1_000).toFixed(0).padStart(4)} s] ${text}`)

/** Runs a stage to its end with its output in a file of the folder, and prints that together. */
export async function runStage(stage: Stage, folder: string): Promise<Ended> {
  say(`began   ${stage.name}`)
  const from = performance.now()
  const path = (name: string) => join(folder, `${stage.name.replaceAll(/[ /]/g, '-')}.${name}`)
  const log = await open(path('log'), 'w')
  // The shell reports what its children used, ended ones included.
  const script = '"$@"; code=$?; times > "$0"; exit $code'
  const child = spawn('bash', ['-c', script, path('times'), ...stage.command], {
    env: { ...process.env, [FAILED_FILES]: path('failed') },
    stdio: ['ignore', log.fd, log.fd],
    detached: true, // a group of its own, so that an interruption ends all of it
  })
  const { pid = 0 } = child
  running.add(pid)
  const code = await new Promise<number | null>((resolve) =>
    child.once('exit', resolve).once('error', () => resolve(null)),
  )
  running.delete(pid)
  await log.close()
  const text = await readFile(path('log'), 'utf8')
  const lines = text.trimEnd().split('\n')
  const prefixed = (some: string[]) => some.map((line) => `${stage.name}| ${line}`).join('\n')
  const ended = {
    stage,
    code,
    wall_s: (performance.now() - from) / 1_000,
    cpu_s: cpuSecondsIn(textOf(path('times'))),
    failedFiles: JSON.parse(textOf(path('failed')) || '[]') as string[],
    load: loadavg()[0] ?? 0,
    seed: [...text.matchAll(/\bseed (\w+)/g)].at(-1)?.[1] ?? 'none',
    tail: prefixed(lines.slice(-FAILED_TAIL_LINES)),
  }
  console.log(prefixed(code === 0 ? lines.slice(-TAIL_LINES) : lines))
  say(`${code === 0 ? 'passed ' : `FAILED (exit code ${code})`} ${figuresOf(ended)}`)
  return ended
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Of the last line of bash's `times`: minutes and seconds of the user and of the system. */
const cpuSecondsIn = (text: string): number =>
  [...(text.trimEnd().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  )

export const figuresOf = ({
  stage,
  wall_s,
  cpu_s,
}: Pick<Ended, 'wall_s' | 'cpu_s'> & { stage: { name: string } }): string =>
  `${stage.name.padEnd(10)} wall ${wall_s.toFixed(0).padStart(4)} s  CPU ${cpu_s.toFixed(0).padStart(4)} s`
