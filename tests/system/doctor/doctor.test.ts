import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { examine } from '../../../src/boot/doctor/doctor.ts'
import { type Report, runChecks } from '../../../src/boot/doctor/finding.ts'
import { inspectConfig } from '../../../src/settings/config.ts'
import { newSigningJwk } from '../../../src/settings/keys.ts'
import { startEmbedded } from '../../../src/kernel/embedded-postgres/embedded.ts'
import { EXPIRED, KEY, UNTRUSTED } from '../../support/certificates.ts'
import { RELEASE } from '../../../src/kernel/program-version.ts'
import { cloneDatabase } from '../../support/database.ts'
import { startIdentityProviderDouble } from '../../support/identity-provider-double.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { COMPANIES, newKeys, TWILIO } from '../../support/production.ts'
import { freePorts, newWorkspace, runCommand, startServer } from '../../support/server.ts'
import { readText } from '../../support/sources.ts'

const workspace = await newWorkspace()
after(() => workspace.remove())

async function listOf(source: AsyncIterable<Report>): Promise<Report[]> {
  const reports: Report[] = []
  for await (const report of source) reports.push(report)
  return reports
}

async function reportsOf(environment: Record<string, string>, options = {}): Promise<Report[]> {
  return listOf(examine(inspectConfig({ ...workspace.environment, ...environment }), options))
}

const of = (reports: Report[], check: string) => reports.filter((report) => report.check === check)

/** The only finding of a check that is no success. */
function errorOf(reports: Report[], check: string, state = 'error'): string {
  const found = of(reports, check).filter((report) => report.state !== 'ok')
  assert.deepEqual([found.length, found[0]?.state], [1, state], JSON.stringify(reports))
  assert(found[0]?.remedy, 'every error has a remedy')
  return found[0].says
}

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close())
  return (server.address() as AddressInfo).port
}

describe('banyan doctor', () => {
  it('exit 0 alongside a running program, with a line for each check, and as JSON', async () => {
    const server = await startServer(workspace)
    try {
      // As after a day of requests: its metrics have every route.
      const { paths } = JSON.parse(readText('openapi.json')) as { paths: object }
      for (const path of Object.keys(paths)) await fetch(`${workspace.origin}${path.replaceAll(/\{\w+\}/g, 'none')}`)
      assert((await (await fetch(workspace.metricsUrl)).text()).length > 64 * 1024)
      const plain = await runCommand(['doctor'], workspace.environment)
      assert.deepEqual([plain.code, plain.stderr], [0, ''], plain.stdout)
      assert.match(plain.stdout, /^ok {7}database {10}PostgreSQL 18\.\d+, embedded/m)
      assert(!plain.stdout.includes('\u001b'), 'no colours, because this is no terminal')
      const { code, stdout } = await runCommand(['doctor', '--json'], workspace.environment)
      const { errors, checks } = JSON.parse(stdout) as { errors: number; checks: Report[] }
      assert.deepEqual([code, errors], [0, 0], stdout)
      const without = checks.filter(({ state }) => state !== 'ok' && state !== 'warning')
      assert.deepEqual(
        without.map(({ check }) => check),
        ['certificates'],
      )
      assert.match(of(checks, 'keys')[0]?.says ?? '', /^the keys fit this database: [0-9a-f]{12} \(first\)/)
      assert.match(of(checks, 'programs')[0]?.says ?? '', /running: 1 api\+worker \d/)

      const other = newSigningJwk()
      const SIGNING_KEYS = JSON.stringify({ keys: [other] })
      const differing = of(await reportsOf({ SIGNING_KEYS }), 'keys').filter(({ state }) => state === 'error')
      assert.match(
        differing[0]?.says ?? '',
        /^A running api\+worker has the signing key \S+, which is not configured here\.$/,
      )
      assert.equal(
        differing[1]?.says,
        `A running api+worker lacks the signing key ${other.kid}: it rejects what is signed here.`,
      )
      const own = JSON.parse(readFileSync(join(workspace.dataDir, 'keys/signing-keys.json'), 'utf8')) as {
        keys: object[]
      }
      const waiting = JSON.stringify({ keys: [...own.keys, { ...other, nbf: Math.floor(Date.now() / 1_000) + 3_600 }] })
      assert.equal(
        errorOf(await reportsOf({ SIGNING_KEYS: waiting }), 'keys', 'warning'),
        `A running api+worker lacks the signing key ${other.kid}, which does not sign yet, or no more.`,
      )
    } finally {
      await server.stop()
    }
  })

  it('changes nothing where nothing is yet', async () => {
    const dataDir = join(workspace.folder, 'nothing')
    const reports = await reportsOf({ DATA_DIR: dataDir })
    assert.deepEqual(of(reports, 'database'), [
      { check: 'database', state: 'skipped', says: 'the embedded database is not running' },
    ])
    assert(!existsSync(dataDir))
  })

  it('names every invalid setting, and asks no company then', async () => {
    const reports = await reportsOf({ PORT: 'eighty', LOG_LEVEL: 'loud' })
    const errors = reports.filter(({ state }) => state === 'error').map(({ says }) => says)
    assert.deepEqual(errors, [
      'PORT must be a whole number from 1 to 65535.',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, silent.',
    ])
    assert.deepEqual(of(reports, 'login'), [])
  })
})

describe('PUBLIC_URL', () => {
  it('is a warning in production without https, and none with it or in development', async () => {
    const warnings = async (environment: Record<string, string>) => {
      const database = { DATABASE_URL: 'postgres://banyan@127.0.0.1:9/banyan', DOCUMENT_STORAGE: 'folder' }
      const settings = { ...COMPANIES, ...TWILIO, ...newKeys(), ...database, ...environment }
      return of(await reportsOf(settings), 'settings').filter(({ state }) => state !== 'ok')
    }
    const [found, ...others] = await warnings({ NODE_ENV: 'production', PUBLIC_URL: 'http://127.0.0.1:9' })
    assert.deepEqual([found?.state, others], ['warning', []])
    assert.match(found?.says ?? '', /^PUBLIC_URL is not https/)
    assert.deepEqual(await warnings({ NODE_ENV: 'production', PUBLIC_URL: 'https://127.0.0.1:9' }), [])
    assert.deepEqual(await warnings({ PUBLIC_URL: 'http://127.0.0.1:9' }), [])
  })
})

describe('a database', () => {
  it('with a wrong password, none at the address, without migrations, and migrated', async () => {
    const folder = await newWorkspace()
    const hba = join(folder.folder, 'pg_hba.conf')
    writeFileSync(hba, 'local all banyan_app scram-sha-256\nlocal all all trust\n', { mode: 0o644 })
    const { ownerUrl, appUrl, stop } = await startEmbedded({
      dataDir: folder.dataDir,
      serverSettings: { hba_file: hba, fsync: 'off', archive_mode: 'on', archive_command: 'false' },
    })
    after(async () => {
      await stop()
      await folder.remove()
    })
    const owner = new pg.Client({ connectionString: ownerUrl })
    await owner.connect()
    await owner.query(`alter role banyan_app password 'right'`)
    await owner.query('alter role banyan_app set synchronous_commit = off')
    await owner.query(`select pg_logical_emit_message(false, 'test', ''), pg_switch_wal()`)
    const failedAt = 'select last_failed_time as at from pg_stat_archiver'
    await within(DEADLINE_MS, async () => (await owner.query<{ at: Date | null }>(failedAt)).rows[0]?.at !== null)
    await owner.end()
    const withPassword = (password: string) => ({
      DATABASE_URL: appUrl.replace('banyan_app@', `banyan_app:${password}@`),
    })

    const wrong = await reportsOf(withPassword('wrong'))
    assert.equal(errorOf(wrong, 'database'), 'The database rejects the role or its password.')
    assert.doesNotMatch(JSON.stringify(wrong), /wrong@|:wrong/, 'the password is not shown')
    const empty = await reportsOf(withPassword('right'))
    assert.match(errorOf(empty, 'migrations'), /^(\d+) of \1 migrations are missing, first 0001_/)
    const [fsync, commit, archive] = of(empty, 'database').filter(({ state }) => state === 'error')
    assert.match(fsync?.says ?? '', /^fsync is off/)
    assert.equal(commit?.says, 'synchronous_commit is off: a power failure loses writes that were acknowledged.')
    assert.match(archive?.says ?? '', /^PostgreSQL has archived no log for \d+ s, and its last attempt failed\.$/)
    const [port] = await freePorts(1)
    const away = await reportsOf({ DATABASE_URL: `postgres://banyan@127.0.0.1:${port}/banyan` })
    assert.equal(errorOf(away, 'database'), 'Nothing responds at the address of the database.')
  })

  it('whose clock differs by more than a minute; nothing is written to it', async () => {
    const database = await cloneDatabase()
    after(database.close)
    const ahead = { now: () => new Date(Date.now() + 120_000) }
    const written = () =>
      database.sql(
        `select relname, query_to_xml(format('select * from %I order by 1', relname), true, true, '')::text as rows
           from pg_class where relnamespace = 'banyan'::regnamespace and relkind = 'r' order by relname`,
      )
    const before = await written()
    const reports = await reportsOf({ DATABASE_URL: database.appUrl }, { clock: ahead })
    assert.match(errorOf(reports, 'clock'), /^The clock of this machine is 1(19|20)\.\d s ahead of the database's\.$/)
    assert.equal(of(reports, 'migrations')[0]?.state, 'ok')
    assert.deepEqual(await written(), before)
    const behind = await reportsOf(
      { DATABASE_URL: database.appUrl },
      { clock: { now: () => new Date(Date.now() - 10_000) } },
    )
    assert.match(errorOf(behind, 'clock', 'warning'), /behind/)
  })
})

describe('a database that is up and does not do', () => {
  /** What doctor finds on a migrated database of its own after these statements of its owner. */
  async function foundAfter(...statements: string[]): Promise<Report[]> {
    const database = await cloneDatabase()
    after(database.close)
    const [row] = await database.sql<{ name: string }>('select current_database() as name')
    for (const text of statements) await database.sql(text.replace('{database}', row?.name ?? ''))
    return reportsOf({ DATABASE_URL: database.appUrl })
  }
  const API = `insert into processes (process_id, role, version) values ('one', 'api', '${RELEASE}')`
  const without = (reports: Report[], check: string) =>
    of(reports, check)
      .filter(({ state }) => state === 'error')
      .map(({ says }) => says)

  it('says so where an API runs and no worker: none yet, one that is gone, and one whose clock ran ahead', async () => {
    const beat = (at: string) => `insert into workers (worker_id, seen_at) values ('one', ${at})`
    const none = await foundAfter(API)
    assert.equal(errorOf(none, 'programs'), 'No worker is alive; none has run on this database yet.')
    const gone = await foundAfter(API, beat(`now() - interval '1 hour'`))
    assert.match(errorOf(gone, 'programs'), /^No worker is alive; the last one was seen 36\d\d s ago\.$/)
    const ahead = await foundAfter(API, beat(`now() + interval '1 hour'`))
    assert.match(errorOf(ahead, 'programs'), /^No worker is alive; /)
    assert.deepEqual(without(await foundAfter(API, beat('now()')), 'programs'), [])
    assert.deepEqual(without(await foundAfter(), 'programs'), [], 'nothing has been started yet')
  })

  it('says so when it is read-only, when its disk is full, and when a right was revoked', async () => {
    const readOnly = await foundAfter('alter database {database} set default_transaction_read_only = on')
    assert.deepEqual(without(readOnly, 'database').slice(-1), ['The database is read-only.'])
    const full = await foundAfter(
      `create function disk_full() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`,
      'create trigger disk_full before insert on processes execute function disk_full()',
    )
    assert.deepEqual(without(full, 'database').slice(-1), ['The disk of the database is full.'])
    const revoked = await foundAfter('revoke insert on users, wallets from banyan_app')
    assert.equal(errorOf(revoked, 'migrations'), 'The role of DATABASE_URL lacks rights on users, wallets.')
  })
})

describe('around it', () => {
  it('a folder of documents that cannot be written, and a port of another program', async () => {
    const file = join(workspace.folder, 'a-file')
    writeFileSync(file, '')
    const port = await listen(createServer())
    for (const DOCUMENT_FOLDER of [file, join(file, 'below')]) {
      const reports = await reportsOf({ DOCUMENT_FOLDER, PORT: String(port), HOST: '127.0.0.1' })
      assert.equal(errorOf(reports, 'documents'), `${DOCUMENT_FOLDER} is no folder.`)
      assert.equal(errorOf(reports, 'ports'), `Another program uses PORT ${port}.`)
    }
  })

  it('an identity provider that is down, and one that names itself differently', async () => {
    const [free] = await freePorts(1)
    const client = { OIDC_CLIENT_ID: 'banyan', OIDC_CLIENT_SECRET: 'secret' }
    const down = await reportsOf({ ...client, OIDC_ISSUER: `http://127.0.0.1:${free}` })
    assert.match(
      errorOf(down, 'login'),
      new RegExp(`^Nothing responds at http://127.0.0.1:${free}: connect ECONNREFUSED`),
    )
    const issuer = 'https://login.example.com'
    const port = await listen(createHttpServer((_request, response) => void response.end(JSON.stringify({ issuer }))))
    const other = await reportsOf({ ...client, OIDC_ISSUER: `http://127.0.0.1:${port}` })
    assert.equal(errorOf(other, 'login'), 'The identity provider names itself differently from OIDC_ISSUER.')
  })

  it('an identity provider that rejects id or secret, and none that accepts them', async () => {
    const double = await startIdentityProviderDouble()
    const settings = { OIDC_CLIENT_ID: 'banyan', OIDC_CLIENT_SECRET: 'secret', OIDC_ISSUER: double.issuer }
    double.behave({ methods: ['client_secret_basic', 'client_secret_post'], accepts: 'none of them' })
    const says = 'The identity provider rejects this installation: invalid_client, invalid_client.'
    assert.equal(errorOf(await reportsOf(settings), 'login'), says)
    double.behave({ methods: ['client_secret_post'], accepts: 'client_secret_post' })
    assert.equal((await reportsOf(settings)).find(({ check }) => check === 'login')?.state, 'ok')
  })

  it('companies with a wrong base path, and one that rejects the key', async () => {
    const port = await listen(
      createHttpServer(({ url = '' }, response) => void response.writeHead(url.includes('wallets') ? 401 : 404).end()),
    )
    const url = `http://127.0.0.1:${port}`
    const reports = await reportsOf({ ACCOUNT_PROVIDER_URL: url, OPERATOR_URL: `${url}/operator` })
    assert.match(errorOf(reports, 'account provider', 'warning'), /^It responds 404 to GET .*\/accounts\.$/)
    assert.equal(errorOf(reports, 'wallet operator'), 'It responds 401: it rejects our key.')
  })

  it('certificates that have expired or are not trusted', async () => {
    const ports = await Promise.all([EXPIRED, UNTRUSTED].map((cert) => listen(createHttpsServer({ cert, key: KEY }))))
    const [expired, untrusted] = ports.map((port) => `https://localhost:${port}`) as [string, string]
    const reports = await reportsOf({ PUBLIC_URL: expired, OPERATOR_URL: untrusted })
    const [one, other] = of(reports, 'certificates').map(({ says }) => says)
    assert.match(one ?? '', /^The certificate of PUBLIC_URL has expired\.$/)
    assert.match(other ?? '', /^The certificate of OPERATOR_URL is not trusted: /)
  })

  it('a check that hangs, within its time limit', async () => {
    const hanging = { name: 'hanging', run: () => new Promise<never>(() => {}) }
    const quick = { name: 'quick', run: async () => [{ state: 'ok', says: 'done' } as const] }
    const reports = await listOf(runChecks([hanging, quick], { limit_ms: 50 }))
    assert.deepEqual(
      reports.map(({ check, state, says }) => [check, state, says]),
      [
        ['hanging', 'error', 'There was no response within 0.05 s.'],
        ['quick', 'ok', 'done'],
      ],
    )
  })

  it('as too little CPU time for it, where it is late because of that: one warning, and no error', async () => {
    const says = 'The database cannot be used: Connection terminated due to connection timeout.'
    let longest_ms = 0
    const delay = { reset: () => void (longest_ms = 0), longest_ms: () => longest_ms, end: () => {} }
    const starved = (name: string, times: number) => ({
      name,
      run: async () => {
        if (times-- > 0) longest_ms = 2_000
        return { state: 'error', says, remedy: 'Check it.' } as const
      },
    })
    const checks = [starved('always', 9), starved('other', 9), starved('at first', 1), starved('never', 0)]
    const reports = await listOf(runChecks(checks, { delay }))
    assert.deepEqual(
      reports.map(({ check, state, says }) => [check, state, says]),
      [
        ['at first', 'error', says],
        ['never', 'error', says],
        ['machine', 'warning', 'This machine is too busy: always, other could not be checked in time.'],
      ],
    )
  })
})
