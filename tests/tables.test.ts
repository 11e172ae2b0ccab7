import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSources, readText } from './support/sources.ts'

/** The folder below `src` that owns each table: only it writes the table. */
const OWNERS: Record<string, string[]> = {
  'kernel/db': ['processes', 'program_versions'],
  'kernel/jobs': ['leases', 'workers'],
  access: [
    'administrator_sessions',
    'administrators',
    'key_fingerprints',
    'otp_challenges',
    'otp_limits',
    'platform_access',
    'rate_limit_uses',
    'refresh_families',
    'refresh_tokens',
    'retired_keys',
    'revocations',
    'user_providers',
  ],
  record: [
    'audit_archives',
    'audit_batches',
    'audit_entries',
    'audit_writes',
    'catalogue_status_changes',
    'events',
    'idempotency_keys',
    'relays',
    'user_status_changes',
  ],
  'domains/partners/account-providers': ['account_providers'],
  'domains/money/accounts': ['account_numbers', 'accounts'],
  'domains/partners/benefit-providers': ['benefit_providers'],
  'domains/partners/benefits': ['benefits'],
  'domains/care/consultations': ['consultation_messages', 'consultations', 'message_counts'],
  'domains/partners/credentials': ['credentials'],
  'domains/people/dependants': ['dependants'],
  'domains/people/rights-requests': ['rights_requests'],
  'domains/cover/documents': ['card_checks', 'files_to_delete', 'health_cards', 'policy_files', 'policy_snapshots'],
  'domains/money/ledger': ['ledger_entries', 'ledger_transactions'],
  'domains/privacy/consents': ['came_of_age', 'consents'],
  'domains/privacy/notices': ['consent_notices'],
  'domains/privacy/personal-data': ['erasure_holds', 'erasures'],
  'domains/partners/platforms': ['platforms'],
  'domains/cover/endorsements': ['policy_endorsements'],
  'domains/cover/policies': ['insurance_policies', 'policy_assignees', 'policy_corrections', 'policy_ends'],
  'domains/partners/sponsors': ['sponsors'],
  'domains/people/users': ['user_id_proofs', 'user_phones', 'user_references', 'users'],
  'domains/administration/statistics': ['statistics'],
  'domains/money/wallets': ['operator_events', 'wallet_ids', 'wallet_questions', 'wallet_sweeps', 'wallets'],
  'domains/cover/deposits': ['deposit_entries', 'deposits'],
  'domains/integration/comparisons': ['comparison_differences', 'comparisons'],
  'domains/integration/imports': ['import_chunks', 'import_rows', 'imports'],
  'domains/integration/webhooks': ['webhook_deliveries', 'webhook_endpoints'],
}

const READINESS = 'whether this program may run, in the one statement of /readyz'
const SCOPE = 'whose it is, and the key that opens it'
const COUNTED = 'counted by state'
const OF_PERSON = 'there must be the partner whose person logs in'
const LOGIN = 'logging in and out, and what owners do to the others; each request is let in by access'
const WAITS = 'in which somebody is waited for'
const NAMES = 'a name that is shown with it'

/** Readers of another folder's table, and why one statement is worth it. */
const READ_ACROSS: Record<string, Record<string, string>> = {
  'domains/administration/administrators': {
    administrators: LOGIN,
    administrator_sessions: LOGIN,
    benefit_providers: OF_PERSON,
    platform_access: OF_PERSON,
  },
  'domains/money/accounts': { users: SCOPE },
  'domains/administration/statistics': {
    accounts: COUNTED,
    consultations: COUNTED,
    erasure_holds: 'who waits for nobody any more',
    events: COUNTED,
    insurance_policies: COUNTED,
    policy_endorsements: COUNTED,
    relays: 'up to where events have been handed on',
    users: COUNTED,
    wallets: COUNTED,
    webhook_deliveries: COUNTED,
    webhook_endpoints: 'whose deliveries they are',
  },
  'domains/cover/deposits': {
    benefits: 'the plan’s gate, and who is a party',
    insurance_policies: 'the numbers by which a statement names policies',
    sponsors: SCOPE,
  },
  'domains/administration/next-actions': {
    users: SCOPE,
    insurance_policies: WAITS,
    policy_endorsements: WAITS,
    policy_snapshots: 'the day of the first issue',
    accounts: WAITS,
    wallets: WAITS,
    consultations: WAITS,
    rights_requests: WAITS,
    came_of_age: WAITS,
    consents: WAITS,
    erasures: 'the end of the notice',
    sponsors: WAITS,
    deposits: WAITS,
  },
  'domains/administration/audit': {
    audit_entries: 'the log that is read',
    card_checks: 'from which network a card was checked',
    users: 'whether they are of the platform that asks what its credential has read',
    platforms: NAMES,
    benefit_providers: NAMES,
  },
  'domains/partners/benefits': {
    benefit_providers: 'there must be one',
    sponsors: 'there must be one, and its platform',
  },
  'domains/care/consultations': { users: SCOPE, platforms: NAMES, benefit_providers: NAMES },
  record: { program_versions: READINESS },
  'domains/partners/credentials': {
    platforms: 'an owner must exist',
    benefit_providers: 'an owner must exist',
    platform_access: 'a credential of a disabled platform is refused',
    events: 'whether the owner has revoked the credential before',
    revocations: 'whether it kept the tokens of users then',
  },
  'domains/people/dependants': { users: SCOPE },
  'domains/people/rights-requests': { users: SCOPE, user_status_changes: 'the response to the person' },
  'domains/privacy/consents': { users: SCOPE, user_providers: 'who has an event of it' },
  'domains/cover/documents': { benefit_providers: NAMES, users: SCOPE },
  'domains/integration/events': { events: 'the log that is read' },
  'domains/money/ledger': { users: SCOPE, wallets: 'the balance that a booking changes' },
  'domains/money/onboarding': { users: SCOPE, platforms: 'the type of account that it opens' },
  'domains/privacy/personal-data': {
    users: SCOPE,
    wallets: 'whether it holds money',
    user_providers: 'who has access to the person',
    benefit_providers: NAMES,
    ledger_transactions: 'how long the books have to be kept',
    insurance_policies: 'how long their numbers have to be kept',
  },
  'domains/cover/policies': {
    users: SCOPE,
    benefits: 'the plan that is enrolled into',
    benefit_providers: NAMES,
    sponsors: NAMES,
    dependants: 'who is covered',
    policy_snapshots: 'what was issued last, to issue it again only when it differs',
    user_status_changes: 'when a person ended it',
    erasures: 'until when a policy number is retained',
  },
  'domains/cover/coverage': {
    users: SCOPE,
    insurance_policies: 'the days that they cover',
    dependants: 'which versions are one person',
    benefits: NAMES,
  },
  'domains/cover/endorsements': {
    users: SCOPE,
    user_status_changes: 'the reason of the decision',
    insurance_policies: 'the policies of a group, whose schedule it is',
    dependants: 'the names in that schedule',
  },
  'domains/cover/policy-propagation': { insurance_policies: 'the policies that follow a person' },
  'domains/cover/policy-timeline': {
    dependants: 'corrections',
    insurance_policies: 'the policy itself',
    users: SCOPE,
    policy_corrections: 'corrections of the member',
    policy_ends: 'ends that were set and taken back',
    policy_files: 'documents',
    policy_snapshots: 'issues',
    user_status_changes: 'transitions',
  },
  'domains/people/users': {
    platforms: 'a search across platforms',
    erasures: 'a person who is to be erased gets nothing new',
    dependants: 'how many rows a hash key finds',
    administrators: 'how many rows a hash key finds',
  },
  'domains/money/wallet-sessions': {
    otp_limits: 'how many codes a phone has had, read with its user',
    platforms: 'only a known one counts for the phone',
  },
  'domains/money/wallets': { users: SCOPE },
  'domains/integration/imports': { platforms: 'the list of a disabled one waits' },
  'domains/integration/webhooks': {
    events: 'what is sent, and what can be sent again',
    platforms: 'nothing is sent to a disabled one',
  },
}

/**
 * Writers of another folder's table. Everything else of another folder is written by a function that its owner exports.
 */
const WRITTEN_ACROSS: Record<string, Record<string, string>> = {
  'domains/administration/administrators': { administrators: LOGIN, administrator_sessions: LOGIN },
  'domains/administration/next-actions': { consents: 'that a withdrawal waits for nobody any more' },
  'domains/cover/documents': { audit_entries: 'a check of a card that is new, and its entry' },
  'domains/people/dependants': { users: 'cover_revision, which guards everything that covers a user' },
  'domains/cover/policies': { users: 'cover_revision, which guards everything that covers a user' },
  'domains/cover/policy-propagation': { insurance_policies: 'what a correction of a person asks to be issued again' },
}

const tables = [...readText('schema.sql').matchAll(/^create table (\w+)/gm)].map(([, name = '']) => name)
const ownerOf = new Map(Object.entries(OWNERS).flatMap(([folder, owned]) => owned.map((table) => [table, folder])))

type Use = { folder: string; table: string; writes: boolean }

const uses: Use[] = readSources('src').flatMap(({ path, code }) => {
  const folder = path.replace(/^src\//, '').replace(/\/[^/]*$/, '')
  return [
    ...code.matchAll(/\b(insert into|update: '|insert: '|update|delete from|linkedInsert\(\s*'|from|join)\s*(\w+)\b/g),
  ]
    .filter(([, , table = '']) => tables.includes(table))
    .map(([, verb = '', table = '']) => ({ folder, table, writes: !/^(from|join)$/.test(verb) }))
})

const isListed = (list: Record<string, Record<string, string>>, { folder, table }: Use) => list[folder]?.[table]

/** The uses of other folders' tables that are not on the list, each once. */
const foreign = (uses: Use[], list: Record<string, Record<string, string>>): string[] => [
  ...new Set(
    uses
      .filter((use) => ownerOf.get(use.table) !== use.folder && !isListed(list, use))
      .map(({ folder, table }) => `${folder}: ${table}`),
  ),
]

describe('tables', () => {
  it('each have one owner', () => {
    assert.deepEqual([...ownerOf.keys()].toSorted(), tables.toSorted())
    assert.equal(ownerOf.size, Object.values(OWNERS).flat().length, 'no table is listed twice')
  })

  it('are written by their owner', () => {
    assert.deepEqual(
      foreign(
        uses.filter(({ writes }) => writes),
        WRITTEN_ACROSS,
      ),
      [],
    )
  })

  it('are read by their owner, and by others only with a stated reason', () => {
    assert(uses.length > 150, 'uses of tables are found at all')
    const reads = uses.filter(({ writes }) => !writes)
    assert.deepEqual(foreign(reads, READ_ACROSS), [])
  })

  it('of a domain are not read below it', () => {
    const below = uses.filter(
      ({ folder, table }) => !folder.startsWith('domains') && (ownerOf.get(table) ?? '').startsWith('domains'),
    )
    assert.deepEqual(below, [])
  })

  it('no reason is stated for a use that does not exist', () => {
    const listed = [READ_ACROSS, WRITTEN_ACROSS].flatMap((list, index) =>
      Object.entries(list).flatMap(([folder, reasons]) =>
        Object.keys(reasons).map((table) => ({ folder, table, writes: index === 1 })),
      ),
    )
    const unused = listed.filter(
      (one) =>
        !uses.some(
          ({ folder, table, writes }) => folder === one.folder && table === one.table && writes === one.writes,
        ),
    )
    assert.deepEqual(unused, [])
  })
})

describe('advisory locks', () => {
  it('have different numbers: two with the same would block each other', () => {
    const numbers = readSources('src').flatMap(({ code }) =>
      [...code.matchAll(/^const (?:\w+_)?LOCK\b.*?(\d[\d_]{8,})/gm)].map(([, number = '']) =>
        number.replaceAll('_', ''),
      ),
    )
    assert(numbers.length >= 4, 'locks are found at all')
    assert.deepEqual(
      numbers.filter((number, index) => numbers.indexOf(number) !== index),
      [],
    )
  })
})
