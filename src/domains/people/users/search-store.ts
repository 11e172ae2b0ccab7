import { isNotErased, isOwn } from '../../../access/scope.ts'
import { type Statement, statement } from '../../../kernel/db/database.ts'
import { USERS } from './records.ts'

/**
 * `$1` is the value `found` looks up, `$2` the platform. Materialized: finds first and sorts then, never scans all
 * users.
 */
const search = (name: string, found: string) =>
  statement(
    name,
    `with found as materialized (
       select ${USERS.list}
         from (${found}) k
         join users u on u.user_id = k.user_id and ${isNotErased('u')} and ${isOwn('$2', 'u.platform_id')}
     ) ${USERS.newest({ from: 'found u', limit: '$3', offset: '$4' })}`,
  )

/**
 * The array in a subquery: its length does not change the estimate, so PostgreSQL plans once, not at every execution
 * (which took half of the database's time).
 */
const hashes = 'any (array(select unnest($1::bytea[])))'

/** One statement for each search criterion. */
export type SearchStatements = Record<'byPhone' | 'byIdProof' | 'byPolicy' | 'byReference', Statement>

/**
 * Builds the search statements; called once, when the app is built. `holdersOf` is injected because policies
 * depend on users: it returns SQL for the holders of the policy with a number.
 */
export const searchStatements = (holdersOf: (policyNumber: string) => string): SearchStatements => ({
  byPhone: search('users_search_by_phone', `select distinct user_id from user_phones where phone_hash = ${hashes}`),
  byIdProof: search(
    'users_search_by_id_proof',
    `select distinct user_id from user_id_proofs where id_proof_hash = ${hashes}`,
  ),
  byReference: search(
    'users_search_by_reference',
    `select distinct user_id from user_references where reference_hash = ${hashes}`,
  ),
  byPolicy: search('users_search_by_policy', holdersOf('$1')),
})
