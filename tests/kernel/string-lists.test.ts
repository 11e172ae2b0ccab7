import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { batchedRead } from '../../src/kernel/batching/batched-read.ts'
import { connectDatabase, onlyRow, statement } from '../../src/kernel/db/database.ts'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
const db = connectDatabase({ url: database.appUrl, poolSize: 1, batching: true, onLostConnection: () => {} })
after(async () => {
  await db.close()
  await database.close()
})

const ECHO = statement('test_echo', 'select $1::text[] as list')

const LISTS: Record<string, (string | null)[]> = {
  'no text': [],
  'an empty text': [''],
  ids: ['dep_06bnv3m2r8f1s4k7q9t3v6w0y2', 'dep_06bnv3m2r8f1s4k7q9t3v6w0y3'],
  'one id': ['dep_06bnv3m2r8f1s4k7q9t3v6w0y2'],
  'commas and braces': ['a,b', '{c}', ',', '{}'],
  'quotes and escapes': ['"', '\\', '\\"', "'", '\\\\N'],
  blanks: [' ', 'a b', '\t', '\n'],
  'null, and the word for it': [null, 'NULL', 'null', 'Nullify'],
  'other scripts': ['आशा', '🏥', 'é'],
}

for (const [what, list] of Object.entries(LISTS)) {
  it(`a stored list of strings is read back unchanged: ${what}`, async () => {
    assert.deepEqual(onlyRow(await db.query<{ list: unknown }>(ECHO, [list])).list, list)
  })
}

const SHARED_ECHO = batchedRead<{ list: unknown }>({
  name: 'test_shared_echo',
  parameters: 'list text[]',
  text: (calls, list) => `select c.n, ${list} as list from ${calls}`,
})

it('calls that share a statement each get their own list unchanged, alone and together', async () => {
  const lists = [...Object.values(LISTS).filter((list) => !list.includes(null)), null]
  const alone = []
  for (const list of lists) alone.push(onlyRow(await SHARED_ECHO(db, [list])).list)
  const together = await Promise.all(lists.map((list) => SHARED_ECHO(db, [list])))
  assert.deepEqual(alone, lists)
  assert.deepEqual(
    together.map((rows) => onlyRow(rows).list),
    lists,
  )
})
