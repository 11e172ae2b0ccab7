import { deleteOldRevocations } from './access/revocations.ts'
import { deleteOldChallenges } from './access/otp.ts'
import { deleteOldUses } from './access/rate-limits.ts'
import { deleteOldRefreshTokens } from './access/refresh-families.ts'
import type { Deps } from './deps.ts'
import { requeuePendingAccounts } from './domains/accounts/index.ts'
import { deleteUnusedFiles } from './domains/documents/index.ts'
import { runCalendar } from './domains/policies/index.ts'
import { deleteOldOperatorEvents, requeueUnfinishedWallets } from './domains/wallets/index.ts'
import { deleteOldIdempotencyKeys } from './record/idempotency.ts'
import { beat, HEARTBEAT_MS } from './kernel/jobs/heartbeat.ts'
import type { Periodic } from './kernel/jobs/periodic.ts'
import { retryOrphanedJobsNow, type Queue } from './kernel/jobs/queue.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
/** A look into an index; often, so that a moved sandbox calendar shows at once. */
const CALENDAR_MS = 2 * SECOND_MS

/** Everything that happens again and again, on one screen. Every worker runs it; each line is harmless twice. */
export const schedule = (deps: Deps & { queue: Queue }, workerId: string): Periodic[] => [
  { name: 'heartbeat', every_ms: HEARTBEAT_MS, run: () => beat(deps.db, workerId) },
  { name: 'hurry-orphaned-jobs', every_ms: 5 * SECOND_MS, run: () => retryOrphanedJobsNow(deps.db) },
  {
    name: 'policy-calendar',
    every_ms: CALENDAR_MS,
    run: async (stop) => void (await runCalendar(deps, workerId, stop)),
  },
  { name: 'requeue-pending-accounts', every_ms: 60 * MINUTE_MS, run: () => requeuePendingAccounts(deps) },
  { name: 'requeue-unfinished-wallets', every_ms: 60 * MINUTE_MS, run: () => requeueUnfinishedWallets(deps) },
  { name: 'forget-old-access-changes', every_ms: 60 * MINUTE_MS, run: () => deleteOldRevocations(deps.db) },
  {
    name: 'forget-old-challenges',
    every_ms: 10 * MINUTE_MS,
    run: () => deleteOldChallenges(deps.db, deps.clock.now()),
  },
  {
    name: 'forget-old-refresh-tokens',
    every_ms: 60 * MINUTE_MS,
    run: () => deleteOldRefreshTokens(deps.db, deps.clock),
  },
  {
    name: 'forget-old-idempotency-keys',
    every_ms: 10 * MINUTE_MS,
    run: () => deleteOldIdempotencyKeys(deps.db, deps.clock),
  },
  { name: 'forget-old-rate-limit-uses', every_ms: 10 * MINUTE_MS, run: () => deleteOldUses(deps.db) },
  { name: 'delete-unused-files', every_ms: 10 * MINUTE_MS, run: () => deleteUnusedFiles(deps) },
  { name: 'forget-old-operator-events', every_ms: 60 * MINUTE_MS, run: () => deleteOldOperatorEvents(deps) },
]
