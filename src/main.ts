import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { loadDemo } from '../sandbox/demo.ts'
import { type AuditHead, openAuditHeads } from './access/audit-heads.ts'
import type { Administrator } from './access/caller.ts'
import {
  type Config,
  ConfigError,
  loadConfig,
  loadDatabaseConfig,
  loadErasureConfig,
  loadTokenConfig,
  VERSION,
} from './config.ts'
import { applyErasures, listErasures, parseTombstones, TombstoneError } from './domains/personal-data/index.ts'
import { verifyLedger } from './domains/ledger/index.ts'
import { isWebhookSecret, newWebhookSecret } from './kernel/crypto/sign-webhook.ts'
import { findNewest, textOf, verifyAudit } from './record/seal-audit.ts'
import { openChild } from './kernel/processes/child.ts'
import { StartError } from './kernel/start-error.ts'
import { addKeysCommand } from './keys-command.ts'
import { exchangeBasicToken, listen } from './listen.ts'
import {
  auditToken,
  mainTokens,
  migrateDatabase,
  type Roles,
  run,
  type Running,
  withDatabase,
  withErasing,
} from './run.ts'
import { supervise } from './supervise.ts'

/** The process exits after this time, whatever hangs. */
const STOP_TIMEOUT_MS = 9_000
/** A terminal signals the whole group, and npm forwards the signal, so it comes twice. A later one is a second signal. */
const SAME_SIGNAL_MS = 1_000
const EXIT_FAILURE = 1
const EXIT_USAGE = 2

/** The default of PUBLIC_URL. */
const DEFAULT_ORIGIN = 'http://localhost:8080'

const NOTHING: Roles = { api: false, worker: false, sandbox: false, migrate: false }

const program = new Command('banyan')
  .description('Backend of a benefits platform. Settings come from the environment; README.md lists them.')
  .version(VERSION)
  .exitOverride()

const processes = new Option('--processes <n>', 'the number of API processes; overrides PROCESSES')

program
  .command('start')
  .description('run everything: database, migrations, API, worker and, outside production, the sandbox')
  .addOption(processes)
  .action(async (options: { processes?: string }) => {
    const config = loadConfig(undefined, options)
    await serveUntilStopped(config, { api: true, worker: true, migrate: true, sandbox: !config.production })
    print(welcome(config))
  })

program
  .command('serve')
  .description('run the API only')
  .addOption(processes)
  .action((options: { processes?: string }) =>
    serveUntilStopped(loadConfig(undefined, options), { ...NOTHING, api: true }),
  )

program
  .command('process', { hidden: true })
  .description('run one of the processes of start or serve')
  .addArgument(new Argument('<role>').choices(['api', 'worker']))
  .argument('<name>')
  .action(async (role: 'api' | 'worker', name: string) => {
    const child = openChild(name)
    child.on({ orphaned: () => process.exit(EXIT_FAILURE) })
    const running = await run(loadConfig(), { ...NOTHING, [role]: true }, child)
    const { end } = untilStopped(running, { canForce: false }) // the supervisor decides
    process.on('SIGUSR2', () => {}) // when sent to the whole group, it is for the supervisor
    const leave = () => void Promise.resolve(running.drain?.()).then(() => end(0))
    child.on({ leave, orphaned: () => end(EXIT_FAILURE) })
    child.sendReady()
  })

program
  .command('work')
  .description('run the worker only')
  .action(async () => void untilStopped(await run(loadConfig(), { ...NOTHING, worker: true })))

program
  .command('migrate')
  .description('migrate the database to this version and exit')
  .action(async () => {
    print(`The database is up to date: ${await migrateDatabase(loadDatabaseConfig())}.`)
  })

program
  .command('sandbox')
  .description('run the sandbox only; never in production')
  .action(async () => {
    const config = loadConfig()
    if (config.production) throw new ConfigError(['The sandbox does not run in production.'])
    untilStopped(await run(config, { ...NOTHING, sandbox: true }))
    print(`Sandbox at http://localhost:${config.sandboxPort}`)
  })

program
  .command('token')
  .description('print an administrator token that is valid for 15 minutes; works beside a running server')
  .addOption(
    new Option('--role <role>', 'role of the token').choices(['owner', 'operator', 'viewer']).makeOptionMandatory(),
  )
  .action(async ({ role }: { role: Administrator }) => {
    const config = loadTokenConfig()
    await auditToken(config, `${role}:command-line`)
    print(mainTokens(config).issueToAdministrator({ role, subject: 'command-line' }).token)
  })

program
  .command('ledger')
  .description('commands for the wallet ledger')
  .command('verify')
  .description('recompute every balance from its entries; exits with 1 if one is wrong')
  .action(async () => {
    const { wallets, transactions, wrong } = await withDatabase(loadDatabaseConfig(), (db) =>
      verifyLedger(db, (done) => process.stderr.write(`${done} wallets so far\n`)),
    )
    for (const userId of wrong) print(`wrong: user:${userId}`)
    print(`${wallets} wallets, ${transactions} transactions, ${wrong.length} wrong`)
    if (wrong.length > 0) process.exitCode = EXIT_FAILURE
  })

type ListenOptions = {
  url?: string
  token?: string
  basicToken?: string
  type?: string[]
  after?: string
  forward?: string
  secret?: string
}

program
  .command('events')
  .description('commands for the event log')
  .command('listen')
  .description(
    'print events as they happen, one line of JSON each, until Ctrl-C; optionally forward them to your program',
  )
  .addOption(
    new Option('--url <url>', 'URL of the API, without a path; defaults to the local server')
      .env('BANYAN_URL')
      .argParser(webAddress),
  )
  .addOption(new Option('--token <token>', 'an access token').env('BANYAN_TOKEN'))
  .addOption(
    new Option('--basic-token <token>', 'a basic_token, exchanged when needed; prefer the environment variable')
      .env('BANYAN_BASIC_TOKEN')
      .conflicts('token'),
  )
  .addOption(new Option('--type <type...>', 'only events of these types'))
  .addOption(new Option('--after <event>', 'only events after the one with this id; defaults to new events'))
  .addOption(
    new Option('--forward <url>', 'POST each event once to this URL, signed according to Standard Webhooks').argParser(
      webAddress,
    ),
  )
  .addOption(
    new Option('--secret <whsec>', 'secret that signs them; by default a new one, which is printed')
      .env('BANYAN_WEBHOOK_SECRET')
      .argParser(webhookSecret),
  )
  .addHelpText(
    'after',
    '\nExit codes: 0 ended by Ctrl-C, 1 rejected by the API, 2 wrong options. Temporary failures are retried.',
  )
  .action((options: ListenOptions) => listenUntilStopped(options))
const audit = program.command('audit').description('commands for the audit')

audit
  .command('head')
  .description(
    'print the newest sealed head, <number>:<hash>, and its signature, to keep elsewhere; exits with 1 if there is none',
  )
  .action(async () => {
    const newest = await withDatabase(loadDatabaseConfig(), findNewest)
    if (newest) return print(`${textOf(newest)} ${newest.signature}`)
    process.stderr.write('Nothing is sealed yet.\n')
    process.exitCode = EXIT_FAILURE
  })

audit
  .command('verify')
  .description('verify that the sealed entries are unchanged; exits with 1 if not, 2 for a wrong option')
  .option(
    '--head <number:hash>',
    'a head kept elsewhere, from the log or `audit head`: also detects a truncated end',
    headFrom,
  )
  .action(async ({ head }: { head?: AuditHead }) => {
    const config = loadTokenConfig()
    const auditHeads = openAuditHeads({ keys: config.keys.signingKeys })
    const onProgress = (done: number) => void (done % 100 === 0 && process.stderr.write(`${done} batches so far\n`))
    const report = await withDatabase(config, (db) => verifyAudit({ db, auditHeads }, { head, onProgress }))
    for (const words of report.wrong) print(`wrong: ${words}`)
    const end = report.head ? `, head ${textOf(report.head)}` : ''
    print(`${report.batches} batches, ${report.entries} entries, ${report.wrong.length} wrong${end}`)
    if (report.wrong.length > 0) process.exitCode = EXIT_FAILURE
  })

const erasures = program.command('erasures').description('tombstones: who was erased, for databases that are restored')

erasures
  .command('list')
  .description(
    'print who was erased, a line of JSON each without anything of the person; keep it apart from the backups',
  )
  .action(async () => {
    await withDatabase(loadDatabaseConfig(), (db) => listErasures({ db }, (one) => print(JSON.stringify(one))))
  })

erasures
  .command('apply')
  .description('after a restore and before the service starts: erase again whoever was erased since the backup')
  .argument('[file]', 'what `erasures list` printed; without it standard input')
  .addHelpText(
    'after',
    '\nRun again it changes nothing; after a crash it goes on.\nExit codes: 0 all are erased, 1 not all, 2 the list is not one, and nothing was erased.',
  )
  .action((file: string | undefined) => applyErasuresFrom(file))
addKeysCommand(program, print)

program
  .command('demo')
  .description('fill a new platform of the running server with a family, its sponsor, policies, accounts and messages')
  .action(async () => {
    const config = loadConfig()
    if (config.production) throw new ConfigError(['The demo does not run in production.'])
    const administratorToken = mainTokens(config).issueToAdministrator({ role: 'owner', subject: 'demo' }).token
    await loadDemo({ baseUrl: `${config.origin}/v1`, administratorToken, print })
  })

// A reader such as `head` closes the pipe early, which is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

await program.parseAsync().catch(fail)

/** Without credentials, uses a viewer token signed with the keys of this installation, as `token` does. */
async function listenUntilStopped(options: ListenOptions): Promise<void> {
  const { token, basicToken, type: types = [], after, forward: forwardUrl } = options
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.on('SIGTERM', stop).on('SIGINT', stop)
  const { signal } = stopping
  const own = token === undefined && basicToken === undefined ? loadTokenConfig() : undefined
  const url = options.url ?? own?.origin ?? DEFAULT_ORIGIN
  const getToken = async () => {
    if (basicToken !== undefined) return exchangeBasicToken({ url, basicToken, signal })
    return (
      token ?? (own && mainTokens(own).issueToAdministrator({ role: 'viewer', subject: 'command-line' }).token) ?? ''
    )
  }
  const report = (sentence: string) => void process.stderr.write(`${sentence}\n`)
  const forward =
    forwardUrl === undefined ? undefined : { url: forwardUrl, secret: options.secret ?? newWebhookSecret() }
  report(`Listening to ${url}. Press Ctrl-C to stop.`)
  if (forward)
    report(`Forwarding to ${forward.url}, signed with ${options.secret === undefined ? forward.secret : 'your secret'}`)
  await listen({ url, getToken, types, after, forward, print, report, signal })
}

async function applyErasuresFrom(file: string | undefined): Promise<void> {
  const tombstones = parseTombstones(file === undefined ? await text(process.stdin) : await readFile(file, 'utf8'))
  const config = loadErasureConfig()
  const onProgress = (done: number) =>
    void (done % 100 === 0 && process.stderr.write(`${done} of ${tombstones.length} so far\n`))
  const report = await withErasing(config, (context) => applyErasures(context, tombstones, onProgress))
  for (const userId of report.withMoney) print(`held money in this database: user:${userId}`)
  print(`${report.erased} erased, ${report.before} erased before, ${report.unknown} not in this database`)
}

function webAddress(text: string): string {
  const isWebUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (!isWebUrl) throw new InvalidArgumentError('It must be a URL that starts with http:// or https://.')
  return text.replace(/\/$/, '')
}

function webhookSecret(text: string): string {
  if (!isWebhookSecret(text)) throw new InvalidArgumentError('It must be whsec_ followed by 24 to 64 bytes in base64.')
  return text
}

/** Runs the API in one process, or in several with a supervisor, until a signal. */
async function serveUntilStopped(config: Config, roles: Roles): Promise<void> {
  const running = await (config.processes > 1 ? supervise(config, roles) : run(config, roles))
  const { log, restart } = running
  process.on('SIGUSR2', () => {
    if (restart) void restart()
    else log.warn('a single process is not restarted: nothing would respond in the meantime')
  })
  untilStopped(running)
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
    if (error instanceof StartError) process.stderr.write(`${error.message}\n`)
    else running.log.fatal({ name: error.name, at: error.stack?.split('\n').slice(1, 6) }, 'uncaught exception')
    end(EXIT_FAILURE)
  })
  return { end }
}

function headFrom(text: string): AuditHead {
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (hash === undefined) throw new InvalidArgumentError('It must be <number>:<64 hexadecimal digits>.')
  return { number: Number(number), hash }
}

function welcome({ origin, dataDir, sandboxPort, metricsPort, production, databaseUrl }: Config): string {
  const lines = [
    `Banyan ${VERSION} is running.`,
    '',
    `  API       ${origin}/v1`,
    `  Docs      ${origin}/docs`,
    `  Health    ${origin}/readyz`,
    `  Metrics   http://localhost:${metricsPort}/metrics`,
    ...(production ? [] : [`  Sandbox   http://localhost:${sandboxPort}`]),
    `  Data      ${databaseUrl === null ? dataDir : 'the database at DATABASE_URL'}`,
    '',
    'Create a platform:',
    '',
    `  curl -s ${origin}/v1/platforms -H "authorization: Bearer $(npm run -s banyan -- token --role owner)" -H 'content-type: application/json' -d '{"name":"My platform"}'`,
    '',
    'Or load a demo family: npm run -s banyan -- demo. Continue with the tour in README.md.',
  ]
  return lines.join('\n')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a sentence for an expected error, a stack for any other. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE
    return
  }
  const isUsage = error instanceof ConfigError || error instanceof TombstoneError
  const isExpected = isUsage || error instanceof StartError || (error as NodeJS.ErrnoException).code !== undefined
  const sentence =
    (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      ? `${(error as Error).message}: another program uses that port.`
      : (error as Error).message
  process.stderr.write(`${isExpected ? sentence : ((error as Error).stack ?? sentence)}\n`)
  process.exitCode = isUsage ? EXIT_USAGE : EXIT_FAILURE
}
