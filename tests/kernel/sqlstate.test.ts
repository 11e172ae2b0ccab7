import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { wasRolledBack } from '../../src/kernel/db/database.ts'
import { isNotNow } from '../../src/kernel/db/sqlstate.ts'

/** What an error means for who called: the codes of PostgreSQL 15 to 18 that a running server gives. */
const LATER = {
  'the connection failed': ['08000', '08001', '08003', '08004', '08006', '08007', '08P01'],
  'the database is read-only': ['25006'],
  'the server ended a session that lasted too long': ['25P03', '25P04', '57P05'],
  'it is unknown whether it was executed': ['40003'],
  'something ran out: disk, memory, connections': ['53000', '53100', '53200', '53300', '53400'],
  'a lock was not free, or the statement was cancelled': ['55P03', '57014'],
  'the server stops, crashed or starts': ['57P01', '57P02', '57P03', '57P04'],
  'its machine fails': ['58000', '58030', '58P01', '58P02'],
}
const NEVER = {
  'a value is out of range or malformed': ['22003', '22P02', '22P05'],
  'a row contradicts a rule': ['23502', '23503', '23505', '23514'],
  'a transaction is used wrongly': ['25001', '25P01', '25P02'],
  'a right is missing': ['42501', '28000'],
  'the statement is wrong': ['42601', '42P01', '42703', '0A000', '26000', '42P05'],
  'it is beyond a limit of the server': ['54000', '54001', '54011'],
  'an object is in the wrong state': ['55000', '55006'],
  'data are damaged, or the server has a defect': ['XX000', 'XX001', 'XX002'],
}

const failed = (code: string) => Object.assign(new pg.DatabaseError('', 0, 'error'), { code })

describe('an error of PostgreSQL', () => {
  for (const [because, codes] of Object.entries(LATER))
    it(`is a 503 when ${because}: ${codes.join(', ')}`, () => assert.deepEqual(codes.filter(isNotNow), codes))

  for (const [because, codes] of Object.entries(NEVER))
    it(`is no 503 when ${because}: ${codes.join(', ')}`, () => assert.deepEqual(codes.filter(isNotNow), []))

  it('leaves the outcome unknown only when the session ended on the way; then nothing is sent again', () => {
    const unknown = ['08006', '40003', '57P01', '57P02']
    const known = ['25006', '25P03', '25P04', '40001', '40P01', '53100', '55P03', '57014', '58030']
    assert.deepEqual(
      [...unknown, ...known].filter((code) => wasRolledBack(failed(code))),
      known,
    )
  })
})
