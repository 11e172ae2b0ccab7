import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPostgres, startPostgres } from '../dump/debian-postgres.ts'
import type { Closers } from '../faults/stage.ts'
import { DEADLINE_MS, within } from '../support/deadline.ts'
import { COMPANIES, newKeys, TWILIO } from '../support/production.ts'
import { freePorts } from '../support/server.ts'
import { boot, canBoot, inside, type UnitState } from './booted.ts'
import { preparePackage } from './programs.ts'

const UNITS = ['banyan-api@8081.service', 'banyan-worker@19464.service']
/** By default, systemd gives up a unit that it has started five times within ten seconds. */
const RESTARTS = 7

const closers: Closers = []
const folder = await mkdtemp(join(tmpdir(), 'banyan-booted-'))
after(async () => {
  for (const close of closers.toReversed()) await close()
  await rm(folder, { recursive: true, force: true })
})

/** A migrated PostgreSQL that can be stopped and started, reached by a socket. */
async function prepareDatabase(command: (args: string[], settings: Record<string, string>) => Promise<unknown>) {
  const postgres = await findPostgres()
  const data = join(folder, 'database')
  const [port = 0] = await freePorts(1)
  const begin = () => startPostgres(postgres, data, { port })
  const urlOf = (role: string) => `postgres://${role}@localhost:${port}/banyan?host=${encodeURIComponent(data)}`
  const first = await begin()
  for (const role of ['banyan_owner', 'banyan_app']) await first.query(`create role ${role} login`)
  await first.query('create database banyan owner banyan_owner')
  const settings = { DATABASE_URL: urlOf('banyan_app'), MIGRATION_DATABASE_URL: urlOf('banyan_owner') }
  await command(['migrate'], settings)
  await first.stop()
  return { url: urlOf('banyan_app'), begin }
}

async function programsAt(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const text = `select distinct role from banyan.processes where seen_at > now() - interval '10 seconds' order by role`
    return (await client.query<{ role: string }>(text)).rows.map(({ role }) => role)
  } finally {
    await client.end()
  }
}

if (canBoot())
  describe('the units under systemd, in a system that boots while the database is away', () => {
    it('start again until it is there, however long that takes; then API and worker run', async (t) => {
      await chmod(folder, 0o755)
      const delivered = await preparePackage(folder)
      const { command, args } = await delivered.commandOf([], {})
      const database = await prepareDatabase(async (more, settings) => {
        const called = await delivered.commandOf(more, { NODE_ENV: 'production', ...settings })
        await promisify(execFile)(called.command, called.args, { cwd: folder, env: called.env })
      })
      const program = inside(`#!/bin/sh\nexec ${[command, ...args].join(' ')} "$@"\n`, folder)
      const settings = {
        ...COMPANIES,
        ...TWILIO,
        ...newKeys(),
        DATABASE_URL: inside(database.url, folder),
        PUBLIC_URL: 'https://api.example.org',
        DOCUMENT_STORAGE: 'folder',
        PROCESSES: '1',
      }
      const system = await boot({ program, settings, units: UNITS, folder, closers })
      t.after(() => t.diagnostic(`${system.output()}\n${system.journal()}`.slice(-4000)))
      const each = (isSo: (state: UnitState) => boolean) =>
        UNITS.every((unit) => {
          const state = system.states()[unit]
          assert.notEqual(state?.ActiveState, 'failed', `${unit} was given up: ${JSON.stringify(state)}`)
          return state !== undefined && isSo(state)
        })
      // On a busy machine starts are so slow that no limit is reached.
      await within(DEADLINE_MS, async () => each(({ StartLimitIntervalUSec }) => StartLimitIntervalUSec === '0'))
      await within(DEADLINE_MS, async () => each(({ NRestarts }) => NRestarts >= RESTARTS))
      assert.match(system.journal(), /^The database cannot be used: connect ENOENT/m)
      const { stop } = await database.begin()
      closers.push(stop)
      await within(DEADLINE_MS, async () => each(({ ActiveState }) => ActiveState === 'active'))
      await within(DEADLINE_MS, async () => (await programsAt(database.url)).join() === 'api,worker')

      // Started means that it can serve.
      const probe = `systemctl restart ${UNITS[0]} && curl -sf http://127.0.0.1:8081/readyz`
      assert.match(await system.run(probe), /"status":"ok".*0\n$/)

      // A frozen process is killed by the watchdog, and started again.
      assert.equal(await system.run(`systemctl kill --signal=STOP ${UNITS[0]}`), '0\n')
      const isBack = /Watchdog timeout[^]*Failed with result 'watchdog'[^]*Started banyan-api@8081/
      await within(DEADLINE_MS, async () => isBack.test(system.journal()))
      assert.match(await system.run('curl -sf http://127.0.0.1:8081/readyz'), /"status":"ok".*0\n$/)

      // A command has the settings of the services from its first moment on, as Node reads this one before any file.
      await system.run('echo NODE_EXTRA_CA_CERTS=/nowhere.pem >> /etc/banyan/banyan.env')
      const doctor = await system.run('banyan-command doctor')
      assert.match(doctor, /Ignoring extra certs from `\/nowhere\.pem`/)
      assert.match(doctor, /^ok +programs +.*running: 1 api .*, 1 worker /m)
      assert.match(await system.run('banyan-command config --json'), /"name": ?"DATABASE_URL"[^]*\n0\n$/)
    })
  })
