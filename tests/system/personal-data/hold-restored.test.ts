import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { checkKeys } from '../../../src/access/key-fingerprints.ts'
import {
  createRestoreListWriter,
  parseRestoreList,
  readRestoreList,
} from '../../../src/domains/privacy/personal-data/index.ts'
import { addDays } from '../../../src/kernel/date.ts'
import { todayIn } from '../../../src/kernel/clock.ts'
import type { Storage } from '../../../src/kernel/storage/storage.ts'
import { openTestApp } from '../../support/app.ts'
import { issueToFamily, type PolicyScene } from '../../support/issued-policies.ts'
import { VAULT_KEYS } from '../../support/keys.ts'
import { linesOf, pemOf, prepareHolds } from '../../personal-data/holds.ts'
import { rowsByTable } from '../../personal-data/scenes.ts'

const t = await openTestApp({ own: true })
const { folder, holder, banyan, until, erase, held, open, holdOf } = await prepareHolds(t)
const keyFile = join(folder, 'holder.pem')
await writeFile(keyFile, pemOf(holder.privateKey))

describe('a held erasure and a restore', () => {
  const pem = pemOf(holder.publicKey)
  const apply = (input: string, more: Record<string, string> = {}) =>
    banyan(['apply'], { ...VAULT_KEYS, DATABASE_URL: t.appUrl, ERASURE_HOLD_KEY: pem, ...more }, input)
  const tombstone = ({ user }: PolicyScene, held_until?: string) =>
    `${JSON.stringify({ user_id: user.id, erased_at: '2026-01-31T09:30:00.000Z', held_until })}\n`

  it('is listed with its last day, and holds again until that day, whatever is set now', async () => {
    const at = await issueToFamily(t)
    const last = addDays(todayIn(t.deps.clock), 20)
    for (const days of ['0', '3650']) {
      const applied = await apply(tombstone(at, last), { ERASURE_HOLD_DAYS: days })
      assert.equal(applied.code, 0, applied.err)
      assert.equal(await holdOf(at), last, 'also the second time')
    }
    const listed = await banyan(['list'], { DATABASE_URL: t.appUrl })
    assert.deepEqual(
      linesOf(listed.out).find(({ user_id }) => user_id === at.user.id),
      { user_id: at.user.id, erased_at: '2026-01-31T09:30:00.000Z', held_until: last },
    )
    assert.equal(linesOf((await open((await held(at)).out, keyFile)).out)[1].value.first_name, 'Asha')
  })

  it('holds nothing that was not held, or whose hold is over', async () => {
    const [never, over] = [await issueToFamily(t), await issueToFamily(t)]
    const yesterday = addDays(new Date().toISOString().slice(0, 10), -1)
    const applied = await apply(tombstone(never) + tombstone(over, yesterday), { ERASURE_HOLD_DAYS: '365' })
    assert.match(applied.out, /^2 erased/)
    for (const at of [never, over]) {
      assert.equal(await holdOf(at), undefined)
      assert.equal((await rowsByTable(t, at.user.id))['dependants'], 0)
    }
  })

  it('exit 2 with the keys of another database, before anybody is erased', async () => {
    await checkKeys(t.deps.db, t.keys)
    const [at, never] = [await issueToFamily(t), await issueToFamily(t)]
    const list = tombstone(never) + tombstone(at, until())
    const foreign = Buffer.alloc(32, 9).toString('base64')
    for (const [keys, said] of [
      [{ MASTER_KEYS: `m9:${foreign}` }, /^MASTER_KEYS lacks the key m2, /],
      [{ MASTER_KEYS: `m2:${foreign}` }, /^MASTER_KEYS has a different key m2 /],
      [{ HASH_KEY: foreign }, /^HASH_KEY is not the key this database was filled with\. /],
    ] as const) {
      const { code, out, err } = await apply(list, keys)
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, said)
      assert(err.endsWith('\nNothing was erased.\n'), err)
    }
    for (const one of [at, never])
      assert.equal((await t.call('GET', `/v1/users/${one.user.id}`, { token: one.platform.token })).status, 200)
    assert.equal((await apply(tombstone(never), { MASTER_KEYS: '', HASH_KEY: '' })).code, 0, 'no key without a hold')
    assert.equal((await apply(list)).code, 0)
    assert.equal(await holdOf(at), until())
  })

  it('names who was to be held and is not, because no key opens the data', async () => {
    const [lost, other] = [await issueToFamily(t), await issueToFamily(t)]
    await t.sql(`update users set data_key = 'lost.' || split_part(data_key, '.', 2) where user_id = $1`, [
      lost.user.id,
    ])
    const list = tombstone(lost, until()) + tombstone(other, until())
    const { code, out } = await apply(list)
    assert.deepEqual(
      [code, out],
      [
        0,
        `not held, because no key opens the data: user:${lost.user.id}\n2 erased, 0 erased before, 0 not in this database\n`,
      ],
    )
    assert.deepEqual([await holdOf(lost), await holdOf(other)], [undefined, until()])
  })

  it('exit 2 without the public key, before anybody is erased', async () => {
    const at = await issueToFamily(t)
    const { code, out, err } = await apply(tombstone(at, until()), { ERASURE_HOLD_KEY: '' })
    assert.deepEqual([code, out], [2, ''])
    assert.equal(err, 'The list has erasures that are held. Set ERASURE_HOLD_KEY; nothing was erased.\n')
    assert.equal((await t.call('GET', `/v1/users/${at.user.id}`, { token: at.platform.token })).status, 200)
    const broken = await apply(tombstone(at, 'soon'))
    assert.deepEqual([broken.code, broken.err.startsWith('Line 1 is not a tombstone')], [2, true])
  })

  it('stands in the list for restores', async () => {
    const files = new Map<string, string>()
    const storage: Pick<Storage, 'get' | 'put'> = {
      get: async (key) => {
        const content = files.get(key)
        return content === undefined ? undefined : Readable.from([Buffer.from(content)])
      },
      put: async (key, bytes) => {
        const chunks: Uint8Array[] = []
        for await (const chunk of bytes) chunks.push(chunk)
        files.set(key, Buffer.concat(chunks).toString())
      },
    }
    const { write } = createRestoreListWriter({ db: t.deps.db, clock: t.deps.clock, storage })
    await write()
    const [with_hold, without] = [await issueToFamily(t), await issueToFamily(t)]
    await erase(with_hold)
    await t.made('DELETE', `/v1/users/${without.user.id}?end_policies=true`, { token: without.platform.token })
    await write()
    const list = await readRestoreList(storage, todayIn(t.deps.clock))
    const { tombstones } = parseRestoreList(list ?? '')
    const of = ({ user }: PolicyScene) => tombstones.find(({ user_id }) => user_id === user.id)
    assert.equal(of(with_hold)?.held_until, until())
    assert.deepEqual(Object.keys(of(without) ?? {}), ['user_id', 'erased_at'])
  })
})
