import type pg from 'pg'
import { residentMegabytes } from '../process-figures.ts'
import type { Process } from '../processes.ts'

const MB = 1_000_000

/** What is read once a second. Cumulative: requests and WAL bytes. */
export type Sample = {
  seconds: number
  requests: number
  apiMegabytes: number
  apiHeapMegabytes: number
  workerMegabytes: number
  workerHeapMegabytes: number
  tableMegabytes: number
  indexMegabytes: number
  deadTuples: number
  connections: number
  queued: number
  walBytes: number
}

type Watched = { api: { pid: number; metricsUrl: string }; worker: Process; client: pg.Client; requests(): number }

const READ = `
  select sum(pg_table_size(relid))::float8 / ${MB} as "tableMegabytes",
         sum(pg_indexes_size(relid))::float8 / ${MB} as "indexMegabytes",
         sum(n_dead_tup)::float8 as "deadTuples",
         pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes",
         (select count(*)::int from pg_stat_activity where datname = current_database()) as connections
    from pg_stat_user_tables`

type FromDatabase = Pick<Sample, 'tableMegabytes' | 'indexMegabytes' | 'deadTuples' | 'walBytes' | 'connections'>

/** Returns a function that reads everything at once. */
export function createSampler({ api, worker, client, requests }: Watched): () => Promise<Sample> {
  const from = performance.now()
  return async () => {
    const [apiPage, workerPage, { rows }] = await Promise.all([
      pageOf(api.metricsUrl),
      pageOf(worker.url),
      client.query<FromDatabase>(READ),
    ])
    const heapOf = (page: string) => sumOf(page, /^nodejs_heap_size_used_bytes/) / MB
    return {
      seconds: (performance.now() - from) / 1_000,
      requests: requests(),
      apiMegabytes: residentMegabytes(api.pid),
      apiHeapMegabytes: heapOf(apiPage),
      workerMegabytes: residentMegabytes(worker.pid),
      workerHeapMegabytes: heapOf(workerPage),
      queued: sumOf(workerPage, /^(job_queue_depth\{.*state="ready"|outbox_events_waiting)/),
      ...(rows[0] as FromDatabase),
    }
  }
}

const pageOf = async (url: string) => (await fetch(`${url}/metrics`)).text()

/** Sums the values of the lines of a metrics page that match. */
function sumOf(page: string, pattern: RegExp): number {
  const values = page.split('\n').flatMap((line) => (pattern.test(line) ? [Number(line.split(' ').at(-1))] : []))
  return values.reduce((sum, value) => sum + value, 0)
}
