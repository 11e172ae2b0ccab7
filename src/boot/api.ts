import { createRevocations } from '../access/revocations.ts'
import { createWebOrigins } from '../access/web-origins.ts'
import { type App, buildApp } from '../app.ts'
import { BASE_PATH, type Config, VERSION } from '../settings/config.ts'
import { type Login, createIdentityProvider, roleFrom } from '../domains/administration/administrators/index.ts'
import { createCardChecks } from '../domains/cover/documents/index.ts'
import { describe } from '../kernel/http/problems.ts'
import { startPeriodic } from '../kernel/jobs/periodic.ts'
import { checkStorage } from '../kernel/storage/check-storage.ts'
import { chooseOperator } from './companies.ts'
import type { PartContext } from './deps.ts'
import { walletTokens } from './keys.ts'
import { createSandboxPartners } from './sandbox-partners.ts'
import { createReadLog } from '../record/read-log.ts'

/** Returns the administrators' login; null where it is not configured. */
export function createLogin({ oidc, origin }: Pick<Config, 'oidc' | 'origin'>): Login | null {
  if (!oidc) return null
  const callbackUrl = `${origin}${BASE_PATH}/auth/oidc/callback`
  return { provider: createIdentityProvider({ ...oidc, callbackUrl }), roleOf: (claims) => roleFrom(claims, oidc) }
}

export const READ_GAUGES = {
  audit_reads_pending: {
    help: 'Reads of personal data that are not in the audit yet; at 50000, further reads are refused',
  },
}

/**
 * Loading the fonts takes a third of a second, which the first download need not wait for. It begins when the start is
 * over, because processes that start together compete for the cores.
 */
const WARM_UP_AFTER_MS = 3_000

/** Opens the API: builds it on what is open, and listens. */
export async function createApi(config: Config, context: PartContext): Promise<App> {
  const { deps, log, metrics, closers, child, guard } = context
  await checkStorage(deps.storage, (cause) =>
    log.warn({ error: describe(cause) }, 'the document storage is unavailable'),
  )
  const revocations = createRevocations(deps.db, log)
  await revocations.start()
  const webOrigins = createWebOrigins(deps.db)
  await webOrigins.read()
  await deps.walletLimits.read()
  if (!config.production) await createSandboxPartners(deps)
  const reads = createReadLog(deps.db)
  metrics.watch(READ_GAUGES, () => ({ audit_reads_pending: reads.pending() }))
  const cardChecks = createCardChecks(deps.db, deps.clock)
  const { sharingTask } = deps.rates
  const periodic = startPeriodic(
    [
      sharingTask,
      deps.uses.writingTask,
      reads.writingTask,
      cardChecks.writingTask,
      webOrigins.readingTask,
      deps.walletLimits.readingTask,
      deps.consentRules.readingTask,
    ],
    log,
  )
  for (const stop of [revocations.stop, deps.uses.write, reads.write, cardChecks.write, periodic]) closers.defer(stop)
  const { origin, trustedProxies, keys } = config
  const app = buildApp(deps, {
    origin,
    trustedProxies,
    adminApiKeys: keys.adminApiKeys,
    version: VERSION,
    walletTokens: walletTokens(config, deps.clock),
    operator: chooseOperator(config.operator, deps.clock),
    login: createLogin(config),
    revocations,
    webOrigins,
    audit: { reads, requirePurpose: config.requirePurpose },
    cardChecks,
    log,
    metrics,
    isOutdated: guard.isOutdated,
    sandboxUrl: config.production ? undefined : `http://localhost:${config.sandboxPort}`,
    ...(child && { processes: child.count }),
  })
  await app.listen({ host: config.host, port: config.port })
  closers.defer(() => app.close())
  const warmUp = setTimeout(() => {
    deps.typesetter
      .warmUp()
      .catch((error: unknown) => log.warn({ error: describe(error) }, 'typesetter warm-up failed'))
  }, WARM_UP_AFTER_MS)
  closers.defer(() => clearTimeout(warmUp))
  return app
}
