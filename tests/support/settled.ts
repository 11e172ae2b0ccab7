import { within } from './deadline.ts'

/** Transactions of the other databases of this server count too, so it can take as long as the longest of them. */
const WITHIN_MS = 120_000

type Sql = { sql: <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]> }

/** Waits until every write in progress is committed, so that the event log shows it. */
export async function settled({ sql }: Sql): Promise<void> {
  const [now] = await sql<{ xid: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as xid')
  await within(WITHIN_MS, async () => {
    const text = 'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as is_past'
    const [horizon] = await sql<{ is_past: boolean }>(text, [now?.xid])
    return horizon?.is_past === true
  })
}
