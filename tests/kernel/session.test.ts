import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { connectClient, connectDatabase, connectionOptions, statement } from '../../src/kernel/db/database.ts'
import { conflictIn, serviceSession, sessionConfig, UnfitSession } from '../../src/kernel/db/session.ts'
import { ConfigError, loadDatabaseConfig } from '../../src/settings/config.ts'
import { cloneDatabase } from '../support/database.ts'

const t = await cloneDatabase()
after(t.close)

const TIMES = statement(
  'test_times',
  `select timestamptz '2026-11-27 08:29:27+00' as at, date '2026-11-01' as day, now() at time zone 'UTC' = now()::timestamp as is_utc,
          current_setting('default_transaction_isolation') as isolation`,
)

/** What a new connection reads, on the wire. */
async function timesAt(url: string) {
  const db = connectDatabase({ url, poolSize: 1, batching: true, onLostConnection: () => {} })
  try {
    return (await db.query(TIMES))[0]
  } finally {
    await db.close()
  }
}

const AS_PROMISED = { at: '2026-11-27T08:29:27', day: '2026-11-01', is_utc: true, isolation: 'read committed' }

/** Runs work in a database whose owner has set this for every session. */
async function inDatabaseWith(setting: string, work: (url: string) => Promise<void>): Promise<void> {
  const [row] = await t.sql<{ name: string }>('select current_database() as name')
  const [name = ''] = setting.split(' ')
  await t.sql(`alter database ${row?.name} set ${setting}`)
  try {
    await work(t.appUrl)
  } finally {
    await t.sql(`alter database ${row?.name} reset ${name}`)
  }
}

const withOptions = (options: string) =>
  `${t.appUrl}${t.appUrl.includes('?') ? '&' : '?'}options=${encodeURIComponent(options)}`

describe('days and times go out as YYYY-MM-DD and in UTC', () => {
  const settings = [
    `DateStyle = 'SQL, DMY'`,
    `DateStyle = 'German'`,
    `DateStyle = 'SQL, MDY'`,
    `timezone = 'Asia/Kolkata'`,
    `search_path = public`,
    `statement_timeout = 1`,
    `default_transaction_isolation = serializable`,
  ]
  for (const setting of settings) {
    it(`in a database with ${setting}`, () =>
      inDatabaseWith(setting, async (url) => assert.deepEqual(await timesAt(url), AS_PROMISED)))
  }
})

describe('options in the address of the database', () => {
  it('are merged with those of the program', async () => {
    const url = withOptions('-c work_mem=8MB')
    assert.deepEqual(await timesAt(url), AS_PROMISED)
    const client = await connectClient(connectionOptions(url))
    const { rows } = await client.query(
      `select current_setting('work_mem') as memory, current_setting('search_path') as path, current_setting('statement_timeout') as limit`,
    )
    await client.end()
    assert.deepEqual(rows, [{ memory: '8MB', path: 'banyan', limit: '4s' }])
  })

  it('and those that say what the program says anyway are taken', async () => {
    for (const options of ['-c timezone=UTC', '--DateStyle=ISO,DMY', '-c statement_timeout=4000 -c work_mem=8MB']) {
      assert.equal(conflictIn(withOptions(options)), undefined, options)
      assert.deepEqual(await timesAt(withOptions(options)), AS_PROMISED)
    }
  })

  it('are refused by name when they lead to a file that cannot be read', () => {
    for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
      const read = (path: string) => () =>
        loadDatabaseConfig({
          DATABASE_URL: `postgres://banyan@db.test/banyan?sslmode=verify-full&${name}=${path}`,
          BANYAN_SETTINGS_FILE: '',
        })
      assert.throws(read('/nowhere.crt'), {
        message: `DATABASE_URL names /nowhere.crt in ${name}, which cannot be read: ENOENT.`,
      })
      read(import.meta.filename)()
    }
  })

  it('are refused by name when they contradict the program', () => {
    const contradictions = {
      DateStyle: ['-c DateStyle=German', '-cdatestyle=German', String.raw`-c DateStyle=SQL,\ DMY`],
      timezone: ['-c timezone=Asia/Kolkata', '-c work_mem=8MB --TimeZone=Asia/Kolkata'],
      search_path: ['-c search_path=public'],
      statement_timeout: ['--statement-timeout=0'],
      default_transaction_isolation: ['-c default_transaction_isolation=serializable'],
    }
    for (const [name, all] of Object.entries(contradictions)) {
      for (const options of all) {
        const url = withOptions(options)
        const says = new RegExp(
          `^DATABASE_URL sets ${name}, which the program sets itself, to .+: take it out of the address\\.$`,
        )
        assert.throws(
          () => loadDatabaseConfig({ DATABASE_URL: url, BANYAN_SETTINGS_FILE: '' }),
          (error) => error instanceof ConfigError && error.message.split('\n').some((line) => says.test(line)),
          options,
        )
        assert.throws(() => connectionOptions(url), /which the program sets itself/)
      }
    }
    const direct = `${t.appUrl}${t.appUrl.includes('?') ? '&' : '?'}lock_timeout=1`
    assert.match(conflictIn(direct) ?? '', /^sets lock_timeout, /)
  })
})

describe('a session that lacks what was asked for', () => {
  /** As a pooler that drops the settings of a connection. */
  const connectWithout = async (dropped: string) => {
    const { onConnect, connectionString } = sessionConfig(t.appUrl, serviceSession())
    const options = Object.entries(serviceSession())
      .filter(([name]) => name !== dropped)
      .map(([name, value]) => `-c ${name}=${String(value).replace(' ', '\\ ')}`)
    const client = new pg.Client({ connectionString, options: options.join(' ') })
    await client.connect()
    try {
      await onConnect(client)
    } finally {
      await client.end()
    }
  }
  const elsewhere = {
    search_path: `search_path = public`,
    timezone: `timezone = 'Asia/Kolkata'`,
    DateStyle: `DateStyle = 'German'`,
    default_transaction_isolation: 'default_transaction_isolation = serializable',
    statement_timeout: 'statement_timeout = 77',
    lock_timeout: 'lock_timeout = 77',
    idle_in_transaction_session_timeout: 'idle_in_transaction_session_timeout = 77',
  }
  for (const [name, setting] of Object.entries(elsewhere)) {
    it(`is refused, and ${name} is named with what sets it`, () =>
      inDatabaseWith(setting, () =>
        assert.rejects(connectWithout(name), (error) => {
          assert(error instanceof UnfitSession)
          assert.match(error.message, new RegExp(`^The session of the database has ${name} .+ and not .+: a pooler`))
          assert.match(error.message, new RegExp(`\`alter role \\w+ set ${name} = `))
          return true
        }),
      ))
  }

  it('but work without limits takes off those of the role itself', () =>
    inDatabaseWith('statement_timeout = 77', async () => {
      const { onConnect, connectionString } = sessionConfig(t.appUrl, { statement_timeout: 0 })
      const client = new pg.Client({ connectionString })
      await client.connect()
      await onConnect(client)
      const { rows } = await client.query('show statement_timeout')
      await client.end()
      assert.deepEqual(rows, [{ statement_timeout: '0' }])
    }))
})
