import assert from 'node:assert/strict'
import pg from 'pg'
import type { Database, Step } from '../../src/kernel/db/database.ts'
import type { CallFunction, TestApp } from './app.ts'

/** The statements of a call, as sent by a process that shares no statements unless `batching` says so. */
export async function sentBy(
  { batching = false, ...t }: Pick<TestApp, 'openNode'> & { batching?: boolean },
  ...call: Parameters<CallFunction>
): Promise<Step[]> {
  const sent: Step[] = []
  const watched = (db: Database): Database => ({
    ...db,
    query: (statement, values = []) => (sent.push({ statement, values }), db.query(statement, values)),
  })
  const node = await t.openNode({ batching, watched })
  const { status, text } = await node.call(...call)
  assert.equal(status, 200, text)
  return sent
}

type PlanNode = {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** The rows of a table that a statement reads, including those it then leaves out, with its values planned in and without. */
export async function rowsRead(url: string, { statement, values }: Step, table: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=banyan' })
  await client.connect()
  const read = ({ Plans = [], ...node }: PlanNode): number =>
    Plans.reduce((sum, below) => sum + read(below), 0) +
    (node['Relation Name'] === table
      ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      : 0)
  try {
    const counts: number[] = []
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`set plan_cache_mode = ${mode}`)
      const { rows } = await client.query(`explain (analyze, format json) ${statement.text}`, [...values])
      counts.push(Math.round(read(rows[0]['QUERY PLAN'][0].Plan))) // averages of the loops have two digits
    }
    return counts
  } finally {
    await client.end()
  }
}

/**
 * The plans of a statement, with its values and without, where some strategies are a last resort, such as a sequential
 * scan: they are in the plans where there is no suitable index.
 */
export async function plansOf(url: string, { statement, values }: Step, lastResort = ['seqscan']): Promise<string[]> {
  const settings = ['search_path=banyan', ...lastResort.map((way) => `enable_${way}=off`)]
  const client = new pg.Client({ connectionString: url, options: settings.map((one) => `-c ${one}`).join(' ') })
  await client.connect()
  try {
    const plans: string[] = []
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`set plan_cache_mode = ${mode}`)
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${statement.text}`, [...values])
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    }
    return plans
  } finally {
    await client.end()
  }
}
