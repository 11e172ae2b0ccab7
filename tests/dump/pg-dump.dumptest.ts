import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { clientOf, eventually, newWorkspace, runCommand, runScript, startServer } from '../support/server.ts'
import { readText } from '../support/sources.ts'
import { findPostgres, startPostgres } from './debian-postgres.ts'

/** Counted on the old server only, so that the new one is behind. */
const TRANSACTIONS = 20_000

const postgres = await findPostgres()
const workspace = await newWorkspace()
const servers = [
  await startPostgres(postgres, join(workspace.folder, 'old')),
  await startPostgres(postgres, join(workspace.folder, 'new')),
] as const
after(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await workspace.remove()
})

const settingsOf = ({ urlOf }: (typeof servers)[number]) => ({
  DATABASE_URL: urlOf('banyan_app', 'banyan'),
  MIGRATION_DATABASE_URL: urlOf('banyan_owner', 'banyan'),
})
const [before_, restored] = servers.map(settingsOf) as [ReturnType<typeof settingsOf>, ReturnType<typeof settingsOf>]

/** Runs a command of the program, which must succeed; returns its output. */
async function command(settings: object, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, { ...workspace.environment, ...settings })
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  return stdout
}

/** Runs a line of the documentation as it is written there. */
async function documented(pattern: RegExp, settings: ReturnType<typeof settingsOf>): Promise<void> {
  const [found] = pattern.exec(readText('docs/operations.md')) ?? assert.fail(`no line like ${pattern}`)
  const line = found.replace('postgres://banyan_owner@db.example.org/banyan', settings.MIGRATION_DATABASE_URL)
  const environment = { ...workspace.environment, ...postgres.environment, ...settings }
  const path = `${postgres.binaries}:${workspace.environment['PATH'] ?? ''}`
  const { code, stderr } = await runScript(`cd ${workspace.folder} && ${line}`, { ...environment, PATH: path })
  assert.deepEqual([code, stderr], [0, ''], line)
}

/** Creates the roles and the database with the lines of docs/operators/install.md. */
async function createRoles({ query }: (typeof servers)[number]): Promise<void> {
  const [, lines = ''] = /```sql\n(create role [^`]+)```/.exec(readText('docs/operators/install.md')) ?? []
  for (const line of lines.trim().split('\n')) await query(line)
}

/** All rows of all tables, by the owner. */
async function rowsIn({ MIGRATION_DATABASE_URL: connectionString }: ReturnType<typeof settingsOf>) {
  const client = new pg.Client({ connectionString, options: '-c search_path=banyan' })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'banyan'::regnamespace and relkind = 'r' order by relname`,
  )
  const counted: Record<string, string> = {}
  for (const { name } of rows) {
    const { rows: hashed } = await client.query<{ hash: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(r::text, '' order by r::text)), '') as hash from ${name} r`,
    )
    counted[name] = hashed[0]?.hash ?? ''
  }
  await client.end()
  return counted
}

type Ids = { user: string; platform: string; event: string }
let ids: Ids
let head: string
let erased: string

/** What a page of the event log shows. */
type Events = { data: { id: string; type: string; subject: string }[]; next: string | null }

before(async () => {
  await createRoles(servers[0])
  await servers[0].query(
    `do $$ begin for i in 1..${TRANSACTIONS} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  )
  const server = await startServer(workspace, before_)
  const send = clientOf(workspace.origin)
  const token = (await command(before_, 'token', '--role', 'owner')).trim()
  await command(before_, 'demo')
  const platform = (await send('GET', '/v1/platforms', { token })).body.data[0].id
  const user = (await send('GET', '/v1/users', { token })).body.data[0].user_id
  const page = () => send('GET', '/v1/events?limit=100', { token }).then(({ body }) => body as Events)
  const events = await eventually(page, ({ data }) => data.some(({ subject }) => subject === user))
  ids = { user, platform, event: events.data.at(-1)?.id ?? assert.fail() }
  head = await eventually(
    () => command(before_, 'audit', 'head').catch(() => ''),
    (text) => /^\d+:\w+/.test(text),
  )
  assert.equal((await server.stop()).code, 0)
  erased = await command(before_, 'erasures', 'list')
})

describe('a dump made and loaded as docs/operations.md says', () => {
  it('has every row of every table', async () => {
    await documented(/^pg_dump .*$/m, before_)
    await createRoles(servers[1])
    await documented(/pg_restore .*banyan\.dump(?=`)/, restored)
    const [expected, found] = [await rowsIn(before_), await rowsIn(restored)]
    assert(Object.keys(expected).length > 25 && expected['users']?.startsWith('1 '), JSON.stringify(expected))
    assert.deepEqual(found, expected)
  })

  it('is continued by `migrate`, and audit and ledger are verified', async () => {
    const refused = await runCommand(['serve'], { ...workspace.environment, ...restored })
    assert.deepEqual([refused.code, /Run `migrate` first/.test(refused.stderr)], [1, true])
    assert.match(
      await command(restored, 'migrate'),
      /restored from another server, whose events and audit it now continues/,
    )
    assert.equal(erased, '')
    await command(restored, 'audit', 'verify', '--head', head.split(' ', 1)[0] ?? '')
    await command(restored, 'ledger', 'verify')
    await command(restored, 'keys', 'status')
    const shut = await runCommand(['serve'], { ...workspace.environment, ...restored })
    assert.deepEqual([shut.code, /run `erasures apply/.test(shut.stderr)], [1, true])
    await command(restored, 'erasures', 'apply', '--nothing-since')
  })

  it('serves the same people, and readers of events continue where they were', async () => {
    const server = await startServer(workspace, restored)
    const send = clientOf(workspace.origin)
    const token = (await command(restored, 'token', '--role', 'owner')).trim()
    const { status, body } = await send('GET', `/v1/users/${ids.user}`, { token })
    assert.equal(status, 200)
    assert.equal(body.user_id, ids.user)
    const made = await send('POST', '/v1/platforms', { token, body: { name: 'After the restore' } })
    assert.equal(made.status, 201)
    const disabled = await send('PUT', `/v1/platforms/${made.body.id}/status`, { token, body: { status: 'INACTIVE' } })
    assert.equal(disabled.status, 200)
    const page = () =>
      send('GET', `/v1/events?limit=100&after=${ids.event}`, { token }).then(({ body }) => body as Events)
    await eventually(page, ({ data }) => data.some(({ subject }) => subject === made.body.id))
    assert.equal((await server.stop()).code, 0)
  })
})
