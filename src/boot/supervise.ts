import { aboutProgram, type Config, VERSION } from '../settings/config.ts'
import { COMMIT } from '../kernel/program-version.ts'
import { movableClock } from '../kernel/clock.ts'
import { compiledCode } from '../kernel/compiled-code.ts'
import { createLog } from '../kernel/log.ts'
import { joinPages, createMetrics } from '../kernel/metrics.ts'
import type { ChildSettings } from '../kernel/processes/start-child.ts'
import { createSupervisor } from '../kernel/processes/supervisor.ts'
import { programModule } from '../kernel/program-files.ts'
import { prepareDatabaseUrls, refuseRestored } from './database.ts'
import { watchDisks } from './disk-metrics.ts'
import { isMain, migrateAll, createMetricsPage, createParts, createSandbox, type Roles, type Running } from './parts.ts'

const PROGRAM = programModule('src/main.ts')
const NAME = 'supervisor'
const CONNECTIONS_MIN = 2

export const SUPERVISOR_GAUGES = {
  processes_ready: { help: 'API processes that are ready, where a supervisor runs several' },
  processes_restarted: { help: 'Restarts of processes that exited, by that supervisor' },
}

/**
 * Runs the API in several processes on one port and, when there is one, the worker in another. This process has the parts
 * that exist once: the embedded database, migrations, the sandbox and `/metrics`.
 */
export function supervise(config: Config, roles: Roles): Promise<Running> {
  return createParts(createLog(config.logLevel, { process: NAME }), async ({ log, closers }) => {
    const connects = roles.migrate ? (['ownerUrl'] as const) : []
    const urls = await prepareDatabaseUrls(config, { closers, connects, log, isMain: isMain(roles) })
    if (roles.migrate) await migrateAll(urls, log)
    await refuseRestored(urls)
    const children = childrenFor(config, roles)
    const poolSize = Math.max(CONNECTIONS_MIN, Math.floor(config.poolSize / children.length))
    const environment = {
      ...compiledCode(),
      PROCESSES: String(config.processes),
      DATABASE_URL: urls.appUrl,
      DATABASE_URL_FILE: '', // never both
      DATABASE_POOL_SIZE: String(poolSize),
      MIGRATION_DATABASE_URL: '', // the children do not migrate
      MIGRATION_DATABASE_URL_FILE: '',
      // A child reads files of settings again, but listens where the others do.
      PORT: String(config.port),
      HOST: config.host,
    }
    const supervisor = createSupervisor({ program: PROGRAM, environment, children, log })
    if (roles.sandbox) closers.defer(await createSandbox(config, { calendar: movableClock(supervisor.moveCalendar) }))
    closers.defer(supervisor.stop)
    const missing = await supervisor.start()

    const metrics = createMetrics()
    metrics.watchProcess({ version: VERSION, commit: COMMIT })
    watchDisks(metrics, config)
    metrics.watch(SUPERVISOR_GAUGES, () => ({
      processes_ready: supervisor.ready(),
      processes_restarted: supervisor.restarts(),
    }))
    const page = async () => joinPages([[NAME, await metrics.page()], ...(await supervisor.metrics())])
    closers.defer(await createMetricsPage(config, page))
    const about = { ...aboutProgram(config), processes: config.processes }
    if (missing.length === 0) log.info(about, 'all processes are ready')
    else log.warn({ ...about, missing }, 'some processes did not start; they are tried again')
    return { restart: supervisor.restart, hung: supervisor.hung, missing }
  })
}

function childrenFor({ processes }: Config, roles: Roles): ChildSettings[] {
  const apis = Array.from({ length: processes }, (_, index) => `api-${index + 1}`)
  return [
    ...apis.map((name) => ({ name, args: ['process', 'api', name], isApi: true })),
    ...(roles.worker ? [{ name: 'worker', args: ['process', 'worker', 'worker'], isApi: false }] : []),
  ]
}
