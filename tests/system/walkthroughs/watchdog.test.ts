import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { findSystemd } from '../../../src/kernel/processes/systemd.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { processesBelow } from '../../support/processes.ts'
import { newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'

/** Far shorter than in the units. */
const WATCHDOG_MS = 400

const workspace = await newWorkspaceWithDatabase()
after(() => workspace.remove())
assert.equal((await runCommand(['migrate'], workspace.environment)).code, 0)

/** A `systemd-notify` that writes down what it is given; its settings are what systemd gives to a service. */
async function listening() {
  const folder = join(workspace.folder, 'bin')
  const notified = join(workspace.folder, 'notified')
  await mkdir(folder)
  await writeFile(notified, '')
  await writeFile(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${notified}\n`)
  await chmod(join(folder, 'systemd-notify'), 0o755)
  const settings = {
    PATH: `${folder}:${workspace.environment['PATH']}`,
    NOTIFY_SOCKET: '/run/notify',
    WATCHDOG_USEC: String(WATCHDOG_MS * 1_000),
    PROCESSES: '2',
  }
  return { settings, notified: async () => (await readFile(notified, 'utf8')).trim().split('\n') }
}

describe('a service that systemd watches', () => {
  it('says that it is ready, and alive; no more once a process of it is frozen; and again when that goes on', async () => {
    const { settings, notified } = await listening()
    const server = await startServer(workspace, settings, 'serve')
    after(() => server.kill())
    await within(DEADLINE_MS, async () => (await notified()).length > 3)
    assert.deepEqual([...new Set(await notified())], ['/run/notify READY=1', '/run/notify WATCHDOG=1'])
    assert.equal((await notified()).filter((line) => line.endsWith('READY=1')).length, 1)

    const [name, pid = 0] = [...(await processesBelow(server.pid))][1] ?? []
    const warnings = () =>
      server.output().stderr.match(/"processes":\["[^\]]*"\],"msg":"processes do not respond/g) ?? []
    process.kill(pid, 'SIGSTOP')
    await within(DEADLINE_MS, async () => warnings().length > 0)
    assert.match(warnings()[0] ?? '', new RegExp(`"processes":\\["${name}"\\]`))
    const before = (await notified()).length
    await within(DEADLINE_MS, async () => warnings().length > 1)
    assert.equal((await notified()).length, before, 'nothing was said while it was frozen')
    process.kill(pid, 'SIGCONT')
    await within(DEADLINE_MS, async () => (await notified()).length > before)
    assert.equal((await server.stop()).code, 0)
  })

  it('is watched by its main process alone, and one that systemd does not run says nothing', () => {
    const given = { NOTIFY_SOCKET: '/run/notify', PATH: '/bin', WATCHDOG_USEC: '30000000', WATCHDOG_PID: '12' }
    assert.deepEqual(findSystemd(given, 12), { socket: '/run/notify', watchdog_ms: 30_000, path: '/bin' })
    assert.equal(findSystemd(given, 13)?.watchdog_ms, null)
    assert.equal(findSystemd({ NOTIFY_SOCKET: '/run/notify' })?.watchdog_ms, null)
    assert.equal(findSystemd({ WATCHDOG_USEC: '30000000' }), undefined)
  })
})
