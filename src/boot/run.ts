import { type Config, VERSION } from '../settings/config.ts'
import { COMMIT } from '../kernel/program-version.ts'
import { movableClock } from '../kernel/clock.ts'
import type { App } from '../app.ts'
import { drain } from '../kernel/http/drain.ts'
import type { Log } from '../kernel/log.ts'
import { createMetrics } from '../kernel/metrics.ts'
import type { TracingSettings } from '../kernel/otlp-tracing.ts'
import { onCallDone } from '../kernel/outbound/measured-call.ts'
import type { Child } from '../kernel/processes/child.ts'
import { checkNotRestored } from '../kernel/db/restored.ts'
import { createVersionGuard } from '../kernel/db/version-guard.ts'
import { prepareDatabaseUrls, throwReadable } from './database.ts'
import { watchUnreadable } from '../kernel/crypto/sealed-column.ts'
import { refuseEarlySettings } from './early-settings.ts'
import { createDeps, type OpenContext } from './deps.ts'
import { watchDisks } from './disk-metrics.ts'
import {
  isMain,
  migrateAll,
  createMetricsPage,
  createParts,
  createProcessLog,
  createSandbox,
  type Roles,
  type Running,
} from './parts.ts'

/**
 * Opens the parts these roles need, in order; `child` when a supervisor started this process. A part is loaded when it is
 * opened: a worker does without the API, and an API without the queue.
 */
export function run(config: Config, roles: Roles, child?: Child): Promise<Running> {
  return createParts(createProcessLog(config, child?.name), async ({ log, closers }) => {
    if (config.tracing) closers.defer(await startTracing(config.tracing, log))
    const calendar = movableClock()
    child?.on({ calendar: calendar.moveBy })
    const connects = [...(roles.migrate ? ['ownerUrl' as const] : []), 'appUrl' as const]
    const urls =
      roles.api || roles.worker
        ? await prepareDatabaseUrls(config, { closers, connects, log, isMain: isMain(roles) })
        : undefined
    if (roles.sandbox) closers.defer(await createSandbox(config, urls ? { calendar } : {}))
    if (!urls) return {}
    const app = await createCore(config, { urls, roles, log, metrics: createMetrics(), closers, calendar, child })
    return app ? { drain: () => drain(app) } : {}
  })
}

/** Loads OpenTelemetry, which is only loaded when tracing is on. */
async function startTracing(settings: TracingSettings, log: Log): Promise<() => Promise<void>> {
  const { startOtlpTracing } = await import('../kernel/otlp-tracing.ts')
  return startOtlpTracing({ ...settings, version: VERSION, log })
}

export const GUARD_GAUGES = {
  program_outdated: { help: '1 when the database is for later versions only, so that this process takes no work' },
  database_write_age_seconds: {
    help: 'For how long the database has taken no write of this process, which makes one every five seconds: it is down, frozen or read-only, or cannot be reached',
  },
}

const describeRoles = ({ api, worker }: Roles) => (api && worker ? 'api+worker' : worker ? 'worker' : 'api')

async function createCore(config: Config, context: OpenContext): Promise<App | undefined> {
  const { urls, roles, log, metrics, closers, child } = context
  if (roles.migrate) await migrateAll(urls, log)
  metrics.watchProcess({ version: VERSION, commit: COMMIT })
  watchDisks(metrics, config)
  closers.defer(onCallDone(metrics.callDone))
  closers.defer(watchUnreadable({ log, metrics }))
  const deps = await createDeps(config, context).catch(throwReadable)
  await checkNotRestored(deps.db)
  await refuseEarlySettings(deps.db, config)
  const signingKeys = config.keys.signingKeys.map(({ kid }) => kid)
  const guard = await createVersionGuard(deps.db, { role: describeRoles(roles), signingKeys, log }).catch(throwReadable)
  closers.defer(guard.stop)
  metrics.watch(GUARD_GAUGES, () => ({
    program_outdated: Number(guard.isOutdated()),
    database_write_age_seconds: guard.isOutdated() ? [] : guard.unwritten_s(),
  }))
  const forParts = { ...context, deps, guard }
  if (roles.worker) await (await import('./worker.ts')).createWorker(config, forParts)
  const app = roles.api ? await (await import('./api.ts')).createApi(config, forParts) : undefined
  if (child) child.on({ metrics: metrics.page })
  else closers.defer(await createMetricsPage(config, metrics.page))
  return app
}
