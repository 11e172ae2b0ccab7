import { forgetOldAccessChanges } from './access/denials.ts'
import type { Deps } from './deps.ts'
import { requeuePendingAccounts } from './domains/accounts/index.ts'
import { beat, HEARTBEAT_MS } from './kernel/jobs/heartbeat.ts'
import type { Periodic } from './kernel/jobs/periodic.ts'

const MINUTE_MS = 60_000

/** Everything that happens again and again, on one screen. Every worker runs it; each line is harmless twice. */
export const schedule = (deps: Deps, workerId: string): Periodic[] => [
  { name: 'heartbeat', every_ms: HEARTBEAT_MS, run: () => beat(deps.db, workerId) },
  { name: 'requeue-pending-accounts', every_ms: 60 * MINUTE_MS, run: () => requeuePendingAccounts(deps) },
  { name: 'forget-old-access-changes', every_ms: 60 * MINUTE_MS, run: () => forgetOldAccessChanges(deps.db) },
]
