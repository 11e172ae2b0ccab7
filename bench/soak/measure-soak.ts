import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { makeDue } from '../calendar.ts'
import { fill, withClient } from '../fill.ts'
import type { BenchContext, ModeContext } from '../part.ts'
import { writeSection } from '../performance-page.ts'
import type { Process } from '../processes.ts'
import { median, target } from '../report.ts'
import { openStage } from '../stage.ts'
import { sendSteadily } from '../steady-load.ts'
import { openWebhooks, startSender } from '../webhooks.ts'
import { type Day, prepareDay } from './day.ts'
import { drawFigure } from './figure.ts'
import { createSampler, type Sample } from './sample.ts'
import { table } from '../../tools/reference/markdown.ts'

const FIGURE = new URL('../../docs/soak.svg', import.meta.url)

const REQUESTS_A_SECOND = 250
const ONBOARDINGS_A_SECOND = 15
/** Of every minute. */
const ONBOARDING_SECONDS = 12
const DUE_A_MINUTE = 300
const SAMPLE_MS = 1_000
/** V8 lets a heap grow before it collects; the first part says nothing about leaks. */
const WARM_UP_SHARE = 0.2
const GROWTH_MAX = 1.1

/** Runs the mix of a day and samples what could grow. */
export async function measureSoak(minutes: number, { closers, say, machine }: ModeContext): Promise<string> {
  const stage = await openStage(closers, { say })
  const tenant = await fill(stage, say)
  const context: BenchContext = { stage, tenant, closers, say }
  await stage.start('sandbox')
  await openWebhooks(context)
  const worker = await startSender(stage)
  const day = await prepareDay(context)
  const lived = await withClient(stage.config.migrationDatabaseUrl, (client) =>
    live(context, { worker, day, client, minutes }),
  )
  day.close()
  await writeFile(FIGURE, figureOf(lived.samples))
  const report = reportOf(lived)
  await writeSection('A day in minutes', machine, report)
  return report
}

type Life = { worker: Process; day: Day; client: pg.Client; minutes: number }

type Lived = { samples: Sample[]; failures: string[] }

/** Runs all callers until the time is up. */
async function live({ stage, say }: BenchContext, { worker, day, client, minutes }: Life): Promise<Lived> {
  const api = { pid: stage.productPid, metricsUrl: `http://127.0.0.1:${stage.config.metricsPort}` }
  const sample = createSampler({ api, worker, client, requests: day.requests })
  const ending = new AbortController()
  const failures: string[] = []
  const counted = (send: () => Promise<void>) => () => send().catch((error: Error) => void failures.push(error.message))
  const steady = sendSteadily(counted(day.one), { perSecond: REQUESTS_A_SECOND, end: ending.signal })
  const policies = await issuedPolicies(client, DUE_A_MINUTE * minutes)
  const samples: Sample[] = []
  const bursts: Promise<unknown>[] = []
  const from = performance.now()
  const minutesPassed = () => (performance.now() - from) / 60_000
  for (let minute = 0; minutesPassed() < minutes; ) {
    const due = performance.now() + SAMPLE_MS
    samples.push(await sample())
    if (minutesPassed() >= minute) {
      minute++
      const ended = AbortSignal.timeout(ONBOARDING_SECONDS * 1_000)
      const pace = { perSecond: ONBOARDINGS_A_SECOND, end: ended }
      bursts.push(sendSteadily(counted(day.onboard), pace).then((all) => Promise.all(all)))
      await makeDue(client, policies.splice(0, DUE_A_MINUTE))
      say(lineOf(samples.at(-1)))
    }
    await sleep(Math.max(0, due - performance.now()))
  }
  ending.abort()
  await Promise.all(await steady)
  await Promise.all(bursts)
  samples.push(await sample())
  return { samples, failures }
}

async function issuedPolicies(client: pg.Client, count: number): Promise<string[]> {
  const { rows } = await client.query<{ policy_id: string }>(
    `select policy_id from insurance_policies where status = 'ISSUED' order by policy_id limit $1`,
    [count],
  )
  return rows.map(({ policy_id }) => policy_id)
}

function lineOf(sample: Sample | undefined): string {
  assert(sample)
  const { requests, apiMegabytes, workerMegabytes, queued } = sample
  return `${requests} requests, API ${apiMegabytes.toFixed(0)} MB, worker ${workerMegabytes.toFixed(0)} MB, ${queued} queued`
}

const figureOf = (samples: Sample[]): string => {
  const line = (name: string, of: (sample: Sample) => number) => ({ name, values: samples.map(of) })
  const seconds = samples.map((sample) => sample.seconds)
  const rates = rateOf(samples, ({ requests }) => requests)
  return drawFigure(seconds, [
    {
      title: 'API, MB',
      lines: [line('resident', (one) => one.apiMegabytes), line('heap in use', (one) => one.apiHeapMegabytes)],
    },
    {
      title: 'worker, MB',
      lines: [line('resident', (one) => one.workerMegabytes), line('heap in use', (one) => one.workerHeapMegabytes)],
    },
    {
      title: 'database, MB',
      lines: [line('tables', (one) => one.tableMegabytes), line('indexes', (one) => one.indexMegabytes)],
    },
    { title: 'dead tuples', lines: [line('', (one) => one.deadTuples)] },
    { title: 'requests a second', lines: [{ name: '', values: rates }] },
    {
      title: 'kB of WAL a second',
      lines: [{ name: '', values: rateOf(samples, ({ walBytes }) => walBytes / 1_000) }],
    },
    { title: 'jobs and events that wait', lines: [line('', (one) => one.queued)] },
    { title: 'connections to the database', lines: [line('', (one) => one.connections)] },
  ])
}

const rateOf = (samples: Sample[], of: (sample: Sample) => number): number[] =>
  samples.map((sample, position) => {
    const before = samples[position - 1]
    return before ? (of(sample) - of(before)) / (sample.seconds - before.seconds) : 0
  })

const FIGURES: [string, (sample: Sample) => number][] = [
  ['API, resident MB', (one) => one.apiMegabytes],
  ['API, heap in use, MB', (one) => one.apiHeapMegabytes],
  ['worker, resident MB', (one) => one.workerMegabytes],
  ['worker, heap in use, MB', (one) => one.workerHeapMegabytes],
  ['tables, MB', (one) => one.tableMegabytes],
  ['indexes, MB', (one) => one.indexMegabytes],
  ['dead tuples', (one) => one.deadTuples],
  ['jobs and events that wait', (one) => one.queued],
  ['connections to the database', (one) => one.connections],
]
/** What must not grow for as long as the mix is the same. */
const STEADY = 4

function reportOf({ samples, failures }: Lived): string {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE))
  const [first, last] = [samples.at(0), samples.at(-1)]
  assert(first && last)
  const third = Math.ceil(warm.length / 3)
  const rows = FIGURES.map(([name, of]) => {
    const values = warm.map(of)
    const [early, late] = [median(values.slice(0, third)), median(values.slice(-third))]
    return { name, early, late, most: Math.max(...values) }
  })
  const requests = last.requests - first.requests
  const isMet = rows.slice(0, STEADY).every(({ early, late }) => late <= early * GROWTH_MAX)
  return [
    `${requests.toLocaleString('en')} requests in ${(last.seconds / 60).toFixed(0)} minutes, ${failures.length} with an unexpected status${failures.length > 0 ? `, the first: ${failures[0]}` : ''}.`,
    '',
    table(
      ['', 'first third', 'last third', 'most'],
      rows.map(({ name, early, late, most }) => [name, ...[early, late, most].map((value) => value.toFixed(0))]),
    ),
    '',
    `Thirds: medians, after the first ${WARM_UP_SHARE * 100} % of the time. WAL: ${((last.walBytes - first.walBytes) / requests).toFixed(0)} bytes a request, the worker's included.`,
    `Memory and heap of the last third over the first, ${target(`at most ${GROWTH_MAX}`, isMet)}.`,
  ].join('\n')
}
