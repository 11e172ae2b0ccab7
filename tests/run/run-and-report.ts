import { cpuSeconds } from './cpu-seconds.ts'
import { noteFailedFiles } from './failed-files.ts'
import type { FileResult } from './messages.ts'
import { runFiles } from './processes.ts'
import { failuresOf, hasFailed, isGreen, lineOf, summaryOf } from './report.ts'

export const EXIT_FAILED = 1
export const EXIT_USAGE = 2
const EXIT_INTERRUPTED = 130
const APP = new URL('../support/app.ts', import.meta.url).href
/** Longer than any test takes, on a machine that is busy with other things too. */
export const SILENCE_MS = 600_000

type Wanted = {
  files: string[]
  seed: string
  processes: number
  /** A line for each test. */
  verbose: boolean
  /** Awaited before the first file is begun. */
  environment: Promise<Record<string, string>>
  /** Returns the process id of the database's server, when the run has started one. */
  databasePid?: () => number | undefined
}

/** Runs the files, prints how they ended, and sets the exit code. */
export async function runAndReport({ files, seed, processes, verbose, ...database }: Wanted): Promise<void> {
  const [results, errors]: [FileResult[], string[]] = [[], []]
  const interruption = new AbortController()
  process.once('SIGINT', () => interruption.abort()).once('SIGTERM', () => interruption.abort())
  await runFiles({
    files,
    processes,
    environment: database.environment,
    preloaded: [APP],
    silence_ms: SILENCE_MS,
    signal: interruption.signal,
    onTest: (file, { name, outcome }) => verbose && console.log(`${outcome}  ${file}  ${name}`),
    onFile: (result) => {
      results.push(result)
      console.log(lineOf(result))
    },
    onError: (error, ran) => errors.push(`${error}\n  in the process of ${ran.join(', ')}`),
  })
  if (interruption.signal.aborted) return void (process.exitCode = EXIT_INTERRUPTED)
  const databasePid = database.databasePid?.()
  const database_cpu_s = databasePid === undefined ? 0 : cpuSeconds(databasePid)
  const outcome = { results, errors, wall_s: performance.now() / 1_000, cpu_s: cpuSeconds(), database_cpu_s, seed }
  console.log(`${failuresOf(outcome)}\n${summaryOf(outcome)}`)
  if (errors.length === 0) noteFailedFiles(results.filter(hasFailed).map(({ file }) => file))
  process.exitCode = isGreen(outcome) ? 0 : EXIT_FAILED
}
