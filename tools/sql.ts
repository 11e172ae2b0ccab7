import { format } from 'sql-formatter'
import { madeStatements } from '../src/kernel/db/database.ts'

/**
 * Prints the statements whose names begin with the argument, as they are sent: `npm run sql -- ledger_book` shows a write
 * for one call, for many (`_many`), and with an idempotency key (`_keyed`).
 */
await Promise.all([import('../src/app.ts'), import('../src/worker.ts')])

process.stdout.on('error', () => {}) // a reader such as `head` closes the pipe early

const [prefix] = process.argv.slice(2)
const found = prefix ? madeStatements().filter(({ name }) => name.startsWith(prefix)) : []
for (const { name, text } of found) {
  process.stdout.write(`-- ${name}\n${format(text, { language: 'postgresql', keywordCase: 'lower' })}\n\n`)
}
if (found.length === 0) {
  const names = madeStatements().map(({ name }) => name)
  process.stderr.write(`usage: npm run sql -- <beginning of a name>\n\n${names.toSorted().join('\n')}\n`)
  process.exitCode = 2
}
