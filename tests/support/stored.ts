import type { TestApp } from './app.ts'

/** Every row of every table as text, including the job queue's: what somebody who steals the database can read. */
export async function everythingStored({ sql }: Pick<TestApp, 'sql'>): Promise<string> {
  const tables = await sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('banyan', 'pgboss')`,
  )
  const texts = await Promise.all(
    tables.map(({ name }) => sql<{ text: string | null }>(`select string_agg(t::text, e'\n') as text from ${name} t`)),
  )
  const stored = texts.map(([row]) => row?.text ?? '').join('\n')
  return stored.replaceAll(/\d\d:\d\d:\d\d\.\d+/g, '') // a fraction of a second is six digits by chance
}

/** Whether a text has this word of letters and digits, not as a part of another: six digits are in a hash by chance. */
export const hasWord = (text: string, word: string): boolean =>
  new RegExp(`(?<![0-9A-Za-z])(\\\\x)?${word}(?![0-9A-Za-z])`).test(text)
