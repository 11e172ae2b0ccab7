import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { cloneDatabase } from '../../support/database.ts'
import { COMPANIES, newKeys, TWILIO } from '../../support/production.ts'
import { clientOf, eventually, freePorts, newWorkspace, runCommand, startServer } from '../../support/server.ts'

const workspace = await newWorkspace()
after(() => workspace.remove())
const keys = newKeys()

const SECRETS = { ...COMPANIES, ...TWILIO, ...keys }
/** Settings that every process knows; commands that do without the others must not need them. */
const PRODUCTION = { ...workspace.environment, NODE_ENV: 'production', LOG_LEVEL: 'silent' }
const NOT_MIGRATED = 'The database schema is not at the version of this program. Run `migrate` first.\n'

/** Database and roles created as docs/operators/install.md says, under other names because the test server already has them. */
async function newDatabase() {
  const [, sql] =
    /```sql\n(.*?)```/s.exec(readFileSync(new URL('../../../docs/operators/install.md', import.meta.url), 'utf8')) ?? []
  assert(sql)
  const tail = randomBytes(4).toString('hex')
  const url = (role: string, database: string) => {
    const text = new URL(process.env['BANYAN_TEST_OWNER_URL'] as string)
    text.username = role
    text.pathname = `/${database}`
    return text.href
  }
  const client = new pg.Client({ connectionString: url('banyan_owner', 'postgres') })
  await client.connect()
  for (const line of sql.trim().split('\n')) await client.query(line.replaceAll(/\bbanyan(_\w+)?/g, `$&_${tail}`))
  await client.end()
  const database = `banyan_${tail}`
  return { ownerUrl: url(`banyan_owner_${tail}`, database), appUrl: url(`banyan_app_${tail}`, database) }
}

/** A copy of the test server's, for tests that are not about migrating. */
async function migratedDatabase() {
  const database = await cloneDatabase()
  after(database.close)
  return database
}

describe('a new database', () => {
  it('exit 1 of serve, work and ledger verify with one sentence until it is migrated; nothing is created in it', async () => {
    const { appUrl } = await newDatabase()
    const environment = { ...PRODUCTION, ...SECRETS, PUBLIC_URL: workspace.origin, DOCUMENT_STORAGE: 'folder' }
    for (const command of [['serve'], ['work'], ['ledger', 'verify']]) {
      const { code, stdout, stderr } = await runCommand(command, { ...environment, DATABASE_URL: appUrl })
      assert.deepEqual([code, stdout, stderr], [1, '', NOT_MIGRATED], command.join(' '))
    }
  })

  it('is migrated, verified and served by processes that each have only the settings they need', async () => {
    const { ownerUrl, appUrl } = await newDatabase()
    const database = { DATABASE_URL: appUrl }
    for (let run = 0; run < 2; run++) {
      const migrated = await runCommand(['migrate'], { ...PRODUCTION, ...database, MIGRATION_DATABASE_URL: ownerUrl })
      assert.deepEqual(migrated, {
        code: 0,
        stdout: 'The database is up to date: plain PostgreSQL.\n',
        stderr: '',
      })
    }
    const proven = await runCommand(['ledger', 'verify'], { ...PRODUCTION, ...database })
    assert.deepEqual(proven, { code: 0, stdout: '0 wallets, 0 transactions, 0 wrong\n', stderr: '' })

    const signing = { SIGNING_KEYS: keys['SIGNING_KEYS'] as string, PUBLIC_URL: workspace.origin }
    const { code, stdout, stderr } = await runCommand(['token', '--role', 'owner'], {
      ...PRODUCTION,
      ...database,
      ...signing,
    })
    assert.deepEqual([code, stderr], [0, ''])
    const noted = await runCommand(['audit', 'verify'], { ...PRODUCTION, ...database, ...signing })
    assert.deepEqual(noted, { code: 0, stdout: '0 batches, 0 entries, 0 wrong\n', stderr: '' }, 'nothing is sealed yet')
    const owner = new pg.Client({ connectionString: ownerUrl, options: '-c search_path=banyan' })
    await owner.connect()
    const { rows } = await owner.query('select actor, action, subject from audit_entries')
    await owner.end()
    assert.deepEqual(rows, [{ actor: 'system:command-line', action: 'token', subject: 'owner:command-line' }])

    const environment = { ...PRODUCTION, ...SECRETS, ...database, PUBLIC_URL: workspace.origin, HOST: '127.0.0.1' }
    const documents = { DOCUMENT_STORAGE: 'folder', LOG_LEVEL: 'info' }
    const [metricsPort] = await freePorts(1)
    const starting = [
      startServer(workspace, { ...environment, ...documents, METRICS_PORT: String(metricsPort) }, 'work'),
      startServer(workspace, { ...environment, ...documents }, 'serve'),
    ]
    try {
      for (const program of await Promise.all(starting)) {
        const { stderr: log } = await eventually(
          async () => program.output(),
          ({ stderr: text }) => /"ready"/.test(text),
        )
        assert.match(log, new RegExp(`"pid":${program.pid},"version":"\\d+[^"]+","mode":"production","msg":"ready"`))
      }
      const made = await clientOf(workspace.origin)('POST', '/v1/platforms', {
        token: stdout.trim(),
        body: { name: 'First' },
      })
      assert.equal(made.status, 201, made.text)
    } finally {
      // Also when one of them did not start: the other would keep this process running.
      const ends = await Promise.allSettled(starting.map(async (program) => (await (await program).stop()).code))
      assert.deepEqual(
        ends,
        starting.map(() => ({ status: 'fulfilled', value: 0 })),
      )
    }
    assert(
      !existsSync(`${workspace.dataDir}/keys`) && !existsSync(`${workspace.dataDir}/postgres`),
      'nothing is made up',
    )
  })

  it('exit 1 with a sentence when the queue’s tables are missing', async () => {
    const { appUrl, sql } = await migratedDatabase()
    await sql('drop schema pgboss cascade')
    const environment = { ...PRODUCTION, ...SECRETS, PUBLIC_URL: workspace.origin, DOCUMENT_STORAGE: 'folder' }
    const { code, stdout, stderr } = await runCommand(['work'], { ...environment, DATABASE_URL: appUrl })
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, 'The job queue tables are not at the version of this program. Run `migrate` first.\n')
  })

  it('is migrated for the role that the program connects as, wherever its address names that', async () => {
    const { ownerUrl, appUrl } = await newDatabase()
    const address = new URL(appUrl)
    address.searchParams.set('user', address.username)
    address.username = ''
    const database = { ...PRODUCTION, DATABASE_URL: address.href }
    assert.equal((await runCommand(['migrate'], { ...database, MIGRATION_DATABASE_URL: ownerUrl })).code, 0)
    const { code, stderr } = await runCommand(['ledger', 'verify'], database)
    assert.deepEqual([code, stderr], [0, ''])
  })

  it('exit 1 of a command with the words of the database when that cannot go on, as on a full disk', async () => {
    const { appUrl, sql } = await migratedDatabase()
    await sql(`create function disk_full() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$`)
    await sql('create trigger disk_full before insert on audit_entries execute function disk_full()')
    const signing = { SIGNING_KEYS: keys['SIGNING_KEYS'] as string, PUBLIC_URL: workspace.origin }
    const environment = { ...PRODUCTION, ...signing, DATABASE_URL: appUrl }
    assert.deepEqual(await runCommand(['token', '--role', 'owner'], environment), {
      code: 1,
      stdout: '',
      stderr: 'The database cannot be used: could not extend file "base/1/2": No space left on device.\n',
    })
  })
})

describe('a bucket that rejects us', () => {
  it('exit 1 of serve with a sentence that names the cause and no secret', async () => {
    const refuser = createServer((_request, response) =>
      response
        .writeHead(403, { 'content-type': 'application/xml' })
        .end('<Error><Code>InvalidAccessKeyId</Code></Error>'),
    ).listen(0, '127.0.0.1')
    await once(refuser, 'listening')
    const { appUrl } = await migratedDatabase()
    after(() => refuser.close().closeAllConnections())
    const bucket = {
      DOCUMENT_STORAGE: 's3',
      S3_BUCKET: 'our-files',
      S3_REGION: 'ap-south-1',
      S3_FORCE_PATH_STYLE: 'true',
      S3_ENDPOINT: `http://127.0.0.1:${(refuser.address() as AddressInfo).port}`,
      S3_ACCESS_KEY_ID: 'us',
      S3_SECRET_ACCESS_KEY: 'a-secret-not-to-be-printed',
    }
    const environment = { ...PRODUCTION, ...SECRETS, ...bucket, PUBLIC_URL: workspace.origin }
    const { code, stdout, stderr } = await runCommand(['serve'], { ...environment, DATABASE_URL: appUrl })
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^The document storage denies access: InvalidAccessKeyId. Check S3_BUCKET.*\n$/)
    assert(!stderr.includes('not-to-be-printed'))
  })
})

describe('commands with missing settings', () => {
  it('exit 2 without DATABASE_URL, and no embedded database is started instead', async () => {
    const environment = { ...PRODUCTION, ...SECRETS, PUBLIC_URL: workspace.origin, DOCUMENT_STORAGE: 'folder' }
    for (const command of [['start'], ['serve'], ['work'], ['migrate'], ['ledger', 'verify']]) {
      const { code, stdout, stderr } = await runCommand(command, environment)
      assert.deepEqual([code, stdout, stderr], [2, '', 'DATABASE_URL must be set in production.\n'], command.join(' '))
    }
    assert(!existsSync(`${workspace.dataDir}/postgres`))
  })

  it('exit 2 of token names only the settings it needs', async () => {
    const { code, stdout, stderr } = await runCommand(['token', '--role', 'owner'], PRODUCTION)
    assert.deepEqual([code, stdout], [2, ''])
    assert.equal(
      stderr,
      'PUBLIC_URL must be set in production.\nDATABASE_URL must be set in production.\nSIGNING_KEYS must be set in production.\n',
    )
    const nowhere = { DATABASE_URL: 'postgres://banyan@127.0.0.1:9/banyan' }
    const wrong = { ...PRODUCTION, ...nowhere, PUBLIC_URL: workspace.origin, SIGNING_KEYS: '{"keys":[]}' }
    const refused = await runCommand(['token', '--role', 'owner'], wrong)
    assert.deepEqual([refused.code, refused.stdout], [2, ''])
    assert.match(refused.stderr, /^SIGNING_KEYS must start with a private key.*\n$/)
  })

  it('exit 1 with a sentence when nothing responds at DATABASE_URL', async () => {
    const [port] = await freePorts(1)
    const environment = { ...PRODUCTION, ...SECRETS, PUBLIC_URL: workspace.origin, DOCUMENT_STORAGE: 'folder' }
    const away = { DATABASE_URL: `postgres://banyan@127.0.0.1:${port}/banyan` }
    for (const command of [['serve'], ['work'], ['migrate'], ['ledger', 'verify']]) {
      const { code, stdout, stderr } = await runCommand(command, { ...environment, ...away })
      assert.deepEqual([code, stdout], [1, ''], command.join(' '))
      assert.match(stderr, new RegExp(`^[^\\n]*connect ECONNREFUSED 127.0.0.1:${port}\\.?\\n$`))
    }
  })

  it('exit 1 with a sentence that names every address when its host has several, as localhost often has', async () => {
    const [port] = await freePorts(1)
    const names = `import dns from 'node:dns'
      dns.lookup = (host, options, done) => done(null, ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })))`
    const environment = {
      ...PRODUCTION,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(names)}`,
      DATABASE_URL: `postgres://banyan@localhost:${port}/banyan`,
    }
    for (const command of [['migrate'], ['ledger', 'verify']]) {
      const { code, stdout, stderr } = await runCommand(command, environment)
      assert.deepEqual([code, stdout], [1, ''], command.join(' '))
      assert.match(stderr, /^[^\n]*connect ECONNREFUSED 127.0.0.1:\d+, connect ECONNREFUSED 127.0.0.2:\d+\.?\n$/)
    }
  })
})
