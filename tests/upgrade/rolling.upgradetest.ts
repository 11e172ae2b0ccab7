import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { VERSION_BEFORE } from '../../src/kernel/program-version.ts'
import { clientOf, eventually } from '../support/server.ts'
import { releasedDocument } from '../upgrades/kept.ts'
import type { Closers } from '../faults/stage.ts'
import { type Installation, type Node, openInstallation } from './installation.ts'
import { assertHas, checkOut, fileIn, makeNextVersion, type Program, thisVersion } from './programs.ts'
import { COMMIT_BEFORE } from './version-before.ts'
import { startWatchedLoad } from './watched-load.ts'

/** What the version after this one could do to the schema; it no longer needs when a process was started. */
const expandAndContract = (version: string) => ({
  '9001_hosts_of_processes.sql':
    'alter table processes add column host text;\ncreate table hosts (host text primary key);',
  'contract/9002_start_of_processes.sql': `-- oldest program: ${version}\nalter table processes drop column started_at;`,
})

let folder: string
before(async () => {
  await assertHas(COMMIT_BEFORE)
  folder = await mkdtemp(join(tmpdir(), 'banyan-versions-'))
})
after(() => rm(folder, { recursive: true, force: true }))

type Fleet = { apis: Node[]; worker: Node }

const startFleet = async (installation: Installation, program: Program): Promise<Fleet> => {
  const [one, other, worker] = await Promise.all([
    installation.startApi(program),
    installation.startApi(program),
    installation.startWorker(program),
  ])
  return { apis: [one, other], worker }
}

/** Replaces the worker: jobs wait meanwhile. */
async function replaceWorker(installation: Installation, fleet: Fleet, program: Program): Promise<void> {
  await fleet.worker.stop()
  fleet.worker = await installation.startWorker(program)
}

/** Replaces one API after another; both versions serve for a while. */
async function replaceApis(
  installation: Installation,
  fleet: Fleet,
  { program, between }: { program: Program; between: () => Promise<void> },
): Promise<void> {
  for (const [index, node] of fleet.apis.entries()) {
    await installation.stopApi(node)
    fleet.apis[index] = await installation.startApi(program)
    await between()
  }
}

/** Runs a test on an installation of its own, whose folder with the logs is kept when it fails. */
async function withInstallation(first: Program, work: (installation: Installation) => Promise<void>): Promise<void> {
  const closers: Closers = []
  const closeAll = async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  }
  try {
    const installation = await openInstallation(first, closers)
    await work(installation)
    await closeAll()
    await installation.remove()
  } finally {
    await closeAll()
  }
}

const ownEnds = ({ apis, worker }: Fleet) => [...apis, worker].map((node) => node.ownEnds())
const NONE = { starting: 0, running: 0 }

describe('the version before', () => {
  it('is the commit that is named, and the released document is its own', async () => {
    const { version } = JSON.parse(await fileIn(COMMIT_BEFORE, 'package.json')) as { version: string }
    assert.equal(version, VERSION_BEFORE)
    assert(
      releasedDocument(VERSION_BEFORE) === (await fileIn(COMMIT_BEFORE, 'openapi.json')),
      'its packed document is its openapi.json, and is not edited',
    )
  })

  it('is upgraded to this one and back under load: no request fails, no write is lost or doubled', async () => {
    const former = await checkOut(COMMIT_BEFORE, join(folder, 'before'))
    const latter = await thisVersion()
    await withInstallation(former, async (installation) => {
      const fleet = await startFleet(installation, former)
      const load = await startWatchedLoad(installation, former)
      await installation.command(latter, 'migrate')
      await load.goesOn('the version before on the migrated database')
      await replaceWorker(installation, fleet, latter)
      const alongside = { program: latter, between: () => load.goesOn('both versions') }
      await replaceApis(installation, fleet, alongside)
      await replaceApis(installation, fleet, { ...alongside, program: former })
      await eventually(
        () => lagOf(fleet.worker),
        (lag_s) => lag_s < LAG_S_MAX,
      )
      await replaceWorker(installation, fleet, former)
      await load.goesOn('back')
      await load.finish(former)
      assert.deepEqual(ownEnds(fleet), [NONE, NONE, NONE])
    })
  })
})

/** Under load, an event is handed over within a second. */
const LAG_S_MAX = 1

/** How far the relays of a worker are behind. */
async function lagOf({ origin }: Node): Promise<number> {
  const page = await (await fetch(`${origin}/metrics`)).text()
  const lags = [...page.matchAll(/^outbox_lag_seconds\{.*\} (\S+)$/gm)].map(([, lag]) => Number(lag))
  assert(lags.length > 0, 'the worker reports its lag')
  return Math.max(...lags)
}

describe('the version after this one', () => {
  it('expands alongside this one under load, contracts only without it, and then there is no way back', async () => {
    const former = await thisVersion()
    const latter = await makeNextVersion(join(folder, 'after'), expandAndContract)
    await withInstallation(former, async (installation) => {
      const fleet = await startFleet(installation, former)
      const load = await startWatchedLoad(installation, former)
      const expanded = await installation.command(latter, 'migrate')
      assert.match(expanded, /1 waiting for `migrate --contract`/)
      await load.goesOn('this version on the migrated database')
      await assertContractRefused(installation, { latter, former, count: 3 })
      await replaceWorker(installation, fleet, latter)
      await replaceApis(installation, fleet, { program: latter, between: () => load.goesOn('both versions') })
      const last = await installation.startApi(former)
      await installation.takeOut(last)
      await assertContractRefused(installation, { latter, former, count: 1 })
      await installation.command(latter, 'migrate', '--contract', '--force')
      await assertTakesNoWork(last, former)
      await load.goesOn('the contracted database')
      await load.finish(latter)
      assert.deepEqual([...ownEnds(fleet), last.ownEnds()], [NONE, NONE, NONE, NONE])
      await assertNoWayBack(installation, { latter, former })
    })
  })
})

type Versions = { latter: Program; former: Program }

/** What programs and the database compare. */
const numbersIn = (version: string): string => version.replace(/-.*/, '')

/** It names each program that runs and is too old. */
async function assertContractRefused(
  installation: Installation,
  { latter, former, count }: Versions & { count: number },
): Promise<void> {
  const { code, output } = await installation.end(latter, 'migrate', '--contract')
  assert.equal(code, 1, output)
  const named = output.match(
    new RegExp(`^ {2}(api|worker) ${numbersIn(former.version)} \\(prc_\\w+, seen \\d+ s ago\\)$`, 'gm'),
  )
  assert.equal(named?.length, count, output)
  assert.match(output, /Replace or stop them first/)
}

async function assertTakesNoWork({ origin }: Node, { version }: Program): Promise<void> {
  const send = clientOf(origin)
  const ready = await send('GET', '/readyz')
  assert.deepEqual([ready.status, ready.body.checks.version], [503, 'outdated'], version)
  const refused = await send('GET', '/v1/platforms')
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'])
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
}

async function assertNoWayBack(installation: Installation, { latter, former }: Versions): Promise<void> {
  const sentence = `This program is ${former.version}, and the database has been upgraded for ${latter.version} and later. Run a later version.`
  for (const command of [['serve'], ['migrate']]) {
    assert.deepEqual(await installation.end(former, ...command), { code: 1, output: sentence }, command.join(' '))
  }
}
