import type { Deps } from './deps.ts'
import { FORGET_CHALLENGES } from './access/otp.ts'
import { FORGET_SESSIONS } from './access/refresh-families.ts'
import { FORGET_PROVIDERS } from './access/scope.ts'
import { FORGET_ACCOUNTS } from './domains/accounts/index.ts'
import { FORGET_CONSULTATIONS } from './domains/consultations/index.ts'
import { FORGET_DEPENDANTS } from './domains/dependants/index.ts'
import { FORGET_DOCUMENTS } from './domains/documents/index.ts'
import { FORGET_BOOKINGS } from './domains/ledger/index.ts'
import { erasureStatements, type Forgetting, type ForgettingContext } from './domains/personal-data/index.ts'
import { FORGET_COVERED, FORGET_NUMBERS } from './domains/policies/index.ts'
import { endPolicies } from './domains/policy-following/index.ts'
import { FORGET_WALLET } from './domains/wallets/index.ts'
import { FORGET_RESPONSES } from './record/index.ts'

type Erasing = Pick<ForgettingContext, 'endings' | 'statements' | 'forgetting'>

/**
 * Everything that is known of a person, on one screen: who forgets it, how, and what is kept although they are erased. The order
 * counts: what others point to comes after them. A test holds the tables and the sealed columns of the schema against it.
 */
export const ERASED: readonly Forgetting[] = [
  { field: 'profile', tables: { users: 'emptied' } },
  { field: 'bank_details', tables: { users: 'emptied' } },
  { field: 'phone', tables: { user_phones: 'deleted', otp_limits: 'age' } },
  { field: 'id_proof', tables: { user_id_proofs: 'deleted' } },
  { field: 'one_time_codes', tables: { otp_challenges: 'deleted' }, step: FORGET_CHALLENGES },
  { field: 'sessions', tables: { refresh_families: 'deleted', refresh_tokens: 'age' }, step: FORGET_SESSIONS },
  { field: 'stored_responses', tables: { idempotency_keys: 'deleted' }, step: FORGET_RESPONSES },
  {
    field: 'documents',
    tables: { policy_files: 'deleted', health_cards: 'deleted', policy_snapshots: 'unreadable' },
    step: FORGET_DOCUMENTS,
  },
  { field: 'insurance_policies', tables: { insurance_policies: 'emptied' }, step: FORGET_COVERED },
  { field: 'dependants', tables: { dependants: 'deleted' }, step: FORGET_DEPENDANTS },
  { field: 'accounts', tables: { accounts: 'deleted' }, step: FORGET_ACCOUNTS },
  {
    field: 'consultations',
    tables: { consultations: 'deleted', consultation_messages: 'deleted', message_counts: 'deleted' },
    step: FORGET_CONSULTATIONS,
  },
  { field: 'benefit_providers', tables: { user_providers: 'deleted' }, step: FORGET_PROVIDERS },
  { field: 'wallet', tables: { wallets: 'emptied', wallet_ids: 'deleted' }, step: FORGET_WALLET },

  {
    field: 'insurance_policy_numbers',
    tables: { insurance_policies: 'kept' },
    ground: 'policies',
    end: FORGET_NUMBERS,
  },
  {
    field: 'wallet_transactions',
    tables: { ledger_transactions: 'unreadable', ledger_entries: 'kept', wallets: 'kept' },
    ground: 'ledger',
    end: FORGET_BOOKINGS,
  },
  { field: 'access_log', tables: { audit_entries: 'kept', user_status_changes: 'unreadable' }, ground: 'log' },
  { field: 'events', tables: { events: 'age', webhook_deliveries: 'age' }, ground: 'events' },
]

/** Returns what erasing works with, beside what all domains do. */
export function erasing({ calendar }: Pick<Deps, 'calendar'>): Erasing {
  const endings = endPolicies(calendar)
  return { endings, statements: erasureStatements(endings), forgetting: ERASED }
}
