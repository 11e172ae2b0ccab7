import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { PERSONAL, startBusyServer } from '../../support/busy-server.ts'
import { type MetricsPage, readMetrics, valueOf } from '../../support/metrics-page.ts'
import { clientOf, eventually, freePorts, startServer } from '../../support/server.ts'
import { readText } from '../../support/sources.ts'

const busy = await startBusyServer()
after(() => busy.stop())
const { workspace, ids, send } = busy

/** Requests that anyone can send: they must not create a metric of their own. */
const odd = [
  '/v1/nothing',
  '/v1/users/9876501234/asha@example.com',
  `/v1/users/${ids.userId}/nothing`,
  '/a?phone=9876501234',
]
for (const path of odd) await send('GET', path, { token: ids.platform })
/** Has the identity provider asked for its metadata. */
await send('GET', '/v1/auth/oidc/login')
await send('PROPFIND', '/v1/platforms', { token: ids.platform })

const page = await readMetrics(workspace.metricsUrl)

/** Has no value here, where no address uses https. */
const OF_HTTPS = 'certificate_valid_seconds'

describe('the page of metrics', () => {
  it('200 in the Prometheus format, only at its own port and path', async () => {
    const response = await fetch(workspace.metricsUrl)
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    assert.equal((await fetch(new URL('/', workspace.metricsUrl))).status, 404)
    assert.equal((await send('GET', '/metrics')).status, 404)
  })

  it('every metric has a help text, and a name with its unit: seconds, bytes, _total for counters only', () => {
    assert(page.types.size > 40)
    for (const [name, type] of page.types) {
      assert.match(page.helpTexts.get(name) ?? '', /^[A-Z0-9].{9,}/, name)
      assert.match(name, /^[a-z][a-z0-9_]*$/)
      assert.equal(name.endsWith('_total'), type === 'counter', name)
      assert.doesNotMatch(name, /_(ms|milliseconds|kb|mb|percent)\b|_(count|sum|bucket)$/)
      if (type === 'histogram') assert.match(name, /_seconds$/)
    }
  })

  it('has requests by route, method and class of status', () => {
    const requests = (labels: Record<string, string>) => valueOf(page, 'http_request_duration_seconds_count', labels)
    assert.equal(requests({ method: 'POST', route: '/v1/platforms', status_class: '2xx' }), 1)
    assert.equal(requests({ method: 'POST', route: '/v1/users/:user_id/complete_onboarding', status_class: '2xx' }), 1)
    assert.equal(requests({ method: 'GET', route: 'none', status_class: '4xx' }), odd.length)
    assert.equal(requests({ method: 'POST', route: '/v1/platforms', status_class: '5xx' }), undefined)
  })

  it('has seconds, not milliseconds', () => {
    const sum = page.samples.filter(({ name }) => name === 'http_request_duration_seconds_sum')
    assert(sum.length > 5 && sum.every(({ value }) => value > 0 && value < 20))
  })

  it('has jobs, outbound calls and webhooks, by outcome', () => {
    assert((valueOf(page, 'job_duration_seconds_count', { queue: 'open-account', outcome: 'completed' }) ?? 0) >= 1)
    for (const company of ['account_provider', 'identity_provider']) {
      const labels = { company, outcome: '2xx' }
      assert((valueOf(page, 'outbound_request_duration_seconds_count', labels) ?? 0) >= 1, company)
    }
    for (const outcome of ['delivered', 'rejected'])
      assert((valueOf(page, 'webhook_attempt_duration_seconds_count', { outcome }) ?? 0) >= 1, outcome)
    assert.equal(valueOf(page, 'webhook_deliveries_given_up_total'), 0)
    assert.equal(valueOf(page, 'circuit_state', { company: 'operator', state: 'closed' }), 1)
    assert.equal(valueOf(page, 'circuit_state', { company: 'operator', state: 'open' }), 0)
  })

  it('has backlogs of jobs, events and webhooks, which are soon empty', async () => {
    const relays = ['jobs', 'webhooks']
    const isDone = (now: MetricsPage) =>
      valueOf(now, 'job_queue_age_seconds', { queue: 'open-account' }) === 0 &&
      relays.every((relay) => valueOf(now, 'outbox_lag_seconds', { relay }) === 0) &&
      valueOf(now, 'webhook_delivery_lag_seconds', { endpoints: 'healthy' }) === 0
    const done = await eventually(() => readMetrics(workspace.metricsUrl), isDone)
    assert.equal(valueOf(done, 'job_queue_depth', { queue: 'open-account', state: 'ready' }), 0)
    for (const relay of relays) assert.equal(valueOf(done, 'outbox_events_waiting', { relay }), 0)
    assert.equal(valueOf(done, 'webhook_deliveries_due', { endpoints: 'healthy' }), 0)
  })

  it('has the connection pool, the event loop, the process and the version of the program', () => {
    assert.equal(valueOf(page, 'db_pool_connections_max'), 8)
    assert.equal(valueOf(page, 'db_pool_waiting'), 0)
    assert((valueOf(page, 'audit_reads_pending') ?? -1) >= 0)
    const [used, idle] = ['in_use', 'idle'].map((state) => valueOf(page, 'db_pool_connections', { state }) ?? -1)
    assert(used !== undefined && idle !== undefined && used >= 0 && idle >= 0 && used + idle <= 8)
    assert((valueOf(page, 'nodejs_eventloop_lag_p99_seconds') ?? -1) >= 0)
    assert((valueOf(page, 'process_cpu_seconds_total') ?? 0) > 0)
    assert((valueOf(page, 'process_resident_memory_bytes') ?? 0) > 10e6)
    const { version } = JSON.parse(readText('package.json')) as { version: string }
    assert.equal(valueOf(page, 'banyan_build_info', { version }), 1)
  })

  it('has the space of the disk with the documents, and none of a database elsewhere', () => {
    const [free, size] = ['disk_free_bytes', 'disk_size_bytes'].map((name) =>
      valueOf(page, name, { folder: 'documents' }),
    )
    assert(free !== undefined && size !== undefined && free > 0 && free <= size && size > 10e6, `${free} ${size}`)
    assert.equal(valueOf(page, 'disk_free_bytes', { folder: 'database' }), undefined)
  })

  it('has no label with a person, an id or a URL: routes are those of the document', () => {
    const paths = Object.keys((JSON.parse(readText('openapi.json')) as { paths: object }).paths)
    const routes = new Set(paths.map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1')))
    const pages = /^(none|\*|\/(docs|livez|readyz|openapi|asyncapi|events|\.well-known)\b.*)$/
    for (const { labels } of page.samples) {
      const { commit = 'unknown', ...others } = labels // whose digits are no number of a person
      assert.match(commit, /^(?:[0-9a-f]{12}|unknown)$/)
      for (const text of Object.values(others)) {
        assert.doesNotMatch(text, /[a-z]{3}_[0-9a-z]{12,}|\d{6,}|@|https?:|localhost|\?/, JSON.stringify(labels))
        for (const one of PERSONAL) assert(!text.includes(one), JSON.stringify(labels))
      }
      const { route } = labels
      if (route !== undefined) assert(routes.has(route) || pages.test(route), `${route} is no route of the document`)
    }
    const known = new Set(page.samples.flatMap(({ labels: { method = 'GET' } }) => method))
    assert(known.size < 10, [...known].join())
  })
})

describe('without a collector', () => {
  it('no log line, event or job has anything of a trace', async () => {
    assert.doesNotMatch(busy.server.output().stderr, /trace_id|span_id/)
    const [events] = await busy.sql('select count(*)::int as all, count(traceparent)::int as traced from events')
    assert(Number(events?.['all']) > 3)
    assert.equal(events?.['traced'], 0)
    assert.deepEqual(await busy.sql(`select data from pgboss.job where data::text like '%trace%'`), [])
  })
})

describe('a worker alone', () => {
  it('has a metrics page with the same names, without what only an API serves: reads of the audit', async () => {
    const [port] = await freePorts(1)
    const worker = await startServer(workspace, { ...busy.databases, METRICS_PORT: String(port) }, 'work')
    try {
      const url = `http://localhost:${port}/metrics`
      const isUp = () =>
        clientOf(`http://localhost:${port}`)('GET', '/metrics').then(
          ({ status }) => status === 200,
          () => false,
        )
      await eventually(isUp, (up) => up)
      const own = await readMetrics(url)
      const names = [...page.types.keys()].filter((name) => name !== 'audit_reads_pending')
      assert.deepEqual([...own.types.keys()].toSorted(), names.toSorted())
      assert.equal(valueOf(own, 'http_request_duration_seconds_count'), undefined)
      assert.equal(valueOf(own, 'outbox_lag_seconds', { relay: 'jobs' }), 0)
      assert.equal(valueOf(own, 'job_queue_depth', { queue: 'provision-wallet', state: 'ready' }), 0)
    } finally {
      await worker.stop()
    }
  })
})

/** The metrics of an expression, each with the labels it uses. */
function metricsIn(expression: string): { name: string; labels: string[] }[] {
  const WORDS = new Set(['by', 'without', 'and', 'or', 'unless', 'bool'])
  const bare = expression.replaceAll(/\b(by|without) \([^)]*\)/g, '').replaceAll(/\[[^\]]*\]/g, '')
  return [...bare.matchAll(/\b([a-z_][a-z0-9_]*)\b(?!\s*\()(?:\{([^}]*)\})?/g)].flatMap(
    ([, name = '', matchers = '']) =>
      WORDS.has(name) ? [] : [{ name, labels: [...matchers.matchAll(/(\w+)[=!]/g)].map(([, label = '']) => label) }],
  )
}

/** Only where it runs several processes. */
const OF_SUPERVISOR = ['processes_ready', 'processes_restarted']

/** The labels of a metric as the page has them, in its order. */
function labelsOf(metric: string): string {
  const sample = page.samples.find(({ name }) => name.replace(/_(bucket|sum|count)$/, '') === metric)
  return Object.keys(sample?.labels ?? {})
    .filter((label) => label !== 'le')
    .join(' ')
}

describe('dashboard and alerts', () => {
  /** Of Prometheus itself, or added by the scrape. */
  const GIVEN = ['job', 'instance', 'le']

  const dashboard = JSON.parse(readText('deploy/observability/grafana-dashboard.json')) as {
    panels: { title: string; type: string; targets?: { expr: string }[] }[]
    annotations: { list: { expr: string }[] }
  }
  const alerts = readText('deploy/observability/alerts.yml')
  const expressions = [
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...dashboard.annotations.list.map(({ expr }) => expr),
    ...[...alerts.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr),
  ]

  it('use only metrics and labels that exist', () => {
    assert(expressions.length > 40)
    const asked = expressions.flatMap(metricsIn).filter(({ name }) => name !== 'up')
    assert(asked.length > 50)
    for (const { name, labels } of asked) {
      const family = name.replace(/_(bucket|sum|count)$/, '')
      const type = page.types.get(name) ?? page.types.get(family)
      assert(type, `there is no ${name}`)
      assert.equal(type === 'histogram', !page.types.has(name), name)
      const samples = page.samples.filter((sample) => sample.name === name)
      assert(samples.length > 0 || name === OF_HTTPS, `${name} has no value`)
      const had = new Set([
        ...GIVEN,
        ...(name === OF_HTTPS ? ['setting'] : []),
        ...samples.flatMap((sample) => Object.keys(sample.labels)),
      ])
      assert.deepEqual(
        labels.filter((label) => !had.has(label)),
        [],
        name,
      )
    }
    assert.deepEqual(
      metricsIn('sum by (le) (rate(a_bucket{le="1", x!~"y|z"}[5m])) / max(b) > 0.5').map(({ name }) => name),
      ['a_bucket', 'b'],
    )
  })

  it('find each metric in the reference with the type, the labels and the text that the page has', () => {
    const rows = [...readText('docs/reference/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \| (.*) \|$/gm)]
    const explained = rows
      .map(([, name = '', type, labels = '', help]) => ({ name, type, help, labels: labels.replaceAll(/[`,]/g, '') }))
      .filter(({ name }) => !OF_SUPERVISOR.includes(name))
    const own = [...page.types].filter(([name]) => !/^(nodejs|process)_/.test(name))
    const inPage = own.map(([name, type]) => ({
      name,
      type,
      help: page.helpTexts.get(name),
      labels: name === OF_HTTPS ? 'setting' : labelsOf(name),
    }))
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name)
    assert.deepEqual(explained.toSorted(byName), inPage.toSorted(byName))
  })
})
