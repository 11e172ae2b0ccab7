import { deleteOldSessions, endIdleSessions } from './access/administrator-sessions.ts'
import { deleteOldRevocations } from './access/revocations.ts'
import { deleteOldChallenges } from './access/otp.ts'
import { deleteOldUses } from './access/rate-limits.ts'
import { deleteOldRefreshTokens } from './access/refresh-families.ts'
import type { AuditHeads } from './access/audit-heads.ts'
import { type AccountContext, fillNumbers, requeuePendingAccounts } from './domains/money/accounts/index.ts'
import { announceLow } from './domains/cover/deposits/index.ts'
import { deleteUnusedFiles } from './domains/cover/documents/index.ts'
import { createRestoreListWriter, type ErasureRunContext, runErasures } from './domains/privacy/personal-data/index.ts'
import { endConsents } from './domains/privacy/consents/index.ts'
import { recountCalendar, runCalendar, sendNotices } from './domains/cover/policies/index.ts'
import {
  deleteOldOperatorEvents,
  probeOperator,
  requeueUnfinishedWallets,
  type SweepContext,
  sweepWallets,
} from './domains/money/wallets/index.ts'
import { fillPlatforms } from './domains/people/users/index.ts'
import { announceDue, settleWithdrawals } from './domains/administration/next-actions/index.ts'
import { countAll } from './domains/administration/statistics/index.ts'
import { deleteOldComparisons } from './domains/integration/comparisons/index.ts'
import { deleteOldImports, type ImportContext, runImports } from './domains/integration/imports/index.ts'
import { deleteOldDeliveries } from './domains/integration/webhooks/index.ts'
import { deleteOldBatches } from './record/audit.ts'
import { deleteOldIdempotencyKeys } from './record/idempotency.ts'
import { checkClock } from './kernel/db/database-clock.ts'
import { deleteOldEvents } from './record/relay.ts'
import { archiveAudit } from './record/archive-audit.ts'
import { sealAudit } from './record/seal-audit.ts'
import { beat, HEARTBEAT_MS } from './kernel/jobs/heartbeat.ts'
import type { Leadership } from './kernel/db/leadership.ts'
import { asLeader, type PeriodicTask } from './kernel/jobs/periodic.ts'
import type { Queue } from './kernel/jobs/queue.ts'
import type { Storage } from './kernel/storage/storage.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const PURGE_REVOCATIONS = 'purge-old-revocations'
/** A cheap index lookup; frequent, so that a changed sandbox calendar shows at once. */
const CALENDAR_MS = 2 * SECOND_MS
/** Counts are promised to be at most a minute old. */
const COUNT_MS = 30 * SECOND_MS
const CALENDAR_LOCK = 7_226_401_381 // an arbitrary constant
const STATISTICS_LOCK = 7_226_401_382 // another one
const ARCHIVE_LOCK = 7_226_401_383 // another one
const SWEEP_LOCK = 7_226_401_384 // another one
const IMPORTS_LOCK = 7_226_401_385 // another one
const ANNOUNCE_LOCK = 7_226_401_386 // another one
/** What is due tomorrow is read from an index each time. */
const ANNOUNCE_MS = 30 * SECOND_MS
const CONSENTS_LOCK = 7_226_401_388 // another one
/** A cheap index lookup, too; a consent ends within a minute after midnight in India. */
const CONSENTS_MS = 30 * SECOND_MS
/** A cheap index lookup, too. */
const IMPORTS_MS = SECOND_MS / 2
/** A cheap index lookup, too. */
const ANNOUNCE_LOW_MS = 2 * SECOND_MS
const LIST_LOCK = 7_226_401_387 // another one
/** A cheap index lookup, too. */
const LIST_MS = 2 * SECOND_MS
/** A cheap index lookup, too. */
const ERASURES_MS = 2 * SECOND_MS

export type ScheduleDeps = AccountContext &
  SweepContext &
  ImportContext &
  ErasureRunContext & {
    queue: Queue
    callbackUrl: string
    auditHeads: AuditHeads
    /** Null: the audit is not archived. */
    auditArchiveDays: number | null
    /** Days before the end of a term on which its renewal is due. */
    noticeDays: readonly number[]
    /** Where the list for restores is; null: it is not kept. */
    restoreList?: Pick<Storage, 'get' | 'put'> | null
    leadership: Leadership
  }

/** Returns every periodic task. Every worker runs all of them, but those with a leader. */
export const schedule = (deps: ScheduleDeps, workerId: string): PeriodicTask[] => [
  { name: 'probe-operator', every_ms: SECOND_MS, run: () => probeOperator(deps) },
  ...createTasks(deps, workerId).map((task) => withRightClock(deps, task)),
]

/** What was deleted, expired or disabled by a wrong clock stays so. */
const withRightClock = ({ db, clock }: ScheduleDeps, { name, every_ms, run }: PeriodicTask): PeriodicTask => ({
  name,
  every_ms,
  run: async (stop) => {
    await checkClock(db, clock)
    return run(stop)
  },
})

/** Without a right clock, a worker sends no heartbeat either, because it is none. */
const createTasks = (deps: ScheduleDeps, workerId: string): PeriodicTask[] => [
  { name: 'heartbeat', every_ms: HEARTBEAT_MS, run: () => beat(deps.db, workerId) },
  asLeader(deps.leadership, {
    name: 'policy-calendar',
    every_ms: CALENDAR_MS,
    lock: CALENDAR_LOCK,
    run: (stop) => ageAndNotify(deps, stop),
  }),
  {
    name: 'recount-policy-calendar',
    every_ms: DAY_MS,
    run: async (stop) => {
      const policies = await recountCalendar(deps, stop)
      if (policies > 0) deps.log.info({ policies }, 'stored the days of the calendar again')
    },
  },
  asLeader(deps.leadership, {
    name: 'count-statistics',
    lock: STATISTICS_LOCK,
    every_ms: COUNT_MS,
    run: async () => void (await countAll(deps.db, deps.clock)),
  }),
  asLeader(deps.leadership, {
    name: 'announce-next-actions',
    lock: ANNOUNCE_LOCK,
    every_ms: ANNOUNCE_MS,
    run: async (stop) => void (await announceDue(deps, stop)),
  }),
  {
    name: 'announce-low-deposits',
    every_ms: ANNOUNCE_LOW_MS,
    run: async (stop) => void (await announceLow(deps, stop)),
  },
  asLeader(deps.leadership, {
    name: 'end-consents',
    lock: CONSENTS_LOCK,
    every_ms: CONSENTS_MS,
    run: async (stop) => void (await endConsents(deps, stop)),
  }),
  { name: 'settle-withdrawals', every_ms: HOUR_MS, run: () => settleWithdrawals(deps.db) },
  {
    name: 'fill-platforms',
    every_ms: MINUTE_MS,
    run: async (stop) => {
      const rows = await fillPlatforms(deps.db, stop)
      if (rows > 0) deps.log.info({ rows }, 'filled in the platform of rows of an earlier version')
    },
  },
  {
    name: 'fill-account-numbers',
    every_ms: MINUTE_MS,
    run: async (stop) => {
      const accounts = await fillNumbers(deps.db, deps.reportTaken, stop)
      if (accounts > 0) deps.log.info({ accounts }, 'added the numbers of accounts of an earlier version')
    },
  },
  asLeader(deps.leadership, {
    name: 'run-imports',
    lock: IMPORTS_LOCK,
    every_ms: IMPORTS_MS,
    run: (stop) => runImports(deps, stop),
  }),
  { name: 'purge-old-imports', every_ms: 60 * MINUTE_MS, run: () => deleteOldImports(deps.db) },
  { name: 'purge-old-comparisons', every_ms: 60 * MINUTE_MS, run: () => deleteOldComparisons(deps.db) },
  { name: 'run-erasures', every_ms: ERASURES_MS, run: () => runErasures(deps, deps.log) },
  asLeader(deps.leadership, {
    name: 'ask-operator',
    lock: SWEEP_LOCK,
    every_ms: SECOND_MS,
    run: () => sweepWallets(deps),
  }),
  { name: 'requeue-pending-accounts', every_ms: 60 * MINUTE_MS, run: () => requeuePendingAccounts(deps) },
  { name: 'requeue-unfinished-wallets', every_ms: 60 * MINUTE_MS, run: () => requeueUnfinishedWallets(deps) },
  { name: 'purge-old-deliveries', every_ms: 60 * MINUTE_MS, run: () => deleteOldDeliveries(deps.db) },
  ...listing(deps),
  { name: 'purge-old-administrator-sessions', every_ms: 60 * MINUTE_MS, run: () => deleteOldSessions(deps.db) },
  { name: 'end-idle-administrator-sessions', every_ms: MINUTE_MS, run: () => endIdleSessions(deps.db) },
  { name: 'purge-old-challenges', every_ms: 10 * MINUTE_MS, run: () => deleteOldChallenges(deps.db) },
  { name: 'purge-old-refresh-tokens', every_ms: 60 * MINUTE_MS, run: () => deleteOldRefreshTokens(deps.db) },
  { name: 'purge-old-idempotency-keys', every_ms: 10 * MINUTE_MS, run: () => deleteOldIdempotencyKeys(deps.db) },
  { name: 'purge-old-events', every_ms: 60 * MINUTE_MS, run: () => deleteOldEvents(deps.db) },
  { name: 'seal-audit', every_ms: 10 * SECOND_MS, run: () => sealAudit(deps) },
  ...archiving(deps),
  { name: 'purge-old-audit-batches', every_ms: 60 * MINUTE_MS, run: () => deleteOldBatches(deps.db) },
  { name: 'purge-old-rate-limit-uses', every_ms: 10 * MINUTE_MS, run: () => deleteOldUses(deps.db) },
  { name: 'delete-unused-files', every_ms: 10 * MINUTE_MS, run: () => deleteUnusedFiles(deps) },
  { name: 'purge-old-operator-events', every_ms: 60 * MINUTE_MS, run: () => deleteOldOperatorEvents(deps.db) },
]

/** A policy that the calendar cannot change holds up no notice of another. */
async function ageAndNotify(deps: ScheduleDeps, stop: AbortSignal): Promise<void> {
  try {
    await runCalendar(deps, stop)
  } finally {
    await sendNotices(deps, deps, stop)
  }
}

/** Keeps the list for restores. What is not on it yet is not deleted. */
function listing({ restoreList: storage, ...deps }: ScheduleDeps): PeriodicTask[] {
  const purge = () => deleteOldRevocations(deps.db)
  if (!storage) return [{ name: PURGE_REVOCATIONS, every_ms: HOUR_MS, run: purge }]
  const { write, reset } = createRestoreListWriter({ ...deps, storage })
  let purgeAt_ms = 0
  const run = async () => {
    await write()
    const now_ms = performance.now()
    if (now_ms < purgeAt_ms) return
    purgeAt_ms = now_ms + HOUR_MS
    await purge()
  }
  return [asLeader(deps.leadership, { name: 'write-restore-list', every_ms: LIST_MS, lock: LIST_LOCK, reset, run })]
}

const archiving = ({ auditArchiveDays: days, ...deps }: ScheduleDeps): PeriodicTask[] =>
  days === null
    ? []
    : [
        asLeader(deps.leadership, {
          name: 'archive-audit',
          lock: ARCHIVE_LOCK,
          every_ms: 60 * MINUTE_MS,
          run: () => archiveAudit(deps, { days }),
        }),
      ]
