import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'

type CompletedRequest = { method: string; route: string; status: number; duration_ms: number }

export type Metrics = {
  requestDone(request: CompletedRequest): void
  jobDone(job: { job: string; outcome: 'completed' | 'failed'; duration_ms: number }): void
  /** Registers a gauge that is read at every scrape. */
  watch(name: string, description: string, read: () => number): void
  /** Serves `/metrics` in the Prometheus format; resolves when it is listening. */
  listen(address: { host: string; port: number }): Promise<Server>
}

const LATENCY_BUCKETS_MS = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

/** Opens the counters and histograms of this process. Labels are route patterns and status codes, never URLs or ids. */
export function openMetrics(): Metrics {
  const exporter = new PrometheusExporter({ preventServerStart: true })
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
    listen: async ({ host, port }) => {
      const server = createServer((request, response) => {
        if (request.url === '/metrics') return exporter.getMetricsRequestHandler(request, response)
        response.writeHead(404).end()
      })
      server.listen(port, host)
      await once(server, 'listening')
      return server
    },
  }
}
