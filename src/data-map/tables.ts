import type { Placement, Placements } from '../kernel/cluster/placement.ts'
import type { StoredTables } from '../kernel/db/migrate.ts'
import { continueLogs } from '../record/log-positions.ts'

/** Starts with the table that the others of its group are colocated with. */
const OF_USERS = [
  'users',
  'user_providers',
  'dependants',
  'insurance_policies',
  'policy_snapshots',
  'policy_files',
  'policy_assignees',
  'policy_endorsements',
  'policy_ends',
  'accounts',
  'consultations',
  'consultation_messages',
  'message_counts',
  'user_status_changes',
  'policy_corrections',
  'refresh_families',
  'wallets',
  'wallet_questions',
  'ledger_transactions',
  'ledger_entries',
  'erasures',
  'erasure_holds',
  'consents',
  'came_of_age',
  'rights_requests',
]

/** Lookups that lead to a user, sharded by their own key: as many rows as users, or more. */
const LOOK_UPS = {
  user_phones: 'phone_hash',
  user_id_proofs: 'id_proof_hash',
  user_references: 'reference_hash',
  account_numbers: 'external_account_id',
  wallet_ids: 'partner_wallet_id',
  refresh_tokens: 'token_hash',
  health_cards: 'card_hash',
  idempotency_keys: 'key_hash',
}

const CATALOGUE = 'small, changes seldom, and what is sharded points at it'

const EVERYWHERE = {
  platforms: CATALOGUE,
  benefit_providers: CATALOGUE,
  account_providers: CATALOGUE,
  sponsors: CATALOGUE,
  benefits: CATALOGUE,
  consent_notices: CATALOGUE,
  platform_access: 'small, and a refresh asks it alongside the session',
}

const OF_DEPOSITS = 'few writes, and a premium is drawn from one of many users'
const IN_ORDER = 'its order is that of the transactions of one node'
const OF_LOGINS = 'few rows, and nothing of a user is read with it'
const OF_WORKERS = 'workers agree by it, and a node that is down must not stop them'
const OF_STARTS = 'read once, when a process starts'
const SHORT_LIVED = 'rows live for hours at most, and nothing of a user is read with it'
const OF_IMPORTS = 'written by one worker, read by who sent the file, and nothing of a user is read with it'
const OF_COMPARISONS = 'written once, read by who sent the file, and nothing of a user is read with it'
const BESIDE_EVENTS = 'read and written with events'

const ON_COORDINATOR = {
  events: IN_ORDER,
  relays: BESIDE_EVENTS,
  webhook_endpoints: BESIDE_EVENTS,
  webhook_deliveries: BESIDE_EVENTS,
  audit_entries: IN_ORDER,
  audit_batches: 'sealed in the order of the entries',
  audit_archives: 'which batches are in the document storage',
  audit_writes: 'written with the entries',
  card_checks: 'written with the entries',
  revocations: 'read by every process each second; a node that is down must not stop a revocation',
  credentials: OF_LOGINS,
  administrators: OF_LOGINS,
  administrator_sessions: OF_LOGINS,
  catalogue_status_changes: 'grows with the catalogue, and nothing of a user is read with it',
  otp_challenges: SHORT_LIVED,
  statistics: 'counted by a worker, and read by nobody with a user',
  otp_limits: SHORT_LIVED,
  rate_limit_uses: SHORT_LIVED,
  operator_events: SHORT_LIVED,
  wallet_sweeps: 'one row, written by one worker',
  files_to_delete: SHORT_LIVED,
  imports: OF_IMPORTS,
  import_chunks: OF_IMPORTS,
  import_rows: OF_IMPORTS,
  deposits: OF_DEPOSITS,
  deposit_entries: OF_DEPOSITS,
  comparisons: OF_COMPARISONS,
  comparison_differences: OF_COMPARISONS,
  workers: OF_WORKERS,
  leases: OF_WORKERS,
  processes: 'written by every process, read by `migrate`',
  program_versions: 'read by every process, written by `migrate` alone',
  key_fingerprints: OF_STARTS,
  retired_keys: OF_STARTS,
  migrations: 'read by every process, written by `migrate` alone',
}

/** What tells rows apart in a table without a primary key, whose index would be a third of it and is never searched. */
const KEYS: Record<string, { key: readonly string[] }> = {
  user_status_changes: { key: ['user_id', 'entity_id', 'change_id'] },
}

/** Every table, in an order in which each can be placed. */
export const PLACEMENTS: Placements = new Map<string, Placement>([
  ...reasons('everywhere', EVERYWHERE),
  ...OF_USERS.map((table): [string, Placement] => [
    table,
    { kind: 'sharded', author: 'user_id', group: 'users', ...KEYS[table] },
  ]),
  ...Object.entries(LOOK_UPS).map(([table, author]): [string, Placement] => [
    table,
    { kind: 'sharded', author, group: table },
  ]),
  ...reasons('coordinator', ON_COORDINATOR),
])

function reasons(kind: 'everywhere' | 'coordinator', list: Record<string, string>): [string, Placement][] {
  return Object.entries(list).map(([table, because]) => [table, { kind, because }])
}

/** What `migrate` and `distribute` need to know of the tables. */
export const STORED_TABLES: StoredTables = { placements: PLACEMENTS, continueLogs }
