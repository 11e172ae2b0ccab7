import pg from 'pg'
import type { SeenStatement } from '../support/cluster.ts'
import { EXCEPTIONS, IN_STEPS, OF_ALL, OF_SEVERAL } from './exceptions.ts'

/** How a cluster runs a statement, from the plan that it shows. */
export type Spread =
  | 'coordinator'
  | 'one shard'
  | 'one shard per table'
  | 'through the coordinator'
  | 'several shards'
  | 'several shards, several times'

export type Explained = { name: string; spread: Spread } | { name: string; error: string }

const TIMEOUT_MS = 15_000

/** Pure. */
export function spreadOf(plan: string): Spread {
  const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count))
  const wide = tasks.filter((count) => count > 1).length
  if (wide > 0) return wide > 1 ? 'several shards, several times' : 'several shards'
  if (/Citus INSERT \.\.\. SELECT/.test(plan)) return 'through the coordinator'
  if (tasks.length === 0) return 'coordinator'
  return tasks.length === 1 ? 'one shard' : 'one shard per table'
}

/** Has the cluster plan each statement, in a transaction that is rolled back. */
export async function explainAll(url: string, statements: readonly SeenStatement[]): Promise<Explained[]> {
  const options = `-c search_path=banyan -c timezone=UTC -c statement_timeout=${TIMEOUT_MS}`
  const client = new pg.Client({ connectionString: url, options })
  await client.connect()
  try {
    const explained: Explained[] = []
    for (const one of statements) explained.push(await explain(client, one))
    return explained
  } finally {
    await client.end()
  }
}

async function explain(client: pg.Client, { name, text, values }: SeenStatement): Promise<Explained> {
  await client.query('begin')
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
    return { name, spread: spreadOf(rows.map((row) => row['QUERY PLAN']).join('\n')) }
  } catch (error) {
    return { name, error: (error as Error).message }
  } finally {
    await client.query('rollback')
  }
}

/** Statements that one caller's request must not send so: to several shards without a reason, or refused, or never on a cluster. */
export function offencesOf(explained: readonly Explained[]): string[] {
  const reasonFor = (name: string) =>
    EXCEPTIONS.user[name.replace(/_keyed$/, '')] ?? EXCEPTIONS.together[name] ?? OF_SEVERAL[name]
  const lines = explained.flatMap((one) => {
    if ('error' in one) return [`${one.name} cannot be planned: ${one.error}`]
    if (reasonFor(one.name) === IN_STEPS) return [`${one.name} is ${IN_STEPS}, and was sent`]
    const isListed = reasonFor(one.name) !== undefined
    if (one.spread.startsWith('several shards') && !isListed)
      return [`${one.name} goes to several shards, and no reason is listed`]
    const isRepeated = one.spread === 'several shards, several times' && reasonFor(one.name) === OF_ALL
    return isRepeated && (EXCEPTIONS.once[one.name] ?? OF_SEVERAL[one.name]) === undefined
      ? [`${one.name} is several statements on each shard, and no reason is listed`]
      : []
  })
  return [...new Set(lines)]
}

/** Each kind of plan with the statements that have it; a statement is counted by the widest of its plans. */
export function tableOf(explained: readonly Explained[]): string {
  const order: Spread[] = [
    'coordinator',
    'one shard',
    'one shard per table',
    'through the coordinator',
    'several shards',
    'several shards, several times',
  ]
  const widest = new Map<string, Spread>()
  for (const one of explained) {
    if ('error' in one) continue
    const before = widest.get(one.name)
    if (before === undefined || order.indexOf(one.spread) > order.indexOf(before)) widest.set(one.name, one.spread)
  }
  return order
    .map((spread) => {
      const names = [...widest].filter(([, is]) => is === spread).map(([name]) => name)
      const listed = order.indexOf(spread) > order.indexOf('one shard per table') ? names.toSorted() : []
      return [`${String(names.length).padStart(5)}  ${spread}`, ...listed.map((name) => `         ${name}`)].join('\n')
    })
    .join('\n')
}
