import assert from 'node:assert/strict'
import { readText } from '../support/sources.ts'

/** Runs lines of docs/operators/install.md as an operator does. */
export async function runDocumented(
  postgres: { query: (text: string) => Promise<void> },
  first: RegExp,
): Promise<void> {
  const blocks = [...readText('docs/operators/install.md').matchAll(/```sql\n([^`]+)```/g)].map(([, text = '']) => text)
  const [text] = blocks.filter((block) => first.test(block))
  assert(text !== undefined, `install.md has ${first}`)
  for (const line of text.trim().split('\n')) await postgres.query(line)
}
