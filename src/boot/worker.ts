import { createAuditHeads } from '../access/audit-heads.ts'
import { type Config, WALLET_BASE_PATH } from '../settings/config.ts'
import type { Deps } from '../deps.ts'
import { createAccountProviderClient } from '../domains/money/accounts/index.ts'
import { createSandboxSms, createTwilioSms, type Sms } from '../domains/money/wallet-sessions/index.ts'
import type { Clock } from '../kernel/clock.ts'
import type { DatabaseClock } from '../kernel/db/database-clock.ts'
import { startQueue } from '../kernel/jobs/queue.ts'
import { workWhileRight } from '../kernel/jobs/work-while-right.ts'
import type { Log } from '../kernel/log.ts'
import type { Metrics } from '../kernel/metrics.ts'
import type { VersionGuard } from '../kernel/db/version-guard.ts'
import { operatorOf } from './deps.ts'
import { type ExternalCompanies, startWorker } from '../worker.ts'

type WorkerContext = {
  deps: Deps & { clock: DatabaseClock }
  url: string
  log: Log
  metrics: Metrics
  closers: AsyncDisposableStack
  guard: VersionGuard
}

/** Runs the worker while the clock of this process agrees with the database's, and its version is not outdated. */
export async function createWorker(config: Config, context: WorkerContext): Promise<void> {
  const { deps, url, log, metrics, closers, guard } = context
  const auditHeads = createAuditHeads({ keys: config.keys.signingKeys })
  const { auditArchiveDays } = config
  const companies = companiesOf(config, deps.clock)
  const start = async () => {
    const queue = await startQueue({ url, log, metrics })
    return startWorker({ ...deps, queue }, { url, companies, log, metrics, auditHeads, auditArchiveDays }).catch(
      async (error: unknown) => {
        await queue.stop()
        throw error
      },
    )
  }
  const stop = await workWhileRight(deps.clock, start, log)
  closers.defer(stop)
  guard.onOutdated(stop)
}

/** Opens the clients of the external companies that jobs call. */
function companiesOf(config: Config, clock: Clock): ExternalCompanies {
  return {
    accountProvider: createAccountProviderClient({
      url: config.accountProviderUrl,
      apiKey: config.accountProviderApiKey,
    }),
    operator: operatorOf(config, clock),
    operatorCallbackUrl: `${config.origin}${WALLET_BASE_PATH}/operator/events`,
    sms: createSms(config.sms),
  }
}

type SmsGateway = Config['sms']['gateway']
type SmsSettings<G extends SmsGateway> = Extract<Config['sms'], { gateway: G }>

const SMS_GATEWAYS: { [G in SmsGateway]: (settings: SmsSettings<G>) => Sms } = {
  sandbox: createSandboxSms,
  twilio: createTwilioSms,
}

const createSms = <G extends SmsGateway>(settings: SmsSettings<G>): Sms => SMS_GATEWAYS[settings.gateway](settings)
