import { ERASE_CHALLENGES } from '../access/otp.ts'
import { ERASE_SESSIONS } from '../access/user-sessions.ts'
import { ERASE_PROVIDERS } from '../access/scope.ts'
import { ERASE_ACCOUNTS } from '../domains/money/accounts/index.ts'
import { ERASE_DIFFERENCES } from '../domains/integration/comparisons/index.ts'
import { ERASE_CONSULTATIONS } from '../domains/care/consultations/index.ts'
import { ERASE_DEPENDANTS } from '../domains/people/dependants/index.ts'
import { ERASE_CARD_CHECKS, ERASE_DOCUMENTS } from '../domains/cover/documents/index.ts'
import { ERASE_BOOKINGS } from '../domains/money/ledger/index.ts'
import { ERASE_CONSENTS } from '../domains/privacy/consents/index.ts'
import { ERASE_RIGHTS_REQUESTS } from '../domains/people/rights-requests/index.ts'
import { erasureStatements, type FieldErasure, type ErasureRunContext } from '../domains/privacy/personal-data/index.ts'
import { ERASE_ENDORSEMENTS } from '../domains/cover/endorsements/index.ts'
import { ERASE_ASSIGNEES, ERASE_COVERED, ERASE_NUMBERS } from '../domains/cover/policies/index.ts'
import { endPolicies } from '../domains/cover/policy-propagation/index.ts'
import { ERASE_ID_PROOFS, ERASE_REFERENCES } from '../domains/people/users/index.ts'
import { ERASE_WALLET } from '../domains/money/wallets/index.ts'
import { type Deps, ERASE_RESPONSES } from '../record/index.ts'

type ErasureDeps = Pick<ErasureRunContext, 'endings' | 'statements' | 'fieldErasures'>

/**
 * All personal data on one screen: how each field is erased, and what is kept after the erasure. The order matters:
 * referenced rows come after the rows that reference them. A test checks the schema's tables and sealed columns, and the
 * members of the export, against it.
 */
export const ERASED: readonly FieldErasure[] = [
  { field: 'profile', tables: { users: 'cleared', erasure_holds: 'deleted' }, hold: 'copy' },
  { field: 'bank_details', tables: { users: 'cleared' }, hold: 'copy' },
  { field: 'phone', tables: { user_phones: 'deleted', otp_limits: 'age' }, hold: 'copy' },
  { field: 'id_proof', tables: { user_id_proofs: 'deleted' }, hold: 'copy', step: ERASE_ID_PROOFS },
  {
    field: 'reference',
    tables: { users: 'cleared', user_references: 'deleted' },
    hold: 'copy',
    step: ERASE_REFERENCES,
  },
  { field: 'one_time_codes', tables: { otp_challenges: 'deleted' }, step: ERASE_CHALLENGES },
  { field: 'sessions', tables: { refresh_families: 'deleted', refresh_tokens: 'age' }, step: ERASE_SESSIONS },
  { field: 'stored_responses', tables: { idempotency_keys: 'deleted' }, step: ERASE_RESPONSES },
  {
    field: 'documents',
    tables: { policy_files: 'deleted', health_cards: 'deleted', policy_snapshots: 'unreadable' },
    hold: 'copy',
    step: ERASE_DOCUMENTS,
  },
  { field: 'card_checks', tables: { card_checks: 'deleted' }, step: ERASE_CARD_CHECKS },
  {
    field: 'insurance_policies',
    tables: { insurance_policies: 'cleared', policy_ends: 'unreadable' },
    hold: 'rows',
    step: ERASE_COVERED,
  },
  { field: 'policy_assignees', tables: { policy_assignees: 'deleted' }, step: ERASE_ASSIGNEES },
  { field: 'policy_endorsements', tables: { policy_endorsements: 'deleted' }, step: ERASE_ENDORSEMENTS },
  { field: 'dependants', tables: { dependants: 'deleted' }, hold: 'rows', step: ERASE_DEPENDANTS },
  { field: 'accounts', tables: { accounts: 'deleted', account_numbers: 'deleted' }, step: ERASE_ACCOUNTS },
  {
    field: 'consultations',
    tables: { consultations: 'deleted', consultation_messages: 'deleted', message_counts: 'deleted' },
    hold: 'rows',
    step: ERASE_CONSULTATIONS,
  },
  { field: 'comparisons', tables: { comparison_differences: 'deleted' }, step: ERASE_DIFFERENCES },
  { field: 'consents', tables: { consents: 'deleted', came_of_age: 'deleted' }, hold: 'rows', step: ERASE_CONSENTS },
  { field: 'rights_requests', tables: { rights_requests: 'deleted' }, hold: 'rows', step: ERASE_RIGHTS_REQUESTS },
  { field: 'benefit_providers', tables: { user_providers: 'deleted' }, step: ERASE_PROVIDERS },
  {
    field: 'wallet',
    tables: { wallets: 'cleared', wallet_ids: 'deleted', wallet_questions: 'deleted' },
    step: ERASE_WALLET,
  },

  {
    field: 'insurance_policy_numbers',
    tables: { insurance_policies: 'kept', deposit_entries: 'kept' },
    ground: 'policies',
    end: ERASE_NUMBERS,
  },
  {
    field: 'wallet_transactions',
    tables: { ledger_transactions: 'unreadable', ledger_entries: 'kept', wallets: 'kept' },
    ground: 'ledger',
    end: ERASE_BOOKINGS,
  },
  {
    field: 'access_log',
    tables: {
      audit_entries: 'kept',
      audit_archives: 'kept',
      user_status_changes: 'unreadable',
      policy_corrections: 'kept',
    },
    ground: 'log',
  },
  {
    field: 'events',
    tables: {
      events: 'age',
      webhook_deliveries: 'age',
      imports: 'age',
      import_chunks: 'age',
      import_rows: 'age',
    },
    ground: 'events',
  },
]

/** Returns the dependencies of erasures, besides those of all domains. */
export function erasureDeps({ calendar }: Pick<Deps, 'calendar'>): ErasureDeps {
  const endings = endPolicies(calendar)
  return { endings, statements: erasureStatements(endings), fieldErasures: ERASED }
}
