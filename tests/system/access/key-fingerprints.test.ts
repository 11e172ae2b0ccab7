import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, describe, it } from 'node:test'
import { checkKeys } from '../../../src/access/key-fingerprints.ts'
import { toFingerprint, hashKeyId } from '../../../src/kernel/crypto/vault.ts'
import { type Database, statement } from '../../../src/kernel/db/database.ts'
import { StartError } from '../../../src/kernel/start-error.ts'
import { cloneDatabase, type TestDatabase } from '../../support/database.ts'

const opened: TestDatabase[] = []
afterEach(async () => void (await Promise.all(opened.splice(0).map((database) => database.close()))))

async function newDatabase(): Promise<TestDatabase> {
  const database = await cloneDatabase()
  opened.push(database)
  return database
}

const newKey = () => randomBytes(32)
const newHashKeys = (): [Buffer] => [newKey()]
const master = (id: string) => ({ id, key: newKey() })

/** Returns the start error with these keys; undefined when the program starts. */
const problemOf = (db: Database, keys: Parameters<typeof checkKeys>[1]) =>
  checkKeys(db, keys).then(
    () => '',
    (error: unknown) => {
      assert(error instanceof StartError, String(error))
      return error.message
    },
  )

const OTHER_HASH_KEY = 'HASH_KEY is not the key this database was filled with. Set the original key.'
const lacks = (id: string) =>
  `MASTER_KEYS lacks the key ${id}, which sealed data in this database. Add it after the first key.`
const another = (id: string) =>
  `MASTER_KEYS has a different key ${id} from the one that sealed data in this database. Give a new key a new id.`

describe('keys and the database they belong to', () => {
  it('every later start must have the keys of the first', async () => {
    const { db } = await newDatabase()
    const keys = { hashKeys: newHashKeys(), masterKeys: [master('m1')] }
    for (let start = 0; start < 3; start++) assert.equal(await problemOf(db, keys), '')
    assert.equal(await problemOf(db, { ...keys, hashKeys: newHashKeys() }), OTHER_HASH_KEY)
    assert.equal(await problemOf(db, { ...keys, masterKeys: [master('m1')] }), another('m1'))
    const neither = { hashKeys: newHashKeys(), masterKeys: [master('m1')] }
    assert.equal(await problemOf(db, neither), [OTHER_HASH_KEY, another('m1')].join('\n'))
    assert.equal(await problemOf(db, keys), '', 'who was refused has changed nothing')
  })

  it('a master key that has sealed data is still required when a new one is put first', async () => {
    const { db } = await newDatabase()
    const hashKeys = newHashKeys()
    const [m1, m2, m3] = [master('m1'), master('m2'), master('m3')]
    assert.equal(await problemOf(db, { hashKeys, masterKeys: [m1, m3] }), '')
    assert.equal(await problemOf(db, { hashKeys, masterKeys: [m1] }), '', 'm3 never sealed anything')
    assert.equal(await problemOf(db, { hashKeys, masterKeys: [m2, m1] }), '')
    assert.equal(await problemOf(db, { hashKeys, masterKeys: [m2] }), lacks('m1'))
    assert.equal(await problemOf(db, { hashKeys, masterKeys: [m1] }), lacks('m2'))
    assert.equal(await problemOf(db, { hashKeys, masterKeys: [m2, master('m1')] }), another('m1'))
    assert.equal(await problemOf(db, { hashKeys, masterKeys: [m1, m2] }), '')
  })

  it('a rejected start records no key, so that the right keys go on working', async () => {
    const { db } = await newDatabase()
    const keys = { hashKeys: newHashKeys(), masterKeys: [master('m1')] }
    assert.equal(await problemOf(db, keys), '')
    assert.equal(await problemOf(db, { ...keys, masterKeys: [master('m2')] }), lacks('m1'))
    assert.equal(
      await problemOf(db, { hashKeys: newHashKeys(), masterKeys: [master('m3')] }),
      [OTHER_HASH_KEY, lacks('m1')].join('\n'),
    )
    assert.equal(await problemOf(db, keys), '')
  })

  it('of two programs starting concurrently with different keys, one is rejected', async () => {
    const { db } = await newDatabase()
    const starts = Array.from({ length: 6 }, () => ({ hashKeys: newHashKeys(), masterKeys: [master('m1')] }))
    const problems = await Promise.all(starts.map((keys) => problemOf(db, keys)))
    assert.equal(problems.filter((problem) => problem === '').length, 1)
  })

  it('of several concurrent first starts with differently named master keys, one wins and keeps working', async () => {
    const hashKeys = newHashKeys()
    for (const hashKeysOf of [newHashKeys, () => hashKeys]) {
      const { db } = await newDatabase()
      const starts = Array.from({ length: 6 }, (_, n) => ({ hashKeys: hashKeysOf(), masterKeys: [master(`m${n}`)] }))
      const problems = await Promise.all(starts.map((keys) => problemOf(db, keys)))
      const winner = problems.indexOf('')
      assert.equal(problems.filter((problem) => problem === '').length, 1, problems.join('\n'))
      for (const [n, keys] of starts.entries()) {
        const again = await problemOf(db, keys)
        if (n === winner) assert.equal(again, '')
        else assert(again.split('\n').includes(lacks(`m${winner}`)), again)
      }
    }
  })

  it('a filled database of a version without fingerprints does not start with a second hash key', async () => {
    const { db, sql } = await newDatabase()
    await sql(`insert into platform_access (platform_id, is_active, epoch) values ('plt_1', true, 1)`)
    const masterKeys = [master('m2'), master('m1')] // named by what they wrap
    const [old] = newHashKeys()
    for (const hashKeys of [
      [newKey(), old],
      [old, newKey()],
    ] as const)
      assert.match(await problemOf(db, { hashKeys, masterKeys }), /^HASH_KEY must be the key .*, and no other, until/)
    assert.equal(await problemOf(db, { hashKeys: [old], masterKeys }), '')
    assert.equal(await problemOf(db, { hashKeys: [newKey(), old], masterKeys }), '')
  })

  it('stored fingerprints reveal nothing of the keys, and the program can neither change nor delete them', async () => {
    const { db, sql } = await newDatabase()
    const keys = { hashKeys: newHashKeys(), masterKeys: [master('m1')] }
    await checkKeys(db, keys)
    const rows = await sql<{ key_name: string; fingerprint: Buffer }>(
      'select key_name, fingerprint from key_fingerprints',
    )
    assert.deepEqual(rows.map((row) => row.key_name).toSorted(), [
      `HASH_KEY ${hashKeyId(toFingerprint(keys.hashKeys[0]))}`,
      'MASTER_KEYS m1',
    ])
    for (const { fingerprint } of rows) {
      for (const key of [keys.hashKeys[0], keys.masterKeys[0]?.key as Buffer]) assert(!fingerprint.equals(key))
    }
    for (const text of [`update key_fingerprints set fingerprint = ''`, 'delete from key_fingerprints']) {
      await assert.rejects(db.query(statement(`test_${text.slice(0, 6)}`, text)), /permission denied/)
    }
  })
})
