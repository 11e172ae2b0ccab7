import type pg from 'pg'
import { copyIn } from '../src/kernel/cluster/copy-rows.ts'

/** Adds rows by `copy`, the columns being those of the first row. */
export async function copyRows(
  client: pg.Client,
  table: string,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const lines = rows.map((row) => columns.map((column) => fieldOf(row[column])).join('\t'))
  await copyIn(client, `${table} (${columns.join(', ')})`, [Buffer.from(`${lines.join('\n')}\n`)])
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  const list = (items: unknown[]) => `{${items.map((item) => JSON.stringify(item)).join(',')}}`
  const text = typeof value === 'string' ? value : Array.isArray(value) ? list(value) : JSON.stringify(value)
  return text.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character] as string)
}
