import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { madeStatements } from '../../src/kernel/db/database.ts'
import { loadAllStatements } from '../support/all-statements.ts'
import { openTestApp } from '../support/app.ts'

/** Tables with as many rows as an installation has companies, administrators and processes. */
const SMALL = [
  'account_providers',
  'administrators',
  'audit_archives',
  'audit_batches',
  'benefit_providers',
  'imports', // some files a company, for a month
  'key_fingerprints',
  'leases',
  'migrations',
  'platform_access',
  'platforms',
  'processes',
  'program_versions',
  'relays',
  'retired_keys',
  'statistics',
  'webhook_endpoints',
  'workers',
]

const FILLED_IN = 'reads an index of rows of an earlier version, which is empty soon after an upgrade'
const COUNTED = 'a worker counts all rows twice a minute'

/** Statements that read a growing table from one end of an index, and what bounds or justifies it. */
const WALKS: Record<string, string> = {
  accounts_number_unknown: FILLED_IN,
  accounts_without_platform: FILLED_IN,
  consultations_without_platform: FILLED_IN,
  insurance_policies_without_platform: FILLED_IN,
  statistics_accounts: COUNTED,
  statistics_endorsements: COUNTED,
  statistics_insurance_policies: COUNTED,
  statistics_users: COUNTED,
  statistics_wallets: COUNTED,
  statistics_webhook_deliveries_waiting:
    'those that wait have an index of their own; a worker counts them twice a minute',
  deposits_list_crossed: 'those that have fallen below their level, which have an index of their own',
  benefits_list: 'administrators page through all; the exact total counts them',
  data_keys_count_sponsors: 'a command of the operator counts all rows',
  credentials_find_kept_user_tokens: 'revocations are of the last two hours, and are read when one is repeated',
  user_id_proofs_list_of_key: 'a command of the operator reads all rows of an old key, a page at a time',
  data_keys_count_users: 'a command of the operator counts all rows',
  hash_keys_count: 'a command of the operator counts all rows',
  ledger_count: 'a command of the operator counts all wallets, for the time left',
  deposits_list_orphaned: 'a command of the operator checks all entries of deposits',
  insurance_policies_has_due: 'reads the first entry of an index of policies with a next step',
  insurance_policies_has_notices: 'reads the first entry of an index of policies with a next notice',
  logs_find: 'reads the last entry of two indexes',
  policy_files_count_current: 'a command of the operator counts all files, for the time left',
  administrator_sessions_end_idle: 'sessions are deleted after eight hours; a worker reads them once a minute',
  readiness_find: 'reads the last entry of two indexes',
  sponsors_list: 'administrators page through all; the exact total counts them',
  users_list: 'administrators page through all; the exact total counts them',
}

/** Statements that sort more than a page, and what bounds or justifies it. */
const SORTS: Record<string, string> = {
  deposits_list_orphaned: 'a command of the operator checks all entries of deposits',
  hash_keys_count: 'a command of the operator counts all rows',
  ledger_verify: 'a command checks all bookings of a batch of wallets',
  next_actions_list_on_shards: 'what waits, on a cluster; each part has an index of what waits',
  revocations_list: 'those since the last read, however many there are',
  revocations_read: 'those since the last read, however many there are',
  wallet_questions_claim: 'the wallets whose status is asked for out of order, which have an index of their own',
  wallets_unfinished: 'the wallets that hang, which have an index of their own',
}

const ROWS = 10_000
const PLATFORMS = 50
/** The largest page, and one row more. */
const PAGE = 101
/** Makes rows so expensive in comparison with pages that thousands count as millions. */
const LARGE =
  '-c search_path=banyan -c random_page_cost=0.1 -c seq_page_cost=0.1 -c cpu_tuple_cost=1 -c cpu_index_tuple_cost=0.5'
const VALUES: Record<string, string> = {
  text: `'v' || i`,
  int4: 'i % 100',
  int8: 'i',
  bytea: `decode(md5(i::text), 'hex')`,
  jsonb: `'{}'`,
  json: `'{}'`,
  timestamptz: `now() - i * interval '1 second'`,
  date: `current_date - i % 365`,
  bool: 'i % 2 = 0',
  interval: `i * interval '1 second'`,
  xid8: 'i::text::xid8',
  _text: `array['v' || i]`,
  _int8: 'array[i]',
}

type Plan = {
  table?: string | undefined
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Plan Rows': number
  Plans?: Plan[]
}
const stepsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(stepsOf)]

type Column = { table: string; column: string; type: string; optional: boolean; words: string[] | null }

/** Every column of the growing tables; `words` are the allowed values of a check. */
const COLUMNS = `
  select c.relname as table, a.attname as column, t.typname as type, not a.attnotnull as optional,
         (select array_agg(word[1])
            from pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''(\\w+)''::text', 'g') as word
           where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as words
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
   where c.relnamespace = 'banyan'::regnamespace and c.relkind = 'r' and c.relname <> all ($1)
     and a.attgenerated = '' and a.attidentity = ''`

function valueOf({ table, column, type, optional, words }: Column): string {
  if (column === 'platform_id') return `'plt' || i % ${PLATFORMS}`
  if (optional && type === 'timestamptz') return 'null'
  if (words) return `(array['${words.join("','")}'])[1 + i % ${words.length}]`
  const value = VALUES[type]
  assert(value !== undefined, `a value of ${type} for ${table}.${column}`)
  return value
}

/**
 * Fills the growing tables and returns their names. Nothing else uses this database: the planner ignores what rows
 * mean.
 */
async function fill(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<Column>(COLUMNS, [SMALL])
  const constraints = await client.query<{ sql: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as sql
       from pg_constraint
      where contype in ('f', 'c') and connamespace = 'banyan'::regnamespace`,
  )
  for (const { sql } of constraints.rows) await client.query(sql)
  for (const [table, columns] of Map.groupBy(rows, (row) => row.table))
    await client.query(
      `insert into ${table} (${columns.map(({ column }) => column).join(', ')})
       select ${columns.map(valueOf).join(', ')} from generate_series(1, ${ROWS}) i`,
    )
  await client.query('analyze')
  return new Set(rows.map(({ table }) => table))
}

describe('the plan of every statement on large tables', async () => {
  const t = await openTestApp({ own: true })
  const client = new pg.Client({ connectionString: t.ownerUrl, options: LARGE })
  const plans: { name: string; steps: Plan[] }[] = []
  let indexes: { index: string; table: string; isUnique: boolean }[] = []
  let growing = new Set<string>()

  before(async () => {
    await loadAllStatements()
    await client.connect()
    growing = await fill(client)
    const found = await client.query<(typeof indexes)[number]>(
      `select indexrelid::regclass::text as index, indrelid::regclass::text as table, indisunique as "isUnique"
         from pg_index`,
    )
    indexes = found.rows
    const tableOf = new Map(indexes.map(({ index, table }) => [index, table]))
    // Those of tests that ran in this process before are named `test_…` or not at all.
    // Statements of the commands that walk all sealed rows are made only where these are loaded.
    const own = madeStatements().filter(({ name }) => !/^$|^test_|^sealed_/.test(name))
    for (const { name, text } of own) {
      const { rows } = await client.query(`explain (generic_plan, format json) ${text}`)
      const steps = stepsOf(rows[0]['QUERY PLAN'][0].Plan)
      plans.push({
        name,
        steps: steps.map((step) => ({
          ...step,
          table: step['Relation Name'] ?? tableOf.get(step['Index Name'] ?? ''),
        })),
      })
    }
  })
  after(() => client.end())

  const isGrowing = ({ table }: Plan) => table !== undefined && growing.has(table)
  const found = (isMeant: (step: Plan) => boolean) =>
    plans.flatMap(({ name, steps }) =>
      steps.filter((step) => isMeant(step) && isGrowing(step)).map((step) => `${name}: ${step.table}`),
    )

  it('is known', () => assert(plans.length > 250, `${plans.length} statements`))

  it('scans no growing table, unless listed with a reason', () => {
    const scans = found((step) => step['Node Type'] === 'Seq Scan')
    const walks = found((step) => step['Node Type'].startsWith('Index') && step['Index Cond'] === undefined)
    const lines = new Set([...scans, ...walks])
    const nameOf = (line: string) => line.split(':')[0] as string
    assert.deepEqual(
      [...lines].filter((line) => !(nameOf(line) in WALKS)),
      [],
    )
    assert.deepEqual(
      Object.keys(WALKS).filter((name) => ![...lines].some((line) => nameOf(line) === name)),
      [],
      'listed in vain',
    )
  })

  it('sorts no more of a growing table than a page, unless listed with a reason', () => {
    const readsGrowing = (sort: Plan) => stepsOf(sort).some((below) => growing.has(below['Relation Name'] ?? ''))
    const sorts = plans.flatMap(({ name, steps }) =>
      steps
        .filter((step) => step['Node Type'] === 'Sort' && step['Plan Rows'] > PAGE && readsGrowing(step))
        .map(() => name),
    )
    assert.deepEqual([...new Set(sorts)].toSorted(), Object.keys(SORTS))
  })

  /** Where the index is missing the planner takes another one, and reads rows that are in none of the pages. */
  it('reads each list across users from the index that has its name', () => {
    // The work of one person is read from who works on what, which `list-plans` holds.
    const lists = plans.filter(({ name }) => /_(?:changed|listed_due)(?:_of_(?!assignee)\w+)?$/.test(name))
    assert(lists.length > 15, `${lists.length} lists`)
    const others = lists.flatMap(({ name, steps }) => {
      // Several benefits are read from the index of one; a CSV reads wider pages.
      const index = name.replace(/(?:s_\d+)?(?:_on_shards)?(?:_wide)?$/, '')
      const isJoined = ({ table }: Plan) => table === 'users' || table === 'policy_assignees'
      const isOther = (step: Plan) => isGrowing(step) && !isJoined(step) && step['Index Name'] !== index
      return steps.filter(isOther).map((step) => `${name}: ${step['Node Type']} ${step['Index Name'] ?? step.table}`)
    })
    assert.deepEqual(others, [])
  })

  it('uses every index that keeps nothing unique', () => {
    const used = new Set(plans.flatMap(({ steps }) => steps.map((step) => step['Index Name'])))
    const unused = indexes.filter(({ index, table, isUnique }) => growing.has(table) && !isUnique && !used.has(index))
    assert.deepEqual(
      unused.map(({ index }) => index),
      [],
    )
  })

  /** Statistics of an empty table make a join quadratic, and a purge empties tables. */
  it('joins nothing where a purge reads growing tables', () => {
    const purges = plans.filter(({ name, steps }) => name.endsWith('_purge') && steps.some(isGrowing))
    assert(purges.length > 8, `${purges.length} purges`)
    const joins = purges.filter(({ steps }) => steps.some((step) => /Join|Loop/.test(step['Node Type'])))
    assert.deepEqual(
      joins.map(({ name }) => name),
      ['webhook_endpoints_purge'], // few endpoints, each with one lookup
    )
  })
})
