import { signerAt } from '../../access/jws.ts'
import { compareKeys, listKeys } from '../../access/key-fingerprints.ts'
import type { Inspected } from '../../settings/config.ts'
import { type Clock, systemClock, unixSeconds } from '../../kernel/clock.ts'
import { aheadOf_s, OFFSET_MS_MAX } from '../../kernel/db/database-clock.ts'
import { findReasonToRetry } from '../../domains/money/wallets/index.ts'
import type { Database } from '../../kernel/db/database.ts'
import {
  findMissingMigrations,
  findPrograms,
  findSigningKeys,
  findTablesWithoutRights,
  readServerFacts,
  type ServerFacts,
  tryWrite,
} from '../../kernel/db/inspect-database.ts'
import { findWorkers } from '../../kernel/jobs/heartbeat.ts'
import { isMarkedRestored } from '../../kernel/db/restored.ts'
import { checkPooler } from '../../kernel/db/pooler.ts'
import { UnfitSession } from '../../kernel/db/session.ts'
import { isOlderVersion, RELEASE, VERSION } from '../../kernel/program-version.ts'
import { ProblemError } from '../../kernel/problem-error.ts'
import { StartError } from '../../kernel/start-error.ts'
import { isBehindLogs } from '../../record/log-positions.ts'
import { loadVaultKeys } from '../keys.ts'
import { type Check, failing, type Finding, ok, describeReason, skipped, warning } from './finding.ts'

const SERVER_VERSION_MIN = 150_000
const CLOCK_SECONDS_USUAL = 2
const TABLES_NAMED_MAX = 3
const READ_ONLY = '25006'
const TABLE_MISSING = '42P01'
/** A worker's two connections that listen, and those of the job queue. */
const CONNECTIONS_BESIDE_POOL = 5

type Checked = Inspected & { url: string; db: Database; clock: Clock }

/** Checks of the database; each opens with the connection that all share. */
export function databaseChecks(checked: Checked): Check[] {
  const { db, clock } = checked
  const only = (run: () => ReturnType<Check['run']>) => () => run().catch(connectionFinding)
  return [
    { name: 'database', run: only(() => checkServer(checked)) },
    { name: 'migrations', run: only(() => checkMigrations(db)) },
    { name: 'programs', run: only(() => checkPrograms(db)) },
    { name: 'clock', run: only(() => checkClocks(db, clock)) },
    { name: 'keys', run: only(() => checkFingerprints(checked)) },
    { name: 'wallets', run: only(() => checkWallets(db)) },
  ]
}

/** Whether something stands before the database that breaks sessions; with two connections of its own. */
export const poolerCheck = (url: string): Check => ({
  name: 'pooler',
  run: () =>
    checkPooler(url).then(
      ({ isPooled }) => ok(isPooled ? 'one that keeps sessions together stands before the database' : 'none'),
      connectionFinding,
    ),
})

async function checkServer({ url, db, config }: Checked): Promise<Finding[]> {
  const facts = await readServerFacts(db)
  const version = `PostgreSQL ${Math.floor(facts.version / 10_000)}.${facts.version % 10_000}`
  const where = config.databaseUrl === null ? 'embedded' : 'at DATABASE_URL'
  return [
    ok(`${version}, ${where}, ${facts.sessions} of ${facts.max_connections} connections in use`),
    ...findErrors(facts, config),
    ...(await errorsOfWriting(url, facts)),
  ]
}

function* findErrors(facts: ServerFacts, { poolSize, production }: Checked['config']): Generator<Finding> {
  if (facts.version < SERVER_VERSION_MIN)
    yield failing('PostgreSQL is older than version 15.', 'Upgrade the database server.')
  if (facts.fsync === 'off') yield failing('fsync is off: a power failure destroys the database.', 'Set fsync = on.')
  if (facts.synchronous_commit === 'off')
    yield failing(
      'synchronous_commit is off: a power failure loses writes that were acknowledged.',
      'Set synchronous_commit = on, also for the database and the role.',
    )
  if (facts.full_page_writes === 'off')
    yield warning('full_page_writes is off: a power failure can damage pages.', 'Set full_page_writes = on.')
  if (facts.archive_failing_s !== null)
    yield failing(
      `PostgreSQL has archived no log for ${facts.archive_failing_s} s, and its last attempt failed.`,
      'Read its log and correct archive_command: until then nothing can be restored to a later time, and the disk fills.',
    )
  if (facts.encoding !== 'UTF8')
    yield failing(`The database has the encoding ${facts.encoding}.`, 'Create it with the encoding UTF8.')
  const free = facts.max_connections - facts.reserved_connections
  const needed = poolSize + CONNECTIONS_BESIDE_POOL
  if (free < needed)
    yield warning(
      `The server allows ${free} connections, and one such installation uses up to ${needed}.`,
      'Raise max_connections, or lower DATABASE_POOL_SIZE. docs/operations.md has the formula.',
    )
  if (facts.is_superuser && production)
    yield warning(
      'The role of DATABASE_URL is a superuser.',
      'Use a role of its own, and MIGRATION_DATABASE_URL for the owner.',
    )
}

/** Only a write says whether the database accepts one: a disk may be full. */
async function errorsOfWriting(url: string, { is_standby }: ServerFacts): Promise<Finding[]> {
  try {
    await tryWrite(url)
    return []
  } catch (error) {
    const code = readCode(error)
    if (code === TABLE_MISSING) return [] // `migrations` says so
    if (code === READ_ONLY && is_standby)
      return [
        failing('The database is a standby and accepts no writes.', 'Promote it, or set DATABASE_URL to the primary.'),
      ]
    return [connectionFinding(error)]
  }
}

async function checkMigrations(db: Database): Promise<Finding> {
  const { missing, all, hasQueue } = await findMissingMigrations(db)
  const remedy = 'Run `banyan migrate`.'
  if (missing.length > 0)
    return failing(`${missing.length} of ${all} migrations are missing, first ${missing[0]}.`, remedy)
  if (!hasQueue) return failing('The tables of the job queue are missing.', remedy)
  if (await isBehindLogs(db)) return failing('The database was restored from another server.', remedy)
  if (await isMarkedRestored(db))
    return failing('The database was restored, so nothing serves it.', 'Run `banyan erasures apply <list>`.')
  const withoutRights = await findTablesWithoutRights(db)
  if (withoutRights.length > 0)
    return failing(
      `The role of DATABASE_URL lacks rights on ${withoutRights.slice(0, TABLES_NAMED_MAX).join(', ')}${withoutRights.length > TABLES_NAMED_MAX ? ' and more' : ''}.`,
      `${remedy.replace('.', '')}, which grants them.`,
    )
  return ok(`all ${all} migrations are applied`)
}

async function checkPrograms(db: Database): Promise<Finding[]> {
  const { running, oldest } = await findPrograms(db)
  const names = running.map(({ role, build, count }) => `${count} ${role} ${build}`)
  const { alive, last_s } = await findWorkers(db)
  const older = running.filter(({ version }) => isOlderVersion(version, RELEASE))
  return [
    isOlderVersion(RELEASE, oldest)
      ? failing(`The database is for ${oldest} and later, and this program is ${VERSION}.`, 'Run a later version.')
      : ok(`${oldest} is the oldest version that may run; running: ${names.join(', ') || 'none'}`),
    ...(alive === 0 && (running.length > 0 || last_s !== null) ? [withoutWorker(last_s)] : []),
    ...(older.length > 0
      ? [
          warning(
            `Programs older than ${VERSION} are running.`,
            'End the upgrade: replace them, then run `migrate --contract`.',
          ),
        ]
      : []),
  ]
}

const withoutWorker = (last_s: number | null): Finding =>
  failing(
    `No worker is alive; ${last_s === null ? 'none has run on this database yet' : `the last one was seen ${last_s} s ago`}.`,
    'Start `work`: codes, wallets, accounts and webhooks wait for it. If one runs, its log says why it does no work.',
  )

async function checkClocks(db: Database, clock: Clock): Promise<Finding> {
  const ahead_s = await aheadOf_s(db, clock)
  const message = `The clock of this machine is ${Math.abs(ahead_s).toFixed(1)} s ${ahead_s < 0 ? 'behind' : 'ahead of'} the database's.`
  const remedy = 'Correct the clock that is wrong (`timedatectl`, `chronyc tracking`). A worker stops beyond a minute.'
  if (Math.abs(ahead_s) * 1_000 > OFFSET_MS_MAX) return failing(message, remedy)
  if (Math.abs(ahead_s) > CLOCK_SECONDS_USUAL) return warning(message, remedy)
  return ok('this machine and the database agree on the time')
}

async function checkWallets(db: Database): Promise<Finding> {
  const reason = await findReasonToRetry(db)
  if (reason === undefined) return ok('none waits for another attempt at the operator')
  return warning(
    `A wallet is RETRYING: ${reason ?? 'the operator gave no definite response.'}`,
    reason === null
      ? 'It is tried again by itself; the runbook “Partner down” says what else to check.'
      : 'Correct OPERATOR_URL and restart the workers: what waits is opened.',
  )
}

async function checkFingerprints({ db, keys, config }: Checked): Promise<Finding | Finding[]> {
  if (keys === null) return skipped('there are no keys yet, or they are invalid')
  try {
    const vaultKeys = await loadVaultKeys({ ...config, keys })
    await compareKeys(db, vaultKeys)
    const listed = [...(await listKeys(db, vaultKeys, 'HASH_KEY')), ...(await listKeys(db, vaultKeys, 'MASTER_KEYS'))]
    const ids = listed.map(
      ({ fingerprint, first, retired }) => `${fingerprint}${first ? ' (first)' : retired ? ' (retired)' : ''}`,
    )
    const kids = keys.signingKeys.map(({ kid }) => kid)
    const signer = signerAt(keys.signingKeys, unixSeconds(systemClock)).kid
    const removable = listed.filter(({ retired, configured }) => retired && configured)
    return [
      ok(`the keys fit this database: ${ids.join(', ')}; tokens are signed with ${kids.join(', ')}`),
      ...removable.map(({ id }) =>
        warning(`The key ${id} is retired and still configured.`, 'Remove it from its setting.'),
      ),
      ...differingKeys(await findSigningKeys(db), { kids, signer }),
    ]
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return failing(
      error.message,
      'Set the keys that this database was filled with; SECURITY.md has the steps of a rotation.',
    )
  }
}

type SigningKeysOfThis = { kids: readonly string[]; signer: string }

/** Compares the signing keys here with those of running processes: what one signs, another rejects when it lacks the key. */
function differingKeys(
  running: { role: string; kids: readonly string[] }[],
  { kids, signer }: SigningKeysOfThis,
): Finding[] {
  const remedy = 'Give all nodes the same SIGNING_KEYS, then restart them one after the other.'
  const findings = running.flatMap(({ role, kids: theirs }) => [
    ...theirs
      .filter((kid) => !kids.includes(kid))
      .map((kid) => failing(`A running ${role} has the signing key ${kid}, which is not configured here.`, remedy)),
    ...kids
      .filter((kid) => !theirs.includes(kid))
      .map((kid) =>
        kid === signer
          ? failing(`A running ${role} lacks the signing key ${kid}: it rejects what is signed here.`, remedy)
          : warning(`A running ${role} lacks the signing key ${kid}, which does not sign yet, or no more.`, remedy),
      ),
  ])
  return [...new Map(findings.map((finding) => [finding.says, finding])).values()]
}

const REMEDIES: [code: RegExp, says: string, remedy: string][] = [
  [
    /^(28P01|28000)$/,
    'The database rejects the role or its password.',
    'Correct them in DATABASE_URL, or the password on the server.',
  ],
  [
    /^3D000$/,
    'The server has no such database.',
    'Create it as docs/operators/install.md says, or correct DATABASE_URL.',
  ],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    'The name of the database server is not known.',
    'Correct the host in DATABASE_URL, or the DNS.',
  ],
  [
    /^(ECONNREFUSED|EHOSTUNREACH|ETIMEDOUT|ENOENT)$/,
    'Nothing responds at the address of the database.',
    'Start the server, or correct DATABASE_URL.',
  ],
  [/^42501$/, 'The role of DATABASE_URL lacks rights.', 'Run `banyan migrate`, which grants them.'],
  [/^42P01$/, 'The tables are missing.', 'Run `banyan migrate`.'],
  [
    /^25006$/,
    'The database is read-only.',
    'Find out who set default_transaction_read_only, for the server, the database or the role; the runbook “Database read-only” has the steps.',
  ],
  [/^53100$/, 'The disk of the database is full.', 'Follow the runbook “Disk full”.'],
  [/^53300$/, 'The database has no connection left.', 'Raise max_connections, or lower DATABASE_POOL_SIZE.'],
  [/^57P03$/, 'The database is starting or stopping.', 'Wait until it accepts connections.'],
]

/** Names the error and the remedy of a database that cannot be used. Its own words can quote values, so only a code is shown. */
function connectionFinding(error: unknown): Finding {
  const cause = error instanceof ProblemError ? error.cause : error
  if (cause instanceof UnfitSession) return failing(cause.says, cause.remedy)
  const code = readCode(cause)
  const rule = REMEDIES.find(([pattern]) => pattern.test(code))
  if (rule) return failing(rule[1], rule[2])
  return failing(
    `The database cannot be used: ${describeReason(error)}.`,
    'Check DATABASE_URL and the log of the database.',
  )
}

/** A host with several addresses fails with one error for each. */
function readCode(error: unknown): string {
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error
  const code = (one as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}
