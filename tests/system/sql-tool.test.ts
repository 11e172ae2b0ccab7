import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'

const run = (name: string) => promisify(execFile)(process.execPath, ['tools/sql.ts', name])

describe('npm run sql', () => {
  it('prints every form of a write as it is sent', async () => {
    const { stdout } = await run('ledger_book')
    assert.deepEqual(
      [...stdout.matchAll(/^-- (\w+)$/gm)].map(([, name]) => name),
      ['ledger_book', 'ledger_book_many', 'ledger_book_keyed', 'ledger_book_keyed_many'],
    )
    assert.match(stdout, /update wallets w\n\s+set/)
  })

  it('lists the names when there is none such', async () => {
    await assert.rejects(run('no_such_name'), ({ code, stderr }: { code: number; stderr: string }) => {
      assert.match(stderr, /^ledger_book_keyed$/m)
      return code === 2
    })
  })
})
