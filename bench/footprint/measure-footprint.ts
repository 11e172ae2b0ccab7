import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openDocumentClient } from '../document-client.ts'
import { certificateTimes } from '../document-times.ts'
import { fill } from '../fill.ts'
import { operationsOn } from '../operations.ts'
import type { BenchContext, ModeContext, Options } from '../part.ts'
import { writeSection } from '../performance-page.ts'
import { ownMegabytes, residentMegabytes } from '../process-figures.ts'
import { median, quantile } from '../report.ts'
import { openStage, OWN_VERSION } from '../stage.ts'
import { measureStarts } from './start-times.ts'
import { table } from '../../tools/reference/markdown.ts'

const REST_MS = 10_000
const LOAD_SECONDS = 30
const DOCUMENT_CONNECTIONS = 8
const INSTALL_TIMEOUT_MS = 300_000

type Figure = { name: string; value: number; unit: string; most: number; note: string }

/** Measures how long start and installation take, what memory is used, and how long a certificate takes. */
export async function measureFootprint({ seconds }: Options, context: ModeContext): Promise<string> {
  const { closers, say, machine } = context
  const starts = await measureStarts(context)
  const stage = await openStage(closers, { say })
  const tenant = await fill(stage, say)
  const worker = await stage.start('worker')
  await tenant.settle()
  await stage.restartProduct()
  const figures: Figure[] = [
    {
      name: '`npm start` on a filled data folder, to `/readyz`',
      value: median(starts),
      unit: 's',
      most: 1.5,
      note: `${Math.min(...starts).toFixed(2)}–${Math.max(...starts).toFixed(2)} s`,
    },
    ...(await measureMemory({ stage, tenant, closers, say }, worker.pid)),
    ...(await measureCertificates({ stage, tenant, closers, say }, seconds)),
    await measureInstallation(context),
  ]
  const rows = figures.map(({ name, value, unit, most, note }) => [
    name,
    `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`,
    `${most} ${unit}`,
    value <= most ? 'met' : `missed by ${((value / most - 1) * 100).toFixed(0)} %`,
    note,
  ])
  const report = table(['', 'figure', 'target', '', 'and'], rows)
  await writeSection('Start and size', machine, report)
  return report
}

async function measureMemory({ stage, tenant, say }: BenchContext, workerPid: number): Promise<Figure[]> {
  await sleep(REST_MS)
  const rest = ownMegabytes(stage.productPid)
  const worker = ownMegabytes(workerPid)
  say(`  at rest: API ${rest.toFixed(0)} MB, worker ${worker.toFixed(0)} MB`)
  let highest = 0
  const timer = setInterval(() => (highest = Math.max(highest, ownMegabytes(stage.productPid))), 200)
  for (const { load } of operationsOn(tenant, stage)) await load(stage.productUrl, LOAD_SECONDS)
  clearInterval(timer)
  const all = residentMegabytes(stage.productPid)
  say(`  under load: API ${highest.toFixed(0)} MB`)
  return [
    { name: 'API process at rest', value: rest, unit: 'MB', most: 150, note: 'resident' },
    {
      name: 'API process at full load',
      value: highest,
      unit: 'MB',
      most: 300,
      note: `most of ${2 * LOAD_SECONDS} s; ${all.toFixed(0)} MB with its child processes`,
    },
    { name: 'worker at rest', value: worker, unit: 'MB', most: 150, note: 'resident' },
  ]
}

async function measureCertificates(context: BenchContext, seconds: number): Promise<Figure[]> {
  const client = await openDocumentClient(context, { connections: DOCUMENT_CONNECTIONS })
  const took = await certificateTimes(client)
  const end = performance.now() + seconds * 1_000
  const loops = Array.from({ length: DOCUMENT_CONNECTIONS }, () =>
    client.getCertificates(() => performance.now() > end),
  )
  const all = (await Promise.all(loops)).reduce((sum, one) => sum + one, 0)
  const rate = `${(all / seconds).toFixed(0)} a second over ${DOCUMENT_CONNECTIONS} connections`
  const p99 = `p99 ${quantile(took, 0.99).toFixed(1)} ms`
  return [{ name: 'a certificate, p50', value: median(took), unit: 'ms', most: 12, note: `${p99}; ${rate}` }]
}

/** In a folder of its own; the first installation fills the cache. */
async function measureInstallation({ closers, say }: ModeContext): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-install-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  await promisify(execFile)('git', ['clone', '--quiet', '--depth', '1', `file://${OWN_VERSION.checkout}`, folder])
  const install = async () => {
    const from = performance.now()
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, timeout: INSTALL_TIMEOUT_MS })
    return (performance.now() - from) / 1_000
  }
  const first = await install()
  await rm(join(folder, 'node_modules'), { recursive: true })
  const again = await install()
  say(`  npm ci: ${first.toFixed(0)} s, then ${again.toFixed(0)} s`)
  return { name: '`npm ci` with a warm cache', value: again, unit: 's', most: 30, note: `${first.toFixed(0)} s before` }
}
