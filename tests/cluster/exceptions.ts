/**
 * `user`: the rows belong to one user. `together`: all rows read are on one node. `fixed`: no volatile functions. `once`: what is
 * asked of all shards is one statement on each. `alongside`: what every node has is locked on the shard of a user.
 */
export type Rule = 'user' | 'together' | 'fixed' | 'once' | 'alongside'

export const IN_STEPS =
  'sent to one PostgreSQL only; on a cluster the same is done in steps, or by a statement `…_on_shards`'
export const OF_ALL = 'asked of all users at once, by an administrator or a platform that looks for some of them'
const FILLED_IN = 'a worker fills in what an earlier version did not write, a batch at a time'
const COUNTED = 'a worker counts all rows, twice a minute'
const OLD = 'deletes what is old, some thousand rows at a time, every few minutes at most'
const ERASED = 'finds by the user what leads to an erased user from something else; few are erased'
const ROTATED = 'asked of all, a batch at a time, by the command that rotates keys'
const RESTORED = 'a command asks all, once after a restore'
const TOTAL = 'the total and the page are a statement each'
const BY_CLOCK = 'a worker looks for what waits among all users; each is then handled by itself'

/** Statements of the commands that walk all sealed rows, a batch at a time, as the owner of the tables. */
export const WALKS_ALL = /^sealed_/

const BY_EACH_KEY = 'while the hash key rotates, by as many hashes as there are hash keys'

/** Lists of all users' policies: those for one PostgreSQL limit the rows of each state, those for a cluster do not. */
const LISTS = ['changed', 'listed_due'].flatMap((list) =>
  ['', '_of_provider', '_of_platform', '_of_assignee'].map((of) => `insurance_policies_${list}${of}`),
)
const LISTS_OF_BENEFITS = ['benefit', ...[2, 4, 8].map((count) => `benefits_${count}`)].map(
  (of) => `insurance_policies_changed_of_${of}`,
)
const LISTS_OF_WAITING = [
  'waiting',
  'waiting_of_provider',
  'waiting_of_assignee',
  'sent_back',
  'sent_back_of_assignee',
].map((list) => `insurance_policies_${list}`)
const LISTS_OF_EACH_STATE = Object.fromEntries(
  [...LISTS, ...LISTS_OF_BENEFITS, ...LISTS_OF_WAITING].map((name) => [name, IN_STEPS]),
)
const LISTS_ON_SHARDS = Object.fromEntries(
  Object.keys(LISTS_OF_EACH_STATE).map((name) => [`${name}_on_shards`, OF_ALL]),
)

/** The work list: its parts are limited for one PostgreSQL, not for a cluster. */
const WORK_LISTS = { next_actions_list: IN_STEPS, next_actions_list_of_provider: IN_STEPS }
const WORK_LISTS_ON_SHARDS = Object.fromEntries(Object.keys(WORK_LISTS).map((name) => [`${name}_on_shards`, OF_ALL]))

/** Statements that break a rule, and the reason. */
export const EXCEPTIONS: Record<Rule, Record<string, string>> = {
  user: {
    users_identify: IN_STEPS,
    users_identify_by_any: IN_STEPS,
    otp_limits_find_with_user: IN_STEPS,
    refresh_families_rotate: IN_STEPS,
    refresh_tokens_inspect: IN_STEPS,
    wallet_ids_find: IN_STEPS,
    insurance_policies_list_open: 'a daily task counts the days of all policies again, a page at a time',
    erasure_holds_over: BY_CLOCK,
    users_unlink_id_proofs: ROTATED,
    ...LISTS_OF_EACH_STATE,
    ...LISTS_ON_SHARDS,
    ...WORK_LISTS,
    ...WORK_LISTS_ON_SHARDS,
    next_actions_due: IN_STEPS,
    next_actions_due_on_shards: BY_CLOCK,
    consents_list_to_end: BY_CLOCK,
    consents_settle: BY_CLOCK,
    insurance_policies_find_by_external_policy_id: OF_ALL,
    insurance_policies_find_by_master_policy_number: OF_ALL,
    insurance_policies_find_by_policy_number: OF_ALL,
    insurance_policies_without_platform: FILLED_IN,
    insurance_policies_fill_platform: FILLED_IN,
    insurance_policies_fill_since: FILLED_IN,
    insurance_policies_fill_notices: FILLED_IN,
    accounts_fill_platform: FILLED_IN,
    consultations_fill_platform: FILLED_IN,
    accounts_number_unknown: FILLED_IN,
    accounts_mark_number: FILLED_IN,
    account_numbers_remove: FILLED_IN,
    accounts_changed: OF_ALL,
    accounts_oldest: OF_ALL,
    accounts_changed_of_platform: OF_ALL,
    accounts_oldest_of_platform: OF_ALL,
    accounts_without_platform: FILLED_IN,
    consultations_changed: OF_ALL,
    consultations_oldest: OF_ALL,
    consultations_changed_of_platform: OF_ALL,
    consultations_oldest_of_platform: OF_ALL,
    consultations_changed_of_provider: OF_ALL,
    consultations_oldest_of_provider: OF_ALL,
    consultations_without_platform: FILLED_IN,
    wallets_changed: OF_ALL,
    wallets_oldest: OF_ALL,
    wallets_changed_of_blocked: OF_ALL,
    wallets_oldest_of_blocked: OF_ALL,
    wallets_changed_of_platform: OF_ALL,
    wallets_oldest_of_platform: OF_ALL,
    statistics_insurance_policies: COUNTED,
    statistics_sent_back: COUNTED,
    statistics_endorsements: COUNTED,
    statistics_consultations: COUNTED,
    statistics_accounts: COUNTED,
    statistics_wallets: COUNTED,
    statistics_users: COUNTED,
    users_list: OF_ALL,
    users_list_own: OF_ALL,
    users_search_by_phone: OF_ALL,
    users_search_by_id_proof: OF_ALL,
    users_search_by_policy: OF_ALL,
    users_search_by_reference: OF_ALL,
    refresh_families_end_listed: RESTORED,
    users_set_reference: 'a former number of the person is found by the person',
    user_references_erase: ERASED,
    user_references_list_older: ROTATED,
    policy_endorsements_find: OF_ALL,
    policy_endorsements_search: OF_ALL,
    insurance_policies_of_group: OF_ALL,
    insurance_policies_of_group_oldest: OF_ALL,
    policy_endorsements_changed: OF_ALL,
    policy_endorsements_changed_of_platform: OF_ALL,
    policy_endorsements_changed_of_provider: OF_ALL,
    policy_endorsements_changed_of_policy: OF_ALL,
    policy_endorsements_due: OF_ALL,
    policy_endorsements_due_of_platform: OF_ALL,
    policy_endorsements_due_of_provider: OF_ALL,
    benefits_find_with_use: 'a benefit that is deleted may be in use by anybody',
    benefits_archive: 'a benefit that is deleted may be in use by anybody',
    accounts_long_pending: BY_CLOCK,
    wallets_unfinished: BY_CLOCK,
    wallets_next_to_ask: BY_CLOCK,
    wallets_list_failed: OF_ALL,
    wallets_list_failed_of_platform: OF_ALL,
    wallet_questions_claim: BY_CLOCK,
    wallets_last_retrying: 'asked by `doctor`, a command of the operator',
    insurance_policies_has_due: BY_CLOCK,
    insurance_policies_list_due: BY_CLOCK,
    insurance_policies_has_notices: BY_CLOCK,
    insurance_policies_list_notices: BY_CLOCK,
    refresh_tokens_purge: OLD,
    refresh_families_purge: OLD,
    idempotency_keys_purge: OLD,
    idempotency_keys_delete_expired: 'one key, by as many hashes as there are hash keys',
    user_phones_list_older: ROTATED,
    user_id_proofs_list_older: ROTATED,
    user_id_proofs_find_newer: ROTATED,
    user_id_proofs_list_of_key: ROTATED,
    user_id_proofs_delete_of_key: ROTATED,
    dependants_list_older: ROTATED,
    health_cards_list: ROTATED,
    health_cards_register: ROTATED,
    hash_keys_count: ROTATED,
    data_keys_count_users: ROTATED,
    data_keys_list_users: ROTATED,
    data_keys_replace_users: IN_STEPS,
    erasures_due: BY_CLOCK,
    erasures_list: OF_ALL,
    accounts_erase: ERASED,
    users_erase: ERASED,
    user_id_proofs_erase: ERASED,
    idempotency_keys_erase_user: ERASED,
    policy_files_erase: ERASED,
    wallets_erase: ERASED,
    policy_files_count_current: 'the command that reads every uploaded document',
    policy_files_list_current: 'the command that reads every uploaded document',
    ledger_count: 'the command that proves the whole ledger',
    ledger_verify: 'the command that proves the whole ledger',
  },
  together: {
    users_identify: IN_STEPS,
    users_identify_by_any: IN_STEPS,
    otp_limits_find_with_user: IN_STEPS,
    refresh_tokens_inspect: IN_STEPS,
    wallet_ids_find: IN_STEPS,
    hash_keys_count: 'counts in each place by itself, alongside what it has read of another',
    users_search_by_phone: OF_ALL,
    users_search_by_id_proof: OF_ALL,
    users_search_by_reference: OF_ALL,
  },
  fixed: {},
  once: {
    ...LISTS_OF_EACH_STATE,
    ...WORK_LISTS,
    next_actions_due: IN_STEPS,
    otp_limits_find_with_user: IN_STEPS,
    wallets_unfinished: BY_CLOCK,
    wallet_questions_claim: BY_CLOCK,
    users_list: TOTAL,
    users_list_own: TOTAL,
    refresh_tokens_purge: OLD,
    refresh_families_purge: OLD,
    idempotency_keys_purge: OLD,
  },
  alongside: {
    benefits_archive_lock: IN_STEPS,
    data_keys_replace_sponsors: ROTATED,
    data_keys_replace_one_of_sponsors: ROTATED,
  },
}

/** Statements that name several users, so that the rules hold and several shards are asked, and why. */
export const OF_SEVERAL: Record<string, string> = {
  users_find_holders: ROTATED,
  users_find_by_phone: BY_EACH_KEY,
  users_find_by_id_proof: BY_EACH_KEY,
  users_search_by_phone: BY_EACH_KEY,
  users_search_by_id_proof: BY_EACH_KEY,
  idempotency_keys_find: BY_EACH_KEY,
}

const TRIGGER = 'stops writes by a trigger, which a sharded table cannot have'
const STATISTICS = 'looks at plans of one PostgreSQL'
const MANY = 'is about statements for many calls, which are not sent to a cluster'

/** Test files that `npm run test:cluster` leaves out, and why. */
export const NOT_ON_A_CLUSTER: Record<string, string> = {
  'tests/system/api/policies/propagate-dependant.test.ts':
    'compares the transactions of two rows, which are on different nodes',
  'tests/system/events/plans.test.ts': STATISTICS,
  'tests/system/policies/list-plans.test.ts': STATISTICS,
  'tests/system/record/batched-calls.test.ts': MANY,
  'tests/system/record/idempotency.test.ts': TRIGGER,
  'tests/system/record/writes.test.ts': 'counts the round trips to one PostgreSQL; a cluster is asked in more steps',
  'tests/system/record/shared-writes.test.ts': MANY,
  'tests/system/users/find-users-plans.test.ts': STATISTICS,
}
