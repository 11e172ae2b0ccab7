import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkKeys } from '../../../src/access/key-fingerprints.ts'
import { rehashAll } from '../../../src/boot/rehash.ts'
import { rotateHashKey } from '../../../src/domains/people/users/index.ts'
import { createVault } from '../../../src/kernel/crypto/vault.ts'
import { openTestApp } from '../../support/app.ts'
import { conflictOf } from '../../support/problems.ts'

const t = await openTestApp({ own: true })
const { masterKeys } = t.keys
const old = t.keys.hashKeys[0]
const fresh = Buffer.alloc(32, 78)

async function serverWith(...hashKeys: [Buffer, ...Buffer[]]) {
  const keys = { masterKeys, hashKeys }
  await checkKeys(t.db, keys)
  const vault = createVault(keys)
  return { vault, keys, call: (await t.openNode({ vault })).call }
}
type Server = Awaited<ReturnType<typeof serverWith>>

const before = await serverWith(old)
const prepared = await serverWith(old, fresh)
const platform = await t.platform()

const put = ({ call }: Server, { id }: { id: string }, employee_number: string | null) =>
  call('PUT', `/v1/users/${id}/reference`, { token: platform.token, body: { employee_number } })

async function found({ call }: Server, employee_number: string): Promise<string[]> {
  const { body } = await call('POST', '/v1/users/search', { token: platform.token, body: { employee_number } })
  return body.data.map(({ user_id }: { user_id: string }) => user_id)
}

describe('employee numbers while the hash key rotates', () => {
  it('are found and unique on every server, freed under each key, and need the new key alone at the end', async () => {
    const leading = await serverWith(fresh, old)
    const [asha, ravi, meera] = [await t.user(platform), await t.user(platform), await t.user(platform)]
    assert.equal((await put(before, asha, 'E1')).status, 200)
    for (const server of [before, prepared, leading]) {
      assert.deepEqual(await found(server, 'E1'), [asha.id])
      assert.equal(conflictOf(await put(server, ravi, 'e1')), `already_exists ${asha.id}`)
    }
    assert.equal((await put(leading, ravi, 'E2')).status, 200)
    assert.equal(conflictOf(await put(before, meera, 'E2')), `already_exists ${ravi.id}`)
    assert.equal((await put(before, ravi, 'E3')).status, 200, 'by a server that does not know one of the keys')
    for (const server of [prepared, leading]) assert.deepEqual(await found(server, 'E2'), [])
    assert.equal((await put(leading, meera, 'E2')).status, 200)

    const [newest, older] = await rotateHashKey({ db: t.db, keys: leading.keys }, () =>
      rehashAll({ db: t.db, vault: leading.vault }, () => {}),
    )
    assert.deepEqual([newest?.needed['employee numbers'], older?.needed['employee numbers']], [3, 0])
    const alone = await serverWith(fresh)
    for (const [number, { id }] of [
      ['E1', asha],
      ['E2', meera],
      ['E3', ravi],
    ] as const) {
      assert.deepEqual(await found(alone, number), [id])
    }
    const left = await t.sql('select 1 from user_references where hash_key <> $1', [alone.vault.hashKey])
    assert.deepEqual(left, [], 'nothing is left under the older key')
  })
})
