import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import pg from 'pg'
import { checkKeys } from '../../src/access/key-fingerprints.ts'
import { rotateHashKey } from '../../src/domains/users/hash-keys-store.ts'
import { openVault } from '../../src/kernel/crypto/vault.ts'
import { rehashAll } from '../../src/rehash.ts'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp({ own: true })
const platform = await t.platform()
const { masterKeys, hashKeys } = t.keys
const keys = { masterKeys, hashKeys: [Buffer.alloc(32, 79), hashKeys[0]] as const }
const vault = openVault(keys)

const newUser = async () => {
  const body = { phone_country_code: '+91', phone_number: String(randomInt(1e9, 1e10)) }
  return (await t.made('POST', '/v1/auth/token', { token: platform.token, body })).user_id as string
}

/** Rotates while somebody writes this user; `afterPass` is told how many passes have ended. */
async function rotateBeside(userId: string, afterPass: (passes: number, writer: pg.Client) => Promise<unknown>) {
  const writer = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
  await writer.connect()
  try {
    await writer.query('begin')
    await writer.query('update users set revision = revision + 1 where user_id = $1', [userId])
    let passes = 0
    const [, former] = await rotateHashKey({ db: t.db, keys }, async () => {
      await rehashAll({ db: t.db, vault }, () => {})
      await afterPass(++passes, writer)
    })
    return { former, passes }
  } finally {
    await writer.end()
  }
}

describe('`keys rotate` beside somebody who writes a user', () => {
  it('ends, says that one is left, and keeps the older key while the user stays held', async () => {
    const userId = await newUser()
    await newUser()
    for (const known of [t.keys, keys]) await checkKeys(t.db, known)
    const { former, passes } = await rotateBeside(userId, async () => {})
    assert.deepEqual([former?.needed.phones, former?.retired], [1, false])
    assert(passes > 1 && passes < 100, `${passes} passes`)
  })

  it('comes back to the user in the same call, and then needs the older key no more', async () => {
    const userId = await newUser()
    const { former, passes } = await rotateBeside(userId, async (pass, writer) => pass === 1 && writer.query('commit'))
    assert.deepEqual([former?.total, former?.retired, passes], [0, true, 2])
    const [row] = await t.sql('select hash_key from user_phones where user_id = $1', [userId])
    assert.equal(row?.['hash_key'], vault.hashKey)
  })
})
