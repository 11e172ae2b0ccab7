import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'

type CompletedRequest = { method: string; route: string; status: number; duration_ms: number }

export type Metrics = {
  requestDone(request: CompletedRequest): void
  jobDone(job: { job: string; outcome: 'completed' | 'failed'; duration_ms: number }): void
  /** Registers a gauge that is read at every scrape. */
  watch(name: string, description: string, read: () => number): void
  /** Returns the current values in the Prometheus format. */
  page(): Promise<string>
}

const LATENCY_BUCKETS_MS = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

/** Opens the counters and histograms of this process. Labels are route patterns and status codes, never URLs or ids. */
export function openMetrics(): Metrics {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const serializer = new PrometheusSerializer()
  const meter = new MeterProvider({ readers: [exporter] }).getMeter('banyan')
  const advice = { explicitBucketBoundaries: LATENCY_BUCKETS_MS }
  const requests = meter.createHistogram('http_server_request_duration_ms', {
    description: 'Duration of HTTP requests',
    advice,
  })
  const jobs = meter.createHistogram('job_duration_ms', { description: 'Duration of jobs', advice })

  return {
    requestDone: ({ duration_ms, method, route, status }) => requests.record(duration_ms, { method, route, status }),
    jobDone: ({ duration_ms, ...labels }) => jobs.record(duration_ms, labels),
    watch: (name, description, read) =>
      meter.createObservableGauge(name, { description }).addCallback((result) => result.observe(read())),
    page: async () => serializer.serialize((await exporter.collect()).resourceMetrics),
  }
}

/** Serves `/metrics`; resolves when it is listening. */
export async function serveMetrics(
  page: () => Promise<string>,
  { host, port }: { host: string; port: number },
): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    page().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain' }).end(text),
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
