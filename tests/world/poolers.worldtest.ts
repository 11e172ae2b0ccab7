import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { findPostgres, startPostgres } from '../dump/debian-postgres.ts'
import { clientOf, newWorkspace, runCommand, startServer } from '../support/server.ts'
import { runDocumented } from './install-guide.ts'
import { type Proxy, startPgBouncer, startPgpool } from './proxies.ts'

const workspace = await newWorkspace()
const postgres = await startPostgres(await findPostgres(), join(workspace.folder, 'postgres'))
after(async () => {
  await postgres.stop()
  await workspace.remove()
})

const documented = (first: RegExp) => runDocumented(postgres, first)

async function resetRoles(): Promise<void> {
  for (const role of ['banyan_app', 'banyan_owner']) await postgres.query(`alter role ${role} reset all`)
}

const behind = ({ port }: Proxy) => ({
  DATABASE_URL: `postgres://banyan_app@127.0.0.1:${port}/banyan`,
  MIGRATION_DATABASE_URL: `postgres://banyan_owner@127.0.0.1:${port}/banyan`,
})

/** How many schemas, tables and rows the database has got. */
async function written(): Promise<unknown> {
  const client = new pg.Client({ connectionString: postgres.urlOf('postgres', 'banyan') })
  await client.connect()
  const { rows } = await client.query(
    `select (select count(*) from pg_namespace where nspname in ('banyan', 'pgboss')) as schemas,
            (select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) from pg_stat_user_tables) as rows`,
  )
  await client.end()
  return rows[0]
}

/** Every command that begins work refuses with these words, `doctor` says them, and nothing is written. */
async function refusedBy(pooler: Proxy, says: RegExp): Promise<void> {
  const before_ = await written()
  for (const command of ['start', 'migrate', 'serve', 'work']) {
    const { code, stderr } = await runCommand([command], { ...workspace.environment, ...behind(pooler) })
    assert.deepEqual([code, says.test(stderr)], [1, true], `${command}: ${stderr}`)
    assert.match(stderr, /PgBouncer in session mode/, 'it says what is supported')
  }
  const { code, stdout } = await runCommand(['doctor', '--json'], { ...workspace.environment, ...behind(pooler) })
  const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; says: string; remedy?: string }[] }
  const [found] = checks.filter(({ check }) => check === 'pooler')
  assert.deepEqual([code, found?.state], [1, 'error'], stdout)
  assert.match(`${found?.says} ${found?.remedy}`, says)
  assert.deepEqual(await written(), before_)
}

let count = 0
const place = () => ({ folder: join(workspace.folder, `pooler-${count++}`), port: postgres.port })

async function through(pooler: Proxy, work: (pooler: Proxy) => Promise<void>): Promise<void> {
  try {
    await work(pooler)
  } finally {
    await pooler.stop()
  }
}

before(async () => {
  await documented(/^create role/)
  await postgres.query(`alter database banyan set timezone = 'Asia/Kolkata'`)
  await postgres.query(`alter database banyan set DateStyle = 'German'`)
})

describe('PgBouncer in session mode', () => {
  it('as installed, is refused with a word about poolers', async () =>
    through(await startPgBouncer(place(), { mode: 'session', ignored: '' }), (pooler) =>
      refusedBy(pooler, /A pooler that breaks sessions stands before PostgreSQL: it refuses the settings/),
    ))

  it('without the settings on the role, is refused with the name of the first one and what sets it', async () =>
    through(await startPgBouncer(place(), { mode: 'session' }), (pooler) =>
      refusedBy(
        pooler,
        /has search_path .* and not banyan: a pooler .*`alter role banyan_(app|owner) set search_path = banyan`/,
      ),
    ))

  it('with the settings of install.md on the roles, serves, and times are UTC', async () => {
    await documented(/^alter role/)
    await through(await startPgBouncer(place(), { mode: 'session' }), async (pooler) => {
      const settings = behind(pooler)
      const server = await startServer(workspace, settings)
      const run = async (...args: string[]) => {
        const { code, stdout, stderr } = await runCommand(args, { ...workspace.environment, ...settings })
        assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`)
        return stdout
      }
      try {
        const send = clientOf(workspace.origin)
        const token = (await run('token', '--role', 'owner')).trim()
        await run('demo')
        const made = await send('POST', '/v1/platforms', { token, body: { name: 'Behind a pooler' } })
        assert.equal(made.status, 201, made.text)
        assert.match(made.body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
        const late_ms = Math.abs(Date.now() - Date.parse(`${made.body.created_at}Z`))
        assert(late_ms < 3_600_000, `${made.body.created_at} is UTC and not the time of Kolkata`)
        const users = await send('GET', '/v1/users', { token })
        assert.match(users.body.data[0].created_at, /^\d{4}-\d\d-\d\dT/)
        assert.match(await run('doctor'), /^ok +pooler +one that keeps sessions together/m)
        await run('migrate')
      } finally {
        assert.equal((await server.stop()).code, 0)
      }
    })
  })
})

describe('a pooler that breaks sessions, with the settings on the roles and a migrated database', () => {
  it('PgBouncer in transaction mode is refused', async () =>
    through(await startPgBouncer(place(), { mode: 'transaction' }), (pooler) =>
      refusedBy(
        pooler,
        /A pooler that breaks sessions stands before PostgreSQL: two transactions of one connection see two backends/,
      ),
    ))

  it('pgpool-II is refused, with one server behind it', async () =>
    through(await startPgpool(place()), (pooler) =>
      refusedBy(pooler, /A pooler that breaks sessions stands before PostgreSQL: it is pgpool-II/),
    ))

  it('and without a pooler, the same database is served whatever is set on its roles', async () => {
    await resetRoles()
    const direct = {
      DATABASE_URL: postgres.urlOf('banyan_app', 'banyan'),
      MIGRATION_DATABASE_URL: postgres.urlOf('banyan_owner', 'banyan'),
    }
    const { code, stdout } = await runCommand(['doctor'], { ...workspace.environment, ...direct })
    assert.match(stdout, /^ok +pooler +none$/m, stdout)
    assert.equal(code, 0, stdout)
  })
})
