import { Argument, type Command, Option } from 'commander'
import {
  aboutProgram,
  type Config,
  loadConfig,
  loadDatabaseConfig,
  loadDevelopmentConfig,
  loadSystemd,
  VERSION,
} from '../settings/config.ts'
import { locationsIn } from '../kernel/http/problems.ts'
import { createChild } from '../kernel/processes/child.ts'
import { notifySystemd } from '../kernel/processes/systemd.ts'
import { COMMAND } from '../kernel/program-files.ts'
import { StartError } from '../kernel/start-error.ts'
import type { Roles, Running } from '../boot/parts.ts'
import type { run } from '../boot/run.ts'
import { EXIT_FAILURE, type JsonOption, print, printJson, report, withJson } from './terminal.ts'

/** The process exits after this time, whatever hangs. */
const STOP_TIMEOUT_MS = 9_000
/** A terminal signals the whole group, and npm forwards the signal, so it comes twice. A later one is a second signal. */
const SAME_SIGNAL_MS = 1_000

const NOTHING: Roles = { api: false, worker: false, sandbox: false, migrate: false }

export function addServeCommands(program: Command): void {
  const processes = new Option('--processes <n>', 'the number of API processes; overrides PROCESSES')

  program
    .command('start')
    .description('run everything: database, migrations, API, worker and, outside production, the sandbox')
    .addOption(processes)
    .action(async (options: { processes?: string }) => {
      const config = loadConfig(undefined, options)
      const roles = { api: true, worker: true, migrate: true, sandbox: !config.production }
      const { missing = [] } = await serveUntilStopped(config, roles)
      print(welcome(config, missing))
    })

  program
    .command('serve')
    .description('run the API only')
    .addOption(processes)
    .action(async (options: { processes?: string }) => {
      await serveUntilStopped(loadConfig(undefined, options), { ...NOTHING, api: true })
    })

  program
    .command('process', { hidden: true })
    .description('run one of the processes of start or serve')
    .addArgument(new Argument('<role>').choices(['api', 'worker']))
    .argument('<name>')
    .action(async (role: 'api' | 'worker', name: string) => {
      const child = createChild(name)
      child.on({ orphaned: () => process.exit(EXIT_FAILURE) })
      const running = await runParts(loadConfig(), { ...NOTHING, [role]: true }, child)
      const { end } = untilStopped(running, { canForce: false }) // the supervisor decides
      process.on('SIGUSR2', () => {}) // when sent to the whole group, it is for the supervisor
      const leave = () => void Promise.resolve(running.drain?.()).then(() => end(0))
      child.on({ leave, orphaned: () => end(EXIT_FAILURE) })
      child.sendReady()
    })

  program
    .command('work')
    .description('run the worker only')
    .action(async () => {
      const config = loadConfig()
      const running = await runParts(config, { ...NOTHING, worker: true })
      untilStopped(running)
      notify(running)
      running.log.info(aboutProgram(config), 'ready')
    })

  withJson(
    program
      .command('migrate')
      .description('migrate the database to this version and exit')
      .option('--contract', 'also remove what only earlier versions need; there is no way back to them')
      .option('--restored', 'the database was restored, as to a point in time, which cannot be seen in it')
      .option('--force', 'go on although programs run that are too old; they take no more work')
      .addHelpText(
        'after',
        `
Without --contract, this version and the one before both run on the database. docs/operations.md has the steps.
Exit codes: 0 done, 1 refused or failed, with the reason, 2 wrong options or settings.`,
      ),
  ).action(async ({ json, ...options }: JsonOption & { contract?: boolean; force?: boolean; restored?: boolean }) => {
    const config = loadDatabaseConfig()
    const { migrateDatabase } = await import('../boot/parts.ts')
    const database = await migrateDatabase(config, options)
    if (json) printJson({ database })
    else print(`The database is up to date: ${database}.`)
  })

  program
    .command('sandbox')
    .description('run the sandbox only; never in production')
    .action(async () => {
      const config = loadDevelopmentConfig('The sandbox')
      untilStopped(await runParts(config, { ...NOTHING, sandbox: true }))
      print(`Sandbox at http://localhost:${config.sandboxPort}`)
    })
}

/** Loads the parts of the program only once the settings are valid. */
const runParts: typeof run = async (...args) => (await import('../boot/run.ts')).run(...args)

/** Runs the API in one process, or in several with a supervisor, until a signal. */
async function serveUntilStopped(config: Config, roles: Roles): Promise<Running> {
  const running = await (config.processes > 1
    ? (await import('../boot/supervise.ts')).supervise(config, roles)
    : runParts(config, roles))
  const { log, restart } = running
  process.on('SIGUSR2', () => {
    if (restart) void restart()
    else log.warn('a single process is not restarted: nothing would respond in the meantime')
  })
  untilStopped(running)
  notify(running)
  if (config.processes === 1) running.log.info(aboutProgram(config), 'ready')
  return running
}

/** Where systemd runs this program, notifies it that the program is ready and that its processes respond, until the process ends. */
function notify({ hung = async () => [], log }: Running): void {
  const systemd = loadSystemd()
  if (systemd) void notifySystemd(systemd, { hung, log })
}

/**
 * Stops requests, jobs and the database, in that order, at a signal or when the returned `end` is called. With
 * `canForce`, a second signal exits at once.
 */
function untilStopped(running: Running, { canForce = true } = {}): { end(code: number): void } {
  let endingSince: number | undefined
  let exitCode = 0
  const end = (code: number) => {
    exitCode = Math.max(exitCode, code)
    if (endingSince !== undefined) return
    endingSince = performance.now()
    setTimeout(() => process.exit(EXIT_FAILURE), STOP_TIMEOUT_MS).unref()
    void running.stop().then(() => process.exit(exitCode))
  }
  const stop = (signal: string) => {
    if (endingSince !== undefined) {
      if (canForce && performance.now() - endingSince > SAME_SIGNAL_MS) process.exit(EXIT_FAILURE)
      return
    }
    running.log.info({ signal }, 'stopping')
    end(0)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  process.once('uncaughtException', (error) => {
    if (error instanceof StartError) report(error.message)
    else running.log.fatal({ name: error.name, at: locationsIn(error.stack) }, 'uncaught exception')
    end(EXIT_FAILURE)
  })
  return { end }
}

function welcome(config: Config, missing: readonly string[]): string {
  const { origin, dataDir, sandboxPort, metricsHost, metricsPort, production, databaseUrl } = config
  const lines = [
    missing.length === 0
      ? `Banyan ${VERSION} is running.`
      : `Banyan ${VERSION} is running without ${missing.join(', ')}, which did not start; see the log. It tries again.`,
    '',
    `  API       ${origin}/v1`,
    `  Docs      ${origin}/docs`,
    `  Health    ${origin}/readyz`,
    `  Metrics   http://${metricsHost}:${metricsPort}/metrics`,
    ...(production ? [] : [`  Sandbox   http://localhost:${sandboxPort}`]),
    `  Data      ${databaseUrl === null ? dataDir : 'the database at DATABASE_URL'}`,
    '',
    'Create a platform:',
    '',
    `  curl -s ${origin}/v1/platforms -H "authorization: Bearer $(${COMMAND} token --role owner)" -H 'content-type: application/json' -d '{"name":"My platform"}'`,
    '',
    `Or load a demo family: ${COMMAND} demo. Continue in the handbook above, at “Your first policy”.`,
  ]
  return lines.join('\n')
}
