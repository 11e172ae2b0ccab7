import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { serverAccount } from '../../src/kernel/embedded-postgres/embedded-home.ts'
import { findPostgres, startPostgres } from '../dump/debian-postgres.ts'
import { within } from '../support/deadline.ts'
import { clientOf, newWorkspace, runCommand, startServer } from '../support/server.ts'
import { runDocumented } from './install-guide.ts'

const STANDBY_MS_MAX = 60_000
const RECOVERY_MS_MAX = 30_000
const CALLERS = 4
const BEFORE = 40
const AFTERWARDS = 40

const SYNCHRONOUS = 'select sync_state as value from pg_stat_replication'

const workspace = await newWorkspace()
const installed = await findPostgres()
const primary = await startPostgres(installed, join(workspace.folder, 'primary'), { settings: ['wal_level=replica'] })
const standby = await startStandby()
const address = await startAddress(primary.port)
after(async () => {
  address.close()
  await standby.stop()
  await workspace.remove()
})

/** A copy of the primary that follows it, and that each commit waits for. */
async function startStandby() {
  const folder = join(workspace.folder, 'standby')
  const account = serverAccount()
  await mkdir(folder)
  if (account.uid !== undefined && account.gid !== undefined) await chown(folder, account.uid, account.gid)
  const env = { PATH: process.env['PATH'] ?? '', ...installed.environment }
  const from = `host=127.0.0.1 port=${primary.port} user=postgres`
  const args = ['-d', from, '-D', join(folder, 'data'), '-R', '-X', 'stream', '-c', 'fast']
  await promisify(execFile)(join(installed.binaries, 'pg_basebackup'), args, { ...account, cwd: folder, env })
  const server = await startPostgres(installed, folder, {
    settings: [`primary_conninfo=${from} application_name=standby`],
  })
  await primary.query(`alter system set synchronous_standby_names = 'standby'`)
  await primary.query('select pg_reload_conf()')
  await within(STANDBY_MS_MAX, async () => (await valueOf(primary.port, SYNCHRONOUS)) === 'sync')
  return server
}

async function valueOf(port: number, text: string, database = 'postgres'): Promise<unknown> {
  const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/${database}` })
  await client.connect()
  const { rows } = await client.query<{ value: unknown }>(text)
  await client.end()
  return rows[0]?.value
}

/** The address of the database, which leads to another server after a failover, as a name or a virtual address does. */
async function startAddress(port: number) {
  let to = port
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {}).on('close', () => void other.destroy())
      one.pipe(other)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(other: number) {
      to = other
      end()
    },
    close: () => {
      server.close()
      end()
    },
  }
}

describe('a failover to a synchronous standby, under load', () => {
  it('loses nothing that was acknowledged, and responds 503 with Retry-After meanwhile, nothing else', async () => {
    await runDocumented(primary, /^create role/)
    const settings = {
      DATABASE_URL: `postgres://banyan_app@127.0.0.1:${address.port}/banyan`,
      MIGRATION_DATABASE_URL: `postgres://banyan_owner@127.0.0.1:${address.port}/banyan`,
    }
    const server = await startServer(workspace, settings)
    const send = clientOf(workspace.origin)
    const owner = (
      await runCommand(['token', '--role', 'owner'], { ...workspace.environment, ...settings })
    ).stdout.trim()
    const platform = (await send('POST', '/v1/platforms', { token: owner, body: { name: 'Under load' } })).body
    const path = `/v1/platforms/${platform.id}/credentials`
    const { basic_token } = (await send('POST', path, { token: owner, body: {} })).body
    const exchange = {
      body: 'grant_type=client_credentials',
      headers: { authorization: `Basic ${basic_token}`, 'content-type': 'application/x-www-form-urlencoded' },
    }
    const token = (await send('POST', '/v1/oauth/token', exchange)).body.access_token

    const acknowledged: string[] = []
    const odd: string[] = []
    let unavailable = 0
    let phone = 9_800_000_000
    const over = new AbortController()
    const caller = async () => {
      while (!over.signal.aborted) {
        const body = { phone_country_code: '+91', phone_number: String(phone++) }
        const { status, text, headers, body: response } = await send('POST', '/v1/auth/token', { token, body })
        if (status === 200) acknowledged.push(response.user_id)
        else if (status === 503 && headers.has('retry-after')) unavailable++
        else odd.push(`${status} ${text}`)
        if (status !== 200) await sleep(50)
      }
    }
    const callers = Array.from({ length: CALLERS }, caller)
    await within(RECOVERY_MS_MAX, async () => acknowledged.length >= BEFORE)
    await primary.crash()
    await within(RECOVERY_MS_MAX, async () => unavailable > 0)
    await standby.query('select pg_promote()')
    address.leadTo(standby.port)
    const atFailover = acknowledged.length
    await within(RECOVERY_MS_MAX, async () => acknowledged.length >= atFailover + AFTERWARDS)
    over.abort()
    await Promise.all(callers)
    await server.stop()

    assert.deepEqual(odd, [])
    const list = acknowledged.map((id) => `'${id}'`).join()
    const kept = `select count(*)::int as value from banyan.users where user_id in (${list})`
    assert.equal(await valueOf(standby.port, kept, 'banyan'), acknowledged.length)
    assert.equal(new Set(acknowledged).size, acknowledged.length)
  })
})
