import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { serverAccount } from '../../src/kernel/embedded-postgres/embedded-home.ts'
import { clientOf, eventually, newWorkspace, runCommand, startServer } from '../support/server.ts'
import { findPostgres, startPostgres } from './debian-postgres.ts'

const postgres = await findPostgres()
const workspace = await newWorkspace()
after(() => workspace.remove())

type Postgres = Awaited<ReturnType<typeof startPostgres>>

/** A server that follows another, which waits for it at each commit. */
async function startStandby(primary: Postgres): Promise<Postgres> {
  const folder = join(workspace.folder, 'standby')
  const { uid, gid } = serverAccount()
  await mkdir(folder)
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
  const data = join(folder, 'data')
  const options = { uid, gid, cwd: folder, env: { PATH: process.env['PATH'], ...postgres.environment } }
  const copy = ['-D', data, '-d', primary.urlOf('postgres', 'postgres'), '-R', '-c', 'fast']
  await promisify(execFile)(join(postgres.binaries, 'pg_basebackup'), copy, options)
  const standby = await startPostgres(postgres, folder)
  await primary.query(`alter system set synchronous_standby_names = '*'`)
  await primary.query(`alter system set synchronous_commit = 'remote_apply'`)
  await primary.query('select pg_reload_conf()')
  return standby
}

/** An address that leads to one server, and later to another: what a fail-over moves. */
async function createAddress(first: Postgres) {
  let port = first.port
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      sockets.add(from)
      from.on('error', () => {}).on('close', () => to.destroy())
      from.pipe(to)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const own = String((server.address() as AddressInfo).port)
  return {
    of: (url: string) => url.replace(`:${first.port}/`, `:${own}/`),
    moveTo: (next: Postgres) => void (port = next.port),
  }
}

describe('a fail-over to a standby that is promoted some time later', () => {
  it('is a 503 of writes until then, /readyz and doctor say why, and nothing that was acknowledged is lost', async () => {
    const primary = await startPostgres(postgres, join(workspace.folder, 'primary'))
    for (const role of ['banyan_owner', 'banyan_app']) await primary.query(`create role ${role} login`)
    await primary.query('create database banyan owner banyan_owner')
    const address = await createAddress(primary)
    const environment = {
      ...workspace.environment,
      DATABASE_URL: address.of(primary.urlOf('banyan_app', 'banyan')),
      MIGRATION_DATABASE_URL: address.of(primary.urlOf('banyan_owner', 'banyan')),
    }
    const server = await startServer(workspace, environment)
    after(() => server.stop())
    const standby = await startStandby(primary)
    after(() => standby.stop())

    const call = clientOf(workspace.origin)
    const token = (await runCommand(['token', '--role', 'owner'], environment)).stdout.trim()
    const names: string[] = []
    const create = (name: string) => call('POST', '/v1/platforms', { token, body: { name } })
    const read = async () => {
      const { status, body } = await call('GET', '/v1/platforms', { token })
      return { status, names: ((body.data ?? []) as { name: string }[]).map((one) => one.name) }
    }
    for (const name of ['Before one', 'Before two']) {
      assert.equal((await create(name)).status, 201)
      names.push(name)
    }

    address.moveTo(standby)
    await primary.stop()
    const { body } = await eventually(
      () => call('GET', '/readyz'),
      ({ body }) => body.checks.database === 'read_only',
    )
    assert.deepEqual(body, {
      status: 'unavailable',
      checks: { database: 'read_only', migrations: 'ok', version: 'ok' },
    })
    for (let attempt = 0; attempt < 20; attempt++) {
      const { status, body } = await create('Never made')
      assert.deepEqual([status, body.code], [503, 'unavailable'])
    }
    assert.deepEqual((await read()).names.filter((name) => names.includes(name)).toSorted(), names)
    const { code, stdout } = await runCommand(['doctor'], environment)
    assert.equal(code, 1)
    assert.match(stdout, /error +database +The database is a standby and accepts no writes\./)

    await standby.query('select pg_promote()')
    await eventually(
      () => call('GET', '/readyz'),
      ({ status }) => status === 200,
    )
    assert.equal((await create('After')).status, 201)
    const found = (await read()).names
    assert.deepEqual(
      [...names, 'After'].filter((name) => !found.includes(name)),
      [],
    )
    assert(!found.includes('Never made'))
    const { stderr, stdout: log } = server.output()
    assert.doesNotMatch(stderr + log, /unexpected error/)
    await eventually(
      () => runCommand(['doctor', '--json'], environment),
      ({ stdout }) => (JSON.parse(stdout) as { errors: number }).errors === 0,
    )
  })
})
