import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import pg from 'pg'
import { checkKeys } from '../../../src/access/key-fingerprints.ts'
import { rotateHashKey } from '../../../src/domains/people/users/hash-keys-store.ts'
import { createVault, type VaultKeys } from '../../../src/kernel/crypto/vault.ts'
import type { Queryable } from '../../../src/kernel/db/database.ts'
import { rehashAll } from '../../../src/boot/rehash.ts'
import { openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })
const platform = await t.platform()
const { masterKeys } = t.keys
/** The first count is before the first pass. */
const AFTER_FIRST_PASS = 2

let current = t.keys.hashKeys[0]

/** A user who is found by the current key, and the keys of a server that has started with another one in front. */
async function prepare(): Promise<{ userId: string; keys: VaultKeys }> {
  const before: VaultKeys = { masterKeys, hashKeys: [current] }
  await checkKeys(t.db, before)
  const node = await t.openNode({ vault: createVault(before) })
  const body = { phone_country_code: '+91', phone_number: String(randomInt(1e9, 1e10)) }
  const { status, body: user } = await node.call('POST', '/v1/auth/token', { token: platform.token, body })
  assert.equal(status, 200)
  const fresh = randomBytes(32)
  const keys: VaultKeys = { masterKeys, hashKeys: [fresh, current] }
  await checkKeys(t.db, keys)
  current = fresh
  return { userId: user.user_id, keys }
}

const rehash = (keys: VaultKeys) => rehashAll({ db: t.db, vault: createVault(keys) }, () => {})

/** Rotates while somebody writes a user; `afterCount` is called each time when it has been counted what is left. */
async function rotateDuringWrites(
  afterCount: (counts: number, writer: pg.Client, keys: VaultKeys) => Promise<unknown> | undefined,
) {
  const { userId, keys } = await prepare()
  const writer = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
  await writer.connect()
  try {
    await writer.query('begin')
    await writer.query('update users set revision = revision + 1 where user_id = $1', [userId])
    let [counts, passes] = [0, 0]
    const db: Queryable = {
      query: async <Row>(...[step, values]: Parameters<Queryable['query']>) => {
        const rows = await t.db.query<Row>(step, values)
        if (step.name === 'hash_keys_count') await afterCount(++counts, writer, keys)
        return rows
      },
    }
    const [, former] = await rotateHashKey({ db, keys }, () => (passes++, rehash(keys)))
    const [row] = await t.sql<{ hash_key: string }>('select hash_key from user_phones where user_id = $1', [userId])
    return { former, passes, isMoved: row?.hash_key === createVault(keys).hashKey }
  } finally {
    await writer.end()
  }
}

describe('`keys rotate` while somebody writes a user', () => {
  it('comes back to the user in the same call, and needs the older key no more', async () => {
    const { former, passes, isMoved } = await rotateDuringWrites((counts, writer) =>
      counts === AFTER_FIRST_PASS ? writer.query('commit') : undefined,
    )
    assert.deepEqual([former?.total, former?.retired, passes, isMoved], [0, true, 2, true])
  })

  it('does not say that nothing is left without retiring the key, when the user is moved while it counts', async () => {
    const { former, isMoved } = await rotateDuringWrites(async (counts, writer, keys) => {
      if (counts !== AFTER_FIRST_PASS) return
      await writer.query('commit')
      await rehash(keys) // as another call of the command does
    })
    assert.deepEqual([former?.total, former?.retired, isMoved], [0, true, true])
  })

  it('ends while the user stays held, says that one is left, and keeps the older key', async () => {
    const { former, passes, isMoved } = await rotateDuringWrites(() => undefined)
    assert.deepEqual([former?.needed.phones, former?.retired, isMoved], [1, false, false])
    assert(passes > 1 && passes < 100, `${passes} passes`)
  })
})
