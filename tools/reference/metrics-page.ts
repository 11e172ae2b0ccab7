import { READ_GAUGES } from '../../src/boot/api.ts'
import { CLOCK_GAUGES, POOL_GAUGES } from '../../src/boot/deps.ts'
import { DISK_GAUGES } from '../../src/boot/disk-metrics.ts'
import { GUARD_GAUGES } from '../../src/boot/run.ts'
import { SUPERVISOR_GAUGES } from '../../src/boot/supervise.ts'
import { CERTIFICATE_GAUGES } from '../../src/boot/watch-companies.ts'
import { ACCOUNT_METRICS } from '../../src/domains/money/accounts/index.ts'
import { OPERATOR_EVENT_METRICS } from '../../src/domains/money/wallets/index.ts'
import { ATTEMPT_METRICS } from '../../src/domains/integration/webhooks/create-attempts.ts'
import { DELIVERY_GAUGES } from '../../src/domains/integration/webhooks/start-delivering.ts'
import { type MetricNotes, OWN_METRICS } from '../../src/kernel/metrics.ts'
import { BACKLOG_GAUGES, CIRCUIT_GAUGES } from '../../src/worker.ts'
import { page, table } from './markdown.ts'

const INTRODUCTION = `Every process serves these at \`http://$METRICS_HOST:$METRICS_PORT/metrics\`, in the format of Prometheus.
[Metrics](../operations.md#metrics) says how to collect them, [Alerts](alerts.md) what is watched. Labels are routes, names of the program and outcomes;
never ids, URLs or personal data. Where a supervisor runs several processes, each value has a label \`process\` too.`

const SAME =
  'Every worker reports the same value, so aggregate with `max`. There is none while the database cannot be read.'

const OF_DELIVERIES = 'Of the deliveries that are due, every worker reports the same values: aggregate them with `max`.'

const STANDARD = `\`nodejs_eventloop_lag_*\`, \`nodejs_heap_*\`, \`nodejs_gc_*\` and \`process_*\` have the standard names and meanings of
prom-client, the library that the program uses.`

const {
  http_request_duration_seconds,
  job_duration_seconds,
  outbound_request_duration_seconds,
  sealed_values_unreadable_total,
  banyan_build_info,
} = OWN_METRICS

type Section = { title: string; about?: string; metrics: Record<string, MetricNotes> }

const SECTIONS: Section[] = [
  { title: 'Requests', metrics: { http_request_duration_seconds, ...READ_GAUGES } },
  { title: 'Database', metrics: { ...POOL_GAUGES, ...CLOCK_GAUGES, sealed_values_unreadable_total } },
  { title: 'Disks', metrics: DISK_GAUGES },
  { title: 'Jobs', metrics: { job_duration_seconds } },
  { title: 'Backlogs', about: SAME, metrics: BACKLOG_GAUGES },
  { title: 'Webhooks', about: OF_DELIVERIES, metrics: { ...DELIVERY_GAUGES, ...ATTEMPT_METRICS } },
  {
    title: 'External companies',
    metrics: {
      outbound_request_duration_seconds,
      ...CIRCUIT_GAUGES,
      ...ACCOUNT_METRICS,
      ...OPERATOR_EVENT_METRICS,
      ...CERTIFICATE_GAUGES,
    },
  },
  { title: 'Processes', metrics: { banyan_build_info, ...GUARD_GAUGES, ...SUPERVISOR_GAUGES } },
]

/** By the conventions of Prometheus, which a test of the running program checks, the name says the type. */
const typeOf = (name: string) =>
  name.endsWith('_total') ? 'counter' : name.endsWith('_duration_seconds') ? 'histogram' : 'gauge'

/** Returns the page of all metrics, from the texts that the program gives Prometheus. */
export const metricsPage = (): string =>
  page('Metrics', INTRODUCTION, ...SECTIONS.flatMap(sectionOf), '## Node and the system', STANDARD)

const sectionOf = ({ title, about = '', metrics }: Section): string[] => [
  `## ${title}`,
  about,
  table(
    ['Metric', 'Type', 'Labels', 'Meaning'],
    Object.entries(metrics).map(([name, { help, labels = [] }]) => [
      `\`${name}\``,
      typeOf(name),
      labels.map((label) => `\`${label}\``).join(', '),
      help,
    ]),
  ),
]
