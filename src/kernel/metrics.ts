import type { Server } from 'node:http'
import { once } from 'node:events'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createServer } from './http/node-http.ts'

type CompletedRequest = { method: string; route: string; status: number; duration_ms: number }
type CompletedJob = { queue: string; outcome: 'completed' | 'failed'; duration_ms: number }
/** `outcome` is the class of the status, `2xx`, or why there is no response. */
export type CompletedCall = { company: string; outcome: string; duration_ms: number }

/** The help text of a metric and the names of its labels. */
export type MetricNotes = { help: string; labels?: readonly string[] }
/** Values by metric: one, or one per combination of labels. */
type Readings<Name extends string> = Record<Name, number | readonly Reading[]>
export type Reading = { labels: Record<string, string>; value: number }

type OwnHistogram = Extract<keyof typeof OWN_METRICS, `${string}_seconds`>

export type Metrics = ReturnType<typeof createMetrics>

/** What every process measures by itself. */
export const OWN_METRICS = {
  http_request_duration_seconds: {
    help: 'Duration of requests; route is that of the OpenAPI document, none for an unknown path',
    labels: ['method', 'route', 'status_class'],
  },
  job_duration_seconds: {
    help: 'Duration of attempts to run a job; outcome is completed or failed',
    labels: ['queue', 'outcome'],
  },
  outbound_request_duration_seconds: {
    help:
      'Duration of calls to operator, account_provider, sms_gateway, identity_provider and object_storage (each try); ' +
      'outcome is the class of the status, timeout, no_response, wrong_address for a 404 at an address that must exist, or ' +
      'invalid: a 2xx without what was agreed, a redirect, 401 or 403 of operator, account_provider or sms_gateway',
    labels: ['company', 'outcome'],
  },
  sealed_values_unreadable_total: {
    help:
      'Reads of sealed values that no known format opens, and of uploaded documents whose file is missing or damaged; the log line ' +
      '“a sealed value cannot be opened” names column and row, of a document also its object in the storage',
  },
  banyan_build_info: { help: 'Version and commit of the program, as labels; always 1', labels: ['version', 'commit'] },
} as const

const LATENCY_BUCKETS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Gauges of the library with the suffix of counters, and their companions. */
const MISNAMED = ['handles', 'requests', 'resources'].flatMap((what) => [
  `nodejs_active_${what}`,
  `nodejs_active_${what}_total`,
])

/**
 * Opens the metrics of this process, named by the conventions of Prometheus: seconds, bytes, `_total` for counters. Labels
 * are route patterns, names of the program and outcomes, never URLs or ids.
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const readers = new Set<() => Promise<void>>()
  const histogram = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram({ name, help, labelNames, buckets: LATENCY_BUCKETS_S, registers })
  const ownHistogram = (name: OwnHistogram) => histogram(name, OWN_METRICS[name].help, OWN_METRICS[name].labels)

  const requests = ownHistogram('http_request_duration_seconds')
  const jobs = ownHistogram('job_duration_seconds')
  const calls = ownHistogram('outbound_request_duration_seconds')
  /** A worker that stops and starts again goes on with the metrics that it registered before. */
  const registered = new Map<string, unknown>()
  function registeredOnce<M>(name: string, create: () => M): M {
    if (!registered.has(name)) registered.set(name, create())
    return registered.get(name) as M
  }
  const counter = (name: string, help: string): (() => void) => {
    const count = registeredOnce(name, () => new Counter({ name, help, registers }))
    return () => count.inc()
  }

  return {
    requestDone: ({ duration_ms, method, route, status }: CompletedRequest) =>
      requests.observe({ method, route, status_class: `${Math.trunc(status / 100)}xx` }, duration_ms / 1_000),
    jobDone: ({ duration_ms, ...labels }: CompletedJob) => jobs.observe(labels, duration_ms / 1_000),
    callDone: ({ duration_ms, ...labels }: CompletedCall) => calls.observe(labels, duration_ms / 1_000),
    unreadable: counter('sealed_values_unreadable_total', OWN_METRICS.sealed_values_unreadable_total.help),
    /** Registers a histogram of durations by outcome, once; the returned function adds one. */
    timer(name: string, help: string) {
      const times = registeredOnce(name, () => histogram(name, help, ['outcome']))
      return ({ outcome, duration_ms }: { outcome: string; duration_ms: number }): void =>
        times.observe({ outcome }, duration_ms / 1_000)
    },
    /** Registers a counter, once; the returned function adds one. */
    counter,
    /**
     * Registers gauges that are read together at every scrape; without values when that fails. The returned function
     * removes them.
     */
    watch: <Name extends string>(
      notes: Record<Name, MetricNotes>,
      read: () => Readings<Name> | Promise<Readings<Name>>,
    ): (() => void) => watch({ registry, readers }, notes, read),
    /** Registers the metrics of the process and the version of the program. */
    watchProcess(build: { version: string; commit: string }): void {
      collectDefaultMetrics({ register: registry })
      for (const name of MISNAMED) registry.removeSingleMetric(name)
      const { banyan_build_info } = OWN_METRICS
      watch({ registry, readers }, { banyan_build_info }, () => ({
        banyan_build_info: [{ labels: build, value: 1 }],
      }))
    },
    async page(): Promise<string> {
      await Promise.all([...readers].map((read) => read()))
      return registry.metrics()
    },
  }
}

type Page = { registry: Registry; readers: Set<() => Promise<void>> }

function watch<Name extends string>(
  { registry, readers }: Page,
  notes: Record<Name, MetricNotes>,
  read: () => Readings<Name> | Promise<Readings<Name>>,
): () => void {
  const gauges = Object.entries<MetricNotes>(notes).map(([name, { help, labels = [] }]) => ({
    name: name as Name,
    gauge: new Gauge({ name, help, labelNames: labels, registers: [registry] }),
    hasLabels: labels.length > 0,
  }))
  const readAll = async () => {
    const readings = await Promise.resolve()
      .then(read)
      .catch(() => undefined)
    for (const { name, gauge, hasLabels } of gauges) {
      if (hasLabels) gauge.reset()
      else gauge.remove() // `reset` would set it to 0
      const readingsOfGauge: number | readonly Reading[] = readings?.[name] ?? []
      if (typeof readingsOfGauge === 'number') gauge.set(readingsOfGauge)
      else for (const { labels, value } of readingsOfGauge) gauge.set(labels, value)
    }
  }
  readers.add(readAll)
  return () => {
    readers.delete(readAll)
    for (const { name } of gauges) registry.removeSingleMetric(name)
  }
}

/** Serves `/metrics`, and `/livez`, which asks for nothing but this process; resolves when it is listening. */
export async function serveMetrics(
  page: () => Promise<string>,
  { host, port }: { host: string; port: number },
): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === '/livez') return void response.writeHead(200).end()
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    page().then(
      (text) => response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

/**
 * Joins the metrics of several processes. Each value gets a label `process`: a sum would decrease whenever a process is
 * restarted, and a gauge such as the longest wait is not a sum.
 */
export function joinPages(pages: readonly (readonly [name: string, page: string])[]): string {
  const families = new Map<string, Set<string>>()
  for (const [name, page] of pages) {
    let family: Set<string> | undefined
    for (const line of page.split('\n')) {
      const about = /^# (?:HELP|UNIT|TYPE) (\S+)/.exec(line)?.[1]
      if (about !== undefined) families.set(about, (family = families.get(about) ?? new Set()).add(line))
      else if (!line.startsWith('#') && line !== '') family?.add(labelled(line, name))
    }
  }
  return [...families.values()].map((lines) => `${[...lines].join('\n')}\n`).join('')
}

const labelled = (line: string, name: string): string =>
  line.replace(
    /^([\w:]+)(?:\{(.*)\})? /,
    (_, metric: string, labels: string | undefined) => `${metric}{process="${name}"${labels ? `,${labels}` : ''}} `,
  )
