import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { loadDemo } from '../sandbox/demo.ts'
import { type AuditHead, openAuditHeads } from './access/audit-heads.ts'
import type { Administrator } from './access/caller.ts'
import { type Config, ConfigError, loadConfig, loadDatabaseConfig, loadTokenConfig, VERSION } from './config.ts'
import { verifyLedger } from './domains/ledger/index.ts'
import { isWebhookSecret, newWebhookSecret } from './kernel/crypto/sign-webhook.ts'
import { findNewest, textOf, verifyAudit } from './record/seal-audit.ts'
import { StartError } from './kernel/start-error.ts'
import { exchangeBasicToken, listen } from './listen.ts'
import { mainTokens, migrateDatabase, noteToken, type Roles, run, withDatabase } from './run.ts'

/** The process is gone by then, whatever hangs. */
const STOP_TIMEOUT_MS = 9_000
const EXIT_FAILURE = 1
const EXIT_USAGE = 2

/** Of an installation that sets nothing. */
const DEFAULT_ORIGIN = 'http://localhost:8080'

const NOTHING: Roles = { api: false, worker: false, sandbox: false, migrate: false }

const program = new Command('banyan')
  .description('Backend of a benefits platform. Settings come from the environment; README.md lists them.')
  .version(VERSION)
  .exitOverride()

program
  .command('start')
  .description('all in one: database, migrations, API, worker and, outside production, the sandbox companies')
  .action(async () => {
    const config = loadConfig()
    await runUntilStopped(config, { api: true, worker: true, migrate: true, sandbox: !config.production })
    print(welcome(config))
  })

program
  .command('serve')
  .description('the API alone')
  .action(() => runUntilStopped(loadConfig(), { ...NOTHING, api: true }))

program
  .command('work')
  .description('the worker alone')
  .action(() => runUntilStopped(loadConfig(), { ...NOTHING, worker: true }))

program
  .command('migrate')
  .description('bring the database to this version and exit')
  .action(async () => {
    print(`The database is at this version: ${await migrateDatabase(loadDatabaseConfig())}.`)
  })

program
  .command('sandbox')
  .description('the sandbox companies alone; never in production')
  .action(async () => {
    const config = loadConfig()
    if (config.production) throw new ConfigError(['The sandbox companies do not run in production.'])
    await runUntilStopped(config, { ...NOTHING, sandbox: true })
    print(`Sandbox companies at http://localhost:${config.sandboxPort}`)
  })

program
  .command('token')
  .description('print a 15 minute administrator token and nothing else; works beside a running server')
  .addOption(
    new Option('--role <role>', 'what the token may do').choices(['owner', 'operator', 'viewer']).makeOptionMandatory(),
  )
  .action(async ({ role }: { role: Administrator }) => {
    const config = loadTokenConfig()
    await noteToken(config, `${role}:command-line`)
    print(mainTokens(config).issueToAdministrator({ role, subject: 'command-line' }).token)
  })

program
  .command('ledger')
  .description('the ledger of the wallets')
  .command('verify')
  .description('prove every balance from the entries; exit code 1 when one is wrong')
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
  .description('what happens')
  .command('listen')
  .description(
    'show events as they happen, a line of JSON each, until Ctrl-C; forward them to a program that you build',
  )
  .addOption(
    new Option('--url <url>', 'where the API is, without a path; without it the server beside')
      .env('BANYAN_URL')
      .argParser(webAddress),
  )
  .addOption(new Option('--token <token>', 'an access token').env('BANYAN_TOKEN'))
  .addOption(
    new Option('--basic-token <token>', 'a basic_token, exchanged as often as needed; better not as an argument')
      .env('BANYAN_BASIC_TOKEN')
      .conflicts('token'),
  )
  .addOption(new Option('--type <type...>', 'only these types'))
  .addOption(new Option('--after <event>', 'only what comes after the event of this id; without it from now on'))
  .addOption(
    new Option('--forward <url>', 'POST each event to this address, once, signed by Standard Webhooks').argParser(
      webAddress,
    ),
  )
  .addOption(
    new Option('--secret <whsec>', 'what signs them; without it a new one, which is shown')
      .env('BANYAN_WEBHOOK_SECRET')
      .argParser(webhookSecret),
  )
  .addHelpText(
    'after',
    '\nExit codes: 0 ended by Ctrl-C, 1 refused by the API, 2 wrong options. What comes and goes is tried again.',
  )
  .action((options: ListenOptions) => listenUntilStopped(options))
const audit = program.command('audit').description('who read or changed what, sealed in batches')

audit
  .command('head')
  .description(
    'print the newest sealed head, <number>:<hash> and its signature, to be kept elsewhere; 1 when there is none',
  )
  .action(async () => {
    const newest = await withDatabase(loadDatabaseConfig(), findNewest)
    if (newest) return print(`${textOf(newest)} ${newest.signature}`)
    process.stderr.write('Nothing is sealed yet.\n')
    process.exitCode = EXIT_FAILURE
  })

audit
  .command('verify')
  .description('prove that the sealed entries are as they were sealed; exit code 1 when not, 2 for a wrong option')
  .option(
    '--head <number:hash>',
    'a head kept elsewhere, from the log or from `audit head`: finds an end that was cut off',
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

program
  .command('demo')
  .description('fill a tenant of the running server with a family, its sponsor, policy, accounts and messages')
  .action(async () => {
    const config = loadConfig()
    if (config.production) throw new ConfigError(['The demo does not run in production.'])
    const administratorToken = mainTokens(config).issueToAdministrator({ role: 'owner', subject: 'demo' }).token
    await loadDemo({ baseUrl: `${config.origin}/v1`, administratorToken, print })
  })

// A reader that has seen enough, such as `head`, closes the pipe; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

await program.parseAsync().catch(fail)

/** With no credentials of its own it looks as a viewer with the keys of this installation, as `token` does. */
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
  const tell = (sentence: string) => void process.stderr.write(`${sentence}\n`)
  const forward =
    forwardUrl === undefined ? undefined : { url: forwardUrl, secret: options.secret ?? newWebhookSecret() }
  tell(`Listening to ${url}; Ctrl-C ends it.`)
  if (forward)
    tell(`Forwarding to ${forward.url}, signed with ${options.secret === undefined ? forward.secret : 'your secret'}`)
  await listen({ url, getToken, types, after, forward, print, tell, signal })
}

function webAddress(text: string): string {
  const isOne = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (!isOne) throw new InvalidArgumentError('It must be an address that starts with http:// or https://.')
  return text.replace(/\/$/, '')
}

function webhookSecret(text: string): string {
  if (!isWebhookSecret(text)) throw new InvalidArgumentError('It must be whsec_ and 24 to 64 bytes in base64.')
  return text
}

/** Runs until a signal, then ends requests, jobs and the database, in that order. */
async function runUntilStopped(config: Config, roles: Roles): Promise<void> {
  const running = await run(config, roles)
  const end = (code: number) => {
    setTimeout(() => process.exit(EXIT_FAILURE), STOP_TIMEOUT_MS).unref()
    void running.stop().then(() => process.exit(code))
  }
  let isStopping = false
  const stop = (signal: string) => {
    if (isStopping) return // a terminal signals the whole group, and npm passes the signal on: it comes twice
    isStopping = true
    running.log.info({ signal }, 'stopping')
    end(0)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  process.once('uncaughtException', (error) => {
    if (error instanceof StartError) process.stderr.write(`${error.message}\n`)
    else running.log.fatal({ name: error.name, at: error.stack?.split('\n').slice(1, 6) }, 'uncaught')
    end(EXIT_FAILURE)
  })
}

function headFrom(text: string): AuditHead {
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (hash === undefined) throw new InvalidArgumentError('It is <number>:<64 hexadecimal digits>.')
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
    `  Data      ${databaseUrl === null ? dataDir : 'the database that DATABASE_URL names'}`,
    '',
    'Make a platform:',
    '',
    `  curl -s ${origin}/v1/platforms -H "authorization: Bearer $(npm run -s banyan -- token --role owner)" -H 'content-type: application/json' -d '{"name":"My platform"}'`,
    '',
    'Or see a whole family: npm run -s banyan -- demo. The tour in README.md goes on from there.',
  ]
  return lines.join('\n')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Says in a sentence what is wrong; a stack only for what nobody foresaw. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE
    return
  }
  const isForeseen =
    error instanceof ConfigError || error instanceof StartError || (error as NodeJS.ErrnoException).code !== undefined
  const sentence =
    (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      ? `${(error as Error).message}: another program has that port.`
      : (error as Error).message
  process.stderr.write(`${isForeseen ? sentence : ((error as Error).stack ?? sentence)}\n`)
  process.exitCode = error instanceof ConfigError ? EXIT_USAGE : EXIT_FAILURE
}
