import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { checkPooler } from '../../src/kernel/db/pooler.ts'
import { cloneDatabase } from '../support/database.ts'

const t = await cloneDatabase()
after(t.close)

describe('the check for a pooler', () => {
  it('passes PostgreSQL itself, also a database that only reads and a role with settings of its own, and leaves no connection', async () => {
    const [row] = await t.sql<{ name: string }>('select current_database() as name')
    const sessions = async () =>
      (
        await t.sql(
          `select pid from pg_stat_activity where datname = $1 and query like '%pooler%' and pid <> pg_backend_pid()`,
          [row?.name],
        )
      ).length
    assert.deepEqual(await checkPooler(t.appUrl), { isPooled: false })
    await t.sql(`alter database ${row?.name} set default_transaction_read_only = on`)
    await t.sql(`alter database ${row?.name} set DateStyle = 'German'`)
    try {
      assert.deepEqual(await checkPooler(t.appUrl), { isPooled: false })
    } finally {
      await t.sql('set default_transaction_read_only = off')
      await t.sql(`alter database ${row?.name} reset all`)
    }
    assert.equal(await sessions(), 0)
  })
})
