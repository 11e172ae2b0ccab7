import { fileURLToPath } from 'node:url'
import type { Config } from './config.ts'
import { movableClock } from './kernel/clock.ts'
import { openLog } from './kernel/log.ts'
import { joinPages, openMetrics } from './kernel/metrics.ts'
import type { Place } from './kernel/processes/life.ts'
import { openSupervisor } from './kernel/processes/supervisor.ts'
import {
  migrateAll,
  openDatabaseUrls,
  openMetricsPage,
  openParts,
  openSandbox,
  type Roles,
  type Running,
} from './run.ts'

const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url))
const NAME = 'supervisor'
const CONNECTIONS_MIN = 2

/**
 * Runs the API in several processes on one port and, where there is one, the worker in another one. What there can be once is
 * here: the embedded database, migrations, the sandbox and the page of metrics.
 */
export function supervise(config: Config, roles: Roles): Promise<Running> {
  return openParts(openLog(config.logLevel, NAME), async ({ log, closers }) => {
    const urls = await openDatabaseUrls(config, { closers, log, roles })
    if (roles.migrate) await migrateAll(urls, log)
    const places = placesFor(config, roles)
    const supervisor = openSupervisor({
      program: PROGRAM,
      environment: {
        PROCESSES: String(config.processes),
        DATABASE_URL: urls.appUrl,
        MIGRATION_DATABASE_URL: '',
        DATABASE_POOL_SIZE: String(Math.max(CONNECTIONS_MIN, Math.floor(config.poolSize / places.length))),
      },
      places,
      log,
    })
    if (roles.sandbox) closers.push(await openSandbox(config, { calendar: movableClock(supervisor.moveCalendar) }))
    closers.push(supervisor.stop)
    await supervisor.start()

    const metrics = openMetrics()
    metrics.watch('processes_ready', 'Processes that answer the API', supervisor.ready)
    metrics.watch('processes_restarted', 'Processes that had ended by themselves', supervisor.restarts)
    const page = async () => joinPages([[NAME, await metrics.page()], ...(await supervisor.pages())])
    closers.push(await openMetricsPage(config, page))
    log.info({ pid: process.pid, processes: config.processes }, 'all processes work; SIGUSR2 replaces them')
    return { renew: supervisor.renew }
  })
}

function placesFor({ processes }: Config, roles: Roles): Place[] {
  const apis = Array.from({ length: processes }, (_, index) => `api-${index + 1}`)
  return [
    ...apis.map((name) => ({ name, args: ['process', 'api', name], listens: true })),
    ...(roles.worker ? [{ name: 'worker', args: ['process', 'worker', 'worker'], listens: false }] : []),
  ]
}
