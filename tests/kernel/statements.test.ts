import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { batchedRead } from '../../src/kernel/batching/batched-read.ts'
import { text } from '../../src/kernel/db/columns.ts'
import { madeStatements, statement } from '../../src/kernel/db/database.ts'
import { namedStatement } from '../../src/kernel/db/named-statement.ts'
import { linkedInsert, linkedWrite, writeStatement } from '../../src/kernel/db/write-statement.ts'
import { loadAllStatements } from '../support/all-statements.ts'

const fails = (make: () => unknown, message: string) => assert.throws(make, { message })
const isMade = (name: string) => madeStatements().some((one) => one.name === name)
const values = { id: text('note_id'), topic: text('topic') }

describe('when a module loads, a statement', () => {
  it('fails whose name another one has, and the other one stays', () => {
    const first = statement('test_notes_find', 'select 1')
    fails(() => statement('test_notes_find', 'select 2'), 'two statements are named test_notes_find')
    fails(
      () => batchedRead({ name: 'test_notes_find', parameters: 'id text', text: (calls, id) => `${calls} ${id}` }),
      'two statements are named test_notes_find',
    )
    assert(madeStatements().includes(first))
    assert.deepEqual(statement('test_notes_find', 'select 1'), first)
  })

  it('may have no name, several times: it is not prepared', () => {
    for (const one of ['select 1', 'select 2']) assert.equal(statement('', one).text, one)
  })

  it('fails that leaves out a parameter, by its number', () => {
    const message = 'the statement test_notes_list names its parameter $2 nowhere'
    fails(() => statement('test_notes_list', 'select $1, $3, $10'), message)
    assert(!isMade('test_notes_list'))
    statement('test_notes_list', 'select $2, $1, $1')
  })

  it('fails that names a value nowhere, or one that it does not have, by the names of both', () => {
    fails(
      () => namedStatement('test_notes_read', ['user_id', 'note_id'], 'select :user_id'),
      'the statement test_notes_read names its value note_id nowhere',
    )
    fails(
      () => batchedRead({ name: 'test_notes_shared', parameters: 'id text', text: (calls) => calls }),
      'the statement test_notes_shared names its value id nowhere',
    )
    fails(
      () => namedStatement('test_notes_read', ['user_id'], 'select :user_id, :note_id'),
      'the statement test_notes_read has no value note_id',
    )
  })
})

describe('when a module loads, a write', () => {
  const insert = { insert: 'notes', batchKey: 'note_id' }

  it('fails whose text forgets a value: an insert, an update, each form of a write by hand', () => {
    const message = 'the statement test_notes_write names its value topic nowhere'
    const name = 'test_notes_write'
    fails(() => writeStatement({ name, values, ...insert, columns: 'note_id' }), message)
    const update = { update: 'notes n', set: 'at = now()', key: 'n.note_id = :note_id', guard: 'true' }
    fails(() => writeStatement({ name, values, ...update }), message)
    const single = 'insert into notes values (:note_id) returning 1 as n'
    fails(() => writeStatement({ name, values, single }), message)
    assert(!isMade(name))
    const both = 'insert into notes values (:note_id, :topic) returning 1 as n'
    fails(
      () => writeStatement({ name, values, single: both, batch: 'changed as (select c.n, :note_id from calls c)' }),
      'the statement test_notes_write_many names its value topic nowhere',
    )
  })

  it('fails whose text names a value that it does not have', () => {
    fails(
      () => writeStatement({ name: 'test_notes_more', values, ...insert, columns: 'note_id, topic, colour' }),
      'the statement test_notes_more has no value colour',
    )
  })

  it('fails whose part forgets a column of its rows, which would be lost', () => {
    fails(
      () => linkedWrite(values, { name: 'into_notes', text: 'insert into notes select r.note_id from r' }),
      'the statement into_notes names its value topic nowhere',
    )
    linkedInsert('notes', values)
  })

  it('takes a value that only one of its parts names', () => {
    const part = { name: 'topics', columns: null, text: 'insert into topics values (:topic)' }
    const { single } = writeStatement({
      name: 'test_topics',
      values,
      insert: 'notes',
      columns: 'note_id',
      linked: [part],
    })
    assert.match(single.text, /values \(\$1\)[^]*values \(\$2\)/)
  })
})

describe('the statements of the program', () => {
  it('all load', async () => {
    await loadAllStatements()
    assert(madeStatements().length > 300)
  })
})
