import assert from 'node:assert/strict'
import { appendFile, chown, cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { serverAccount } from '../../src/kernel/embedded-postgres/embedded-home.ts'
import { eventually, newWorkspace, runCommand, runScript } from '../support/server.ts'
import { readText } from '../support/sources.ts'
import { findPostgres, startPostgres } from './debian-postgres.ts'

const postgres = await findPostgres()
const workspace = await newWorkspace()
after(() => workspace.remove())

/** The blocks of the documentation, with its folder and time replaced by these. */
const folder = join(workspace.folder, 'backup')
const documented = (begin: RegExp, replaced: Record<string, string> = {}): string[] => {
  const blocks = [...readText('docs/operations.md').matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block = '']) => block)
  const block = blocks.find((text) => begin.test(text)) ?? assert.fail(`no block like ${begin}`)
  const replacements = Object.entries({ '/backup': folder, ...replaced })
  return replacements
    .reduce((text, [from, to]) => text.replaceAll(from, to), block)
    .trim()
    .split('\n')
}

/** `name = 'value'` as it is given on the command line. */
const asArgument = (line: string) => line.replace(/ = '?/, '=').replace(/'$/, '')

async function giveToServer(path: string): Promise<void> {
  const { uid, gid } = serverAccount()
  if (uid === undefined || gid === undefined) return
  await chown(path, uid, gid)
  for (const name of await readdir(path, { recursive: true })) await chown(join(path, name), uid, gid)
}

async function valueOf(connectionString: string, text: string): Promise<string> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query<{ value: string }>(text)
    return String(rows[0]?.value)
  } finally {
    await client.end()
  }
}

describe('a server recovered to a point in time as docs/operations.md says', () => {
  it('has what was committed before, nothing that came after, and is continued', async () => {
    await mkdir(join(folder, 'wal'), { recursive: true })
    await giveToServer(folder)
    const settings = documented(/^archive_mode/).map(asArgument)
    const server = await startPostgres(postgres, join(workspace.folder, 'old'), { settings })
    const [, roles = ''] = /```sql\n(create role [^`]+)```/.exec(readText('docs/operators/install.md')) ?? []
    for (const line of roles.trim().split('\n')) await server.query(line)
    const urlsOf = ({ urlOf }: typeof server) => ({
      DATABASE_URL: urlOf('banyan_app', 'banyan'),
      MIGRATION_DATABASE_URL: urlOf('banyan_owner', 'banyan'),
    })
    const command = async (at: typeof server, ...args: string[]) => {
      const { code, stdout, stderr } = await runCommand(args, {
        ...workspace.environment,
        LOG_LEVEL: 'silent',
        ...urlsOf(at),
      })
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
      return stdout
    }
    await command(server, 'migrate')

    const path = `${postgres.binaries}:${workspace.environment['PATH'] ?? ''}`
    const connection = { PGHOST: '127.0.0.1', PGPORT: String(server.port), PGUSER: 'postgres' }
    const [copy = ''] = documented(/^pg_basebackup/)
    const copied = await runScript(copy, {
      ...workspace.environment,
      ...postgres.environment,
      ...connection,
      PATH: path,
    })
    assert.equal(copied.code, 0, copied.stderr)

    await command(server, 'token', '--role', 'owner')
    const then = await valueOf(server.urlOf('postgres', 'banyan'), 'select clock_timestamp()::text as value')
    await command(server, 'token', '--role', 'viewer')
    const segment = await valueOf(
      server.urlOf('postgres', 'banyan'),
      'select pg_walfile_name(pg_switch_wal()) as value',
    )
    await eventually(
      () => readdir(join(folder, 'wal')),
      (names) => names.includes(segment),
    )
    await server.stop()

    const data = join(workspace.folder, 'new', 'data')
    await cp(join(folder, 'base'), data, { recursive: true })
    const lines = documented(/^restore_command/, { '2026-11-23 04:30:00+00': then })
    await appendFile(join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)
    await writeFile(join(data, 'recovery.signal'), '')
    await giveToServer(join(workspace.folder, 'new'))
    const recovered = await startPostgres(postgres, join(workspace.folder, 'new'))
    try {
      const isPromoted = () => valueOf(recovered.urlOf('postgres', 'banyan'), 'select not pg_is_in_recovery() as value')
      await eventually(isPromoted, (value) => value === 'true')
      assert.equal(await command(recovered, 'migrate'), 'The database is up to date: plain PostgreSQL.\n')
      const subjects = `select string_agg(subject, ',') as value from banyan.audit_entries`
      assert.equal(await valueOf(recovered.urlOf('banyan_owner', 'banyan'), subjects), 'owner:command-line')
      await command(recovered, 'token', '--role', 'viewer')
      await command(recovered, 'ledger', 'verify')
    } finally {
      await recovered.stop()
    }
  })
})
