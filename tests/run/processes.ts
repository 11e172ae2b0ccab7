import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FileResult, Order, Report, TestResult } from './messages.ts'

const PROGRAM = fileURLToPath(new URL('process.ts', import.meta.url))
const REPORTER = fileURLToPath(new URL('reporter.ts', import.meta.url))

type Run = {
  /** In the order in which they are started. */
  files: string[]
  processes: number
  /** Modules that most files import: loaded while the processes wait for the environment. */
  preloaded: string[]
  /** The longest time without any message about a file: no test of it begins or ends. */
  silence_ms: number
  /** Awaited before the first file is started. */
  environment: Promise<Record<string, string>>
  /** Ends all processes immediately. */
  signal: AbortSignal
  onTest: (file: string, result: TestResult) => void
  onFile: (result: FileResult) => void
  /** Called with errors outside of all tests, in a process that ran these files. */
  onError: (error: string, files: string[]) => void
}

type TestProcess = ReturnType<typeof startProcess>

const living = new Set<ChildProcess>()
process.once('exit', () => living.forEach((child) => child.kill('SIGKILL')))

/** Runs test files in this many processes, each of which takes the next file when it is done with one. */
export async function runFiles(run: Run): Promise<void> {
  const waiting = [...run.files]
  const lane = async (): Promise<void> => {
    let current: TestProcess | undefined
    for (let file = waiting.shift(); file !== undefined && !run.signal.aborted; file = waiting.shift()) {
      current ??= startProcess(run)
      const result = await current.runFile(file)
      if (!run.signal.aborted) run.onFile(result)
      // A file's errors must not affect the next one.
      if (result.errors.length === 0) continue
      current.kill()
      current = undefined
    }
    await current?.end()
  }
  await Promise.all(Array.from({ length: Math.min(run.processes, waiting.length) }, lane))
}

function startProcess({ preloaded, silence_ms, environment, signal, onTest, onError }: Run) {
  const child = launch(preloaded)
  const stop = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop)
  environment.catch(stop) // no file will run, and a waiting process would keep the run from ending
  const ready = new Promise<void>((resolve) => child.once('message', () => resolve()))
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  const files: string[] = []
  const order = (what: Order) => void child.send(what)

  async function runFile(file: string): Promise<FileResult> {
    const [found] = await Promise.all([environment, Promise.race([ready, ended])])
    files.push(file)
    const tests: TestResult[] = []
    const { promise, resolve } = Promise.withResolvers<Pick<FileResult, 'errors' | 'took_ms' | 'cpu_s'>>()
    const from = performance.now()
    const lost = (error: string) => resolve({ errors: [error], took_ms: performance.now() - from, cpu_s: 0 })
    let last = 'none'
    const hung = () => lost(`nothing was heard for ${silence_ms / 1_000} s; the last test that had begun: ${last}`)
    const limit = setTimeout(hung, silence_ms)
    const listen = (report: Report): void => {
      limit.refresh()
      if ('begun' in report) last = report.begun
      if ('ended' in report) {
        tests.push(report.ended)
        onTest(file, report.ended)
      }
      if ('error' in report) onError(report.error, files)
      if ('done' in report) resolve(report.done)
    }
    child.on('message', listen)
    void ended.then((how) => lost(`its process ended with ${how}; the last test that had begun: ${last}`))
    order({ run: file, environment: found })
    const { errors, ...cost } = await promise
    clearTimeout(limit)
    child.off('message', listen)
    const isEmpty = tests.length === 0 && errors.length === 0
    return { file, tests, errors: isEmpty ? ['has no tests'] : errors, ...cost }
  }

  return {
    runFile,
    kill: stop,
    /** Ends it in order; anything that keeps it is reported, and it ends anyway. */
    async end(): Promise<void> {
      child.on('message', (report: Report) => 'error' in report && onError(report.error, files))
      order({ within_ms: silence_ms })
      const limit = setTimeout(() => child.kill('SIGKILL'), 2 * silence_ms)
      await ended
      clearTimeout(limit)
    },
  }
}

function launch(preloaded: string[]): ChildProcess {
  const { NODE_TEST_CONTEXT: _outer, ...env } = process.env
  const child = fork(PROGRAM, preloaded, {
    env,
    execArgv: [`--test-reporter=${REPORTER}`],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.on('error', () => {}) // it can no longer receive messages, and its exit is handled
  living.add(child)
  child.once('exit', () => living.delete(child))
  return child
}
