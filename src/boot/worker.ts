import { createAuditHeads } from '../access/audit-heads.ts'
import { type Config, WALLET_BASE_PATH } from '../settings/config.ts'
import type { Clock } from '../kernel/clock.ts'
import { createStorageBelow } from '../kernel/storage/create-storage.ts'
import { startQueue } from '../kernel/jobs/queue.ts'
import { startPeriodic } from '../kernel/jobs/periodic.ts'
import { workWhileRight } from '../kernel/jobs/work-while-right.ts'
import { chooseAccountProvider, chooseOperator, chooseSms } from './companies.ts'
import type { PartContext } from './deps.ts'
import { watchCompanies } from './watch-companies.ts'
import { type ExternalCompanies, startWorker } from '../worker.ts'

/** Runs the worker while the clock of this process agrees with the database's, and its version is not outdated. */
export async function createWorker(config: Config, context: PartContext): Promise<void> {
  const { deps, log, metrics, closers, guard, roles } = context
  const { appUrl: url } = context.urls
  const auditHeads = createAuditHeads({ keys: config.keys.signingKeys })
  const { auditArchiveDays, operatorStatusHours: statusHours, renewalNoticeDays: noticeDays } = config
  const companies = createCompanies(config, deps.clock)
  const restoreList = createStorageBelow(config.restoreList)
  const start = async () => {
    const queue = await startQueue({ url, log, metrics })
    const settings = {
      url,
      companies,
      log,
      metrics,
      auditHeads,
      auditArchiveDays,
      restoreList,
      statusHours,
      noticeDays,
    }
    return startWorker({ ...deps, queue }, settings).catch(async (error: unknown) => {
      await queue.stop()
      throw error
    })
  }
  // An API in this process shares them already.
  if (!roles.api) closers.defer(startPeriodic([deps.rates.sharingTask, deps.consentRules.readingTask], log))
  const stop = await workWhileRight(deps.clock, start, log)
  closers.defer(stop)
  closers.defer(watchCompanies(metrics, config, log))
  guard.onOutdated(stop)
}

function createCompanies(config: Config, clock: Clock): ExternalCompanies {
  return {
    accountProvider: chooseAccountProvider(config.accountProvider),
    operator: chooseOperator(config.operator, clock),
    operatorCallbackUrl: `${config.origin}${WALLET_BASE_PATH}/operator/events`,
    sms: chooseSms(config.sms),
    smsAutofill: config.smsAutofill,
  }
}
