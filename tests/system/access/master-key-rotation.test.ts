import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { checkKeys } from '../../../src/access/key-fingerprints.ts'
import { masterKeyStatus, rotateMasterKeys } from '../../../src/access/data-keys.ts'
import { createVault, type VaultKeys } from '../../../src/kernel/crypto/vault.ts'
import { isCluster } from '../../../src/kernel/cluster/cluster.ts'
import type { Queryable } from '../../../src/kernel/db/database.ts'
import { StartError } from '../../../src/kernel/start-error.ts'
import { openTestApp } from '../../support/app.ts'
import { CSV } from '../../support/imports.ts'

const t = await openTestApp({ own: true })
await checkKeys(t.db, t.keys)
/** A cluster refuses the statement for many rows. */
const isDistributed = await isCluster(t.db)

let count = 2
const nextId = () => `m${++count}`
const hashKeys = t.keys.hashKeys
let masterKeys = t.keys.masterKeys // The servers' current keys; each test prepends a new one.

/** Prepends a new master key, as a server that starts with it does. */
async function startWithNewKey(): Promise<{ id: string; before: string; keys: VaultKeys }> {
  const before = masterKeys[0]?.id as string
  const id = nextId()
  masterKeys = [{ id, key: Buffer.alloc(32, count) }, ...masterKeys]
  const keys = { hashKeys, masterKeys }
  await checkKeys(t.db, keys)
  return { id, before, keys }
}

const rotate = (keys: VaultKeys, db: Queryable = t.db, onProgress: (done: number, all: number) => void = () => {}) =>
  rotateMasterKeys({ db, keys, vault: createVault(keys) }, onProgress)

const idsInUse = async () =>
  (
    await t.sql<{ id: string }>(
      `select distinct split_part(data_key, '.', 1) as id
         from (select data_key from users union all select data_key from sponsors
               union all select data_key from webhook_endpoints union all select data_key from administrators
               union all select data_key from audit_archives
               union all select data_key from imports) k
        where data_key is not null`,
    )
  ).map(({ id }) => id)

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => '',
    (error: unknown) => {
      assert(error instanceof StartError, String(error))
      return error.message
    },
  )

const platform = await t.platform()

/** Bulk users; only their data keys are checked. */
async function manyUsers(number: number, { from = 0 } = {}): Promise<void> {
  const { wrapped } = createVault({ hashKeys, masterKeys }).newDataKey()
  await t.sql(
    `insert into users (user_id, platform_id, data_key, sealed, profile_digest, phone_hash)
     select '1' || lpad(n::text, 11, '0'), $1, $2, '', '', '' from generate_series($3::int + 1, $3::int + $4::int) n`,
    [platform.id, wrapped, from, number],
  )
}

describe('master key rotation', () => {
  it('rewraps every data key, after which the new master key alone reads the data, and the old one is retired', async () => {
    const columns = await t.sql<{ table_name: string }>(
      `select table_name from information_schema.columns where table_schema = 'banyan' and column_name = 'data_key'`,
    )
    const tables = ['administrators', 'audit_archives', 'imports', 'sponsors', 'users', 'webhook_endpoints']
    assert.deepEqual(columns.map((column) => column.table_name).toSorted(), tables, 'what is wrapped again below')
    const user = await t.onboardedUser(platform)
    const sponsor = await t.sponsor(platform)
    await t.made('POST', '/v1/webhook_endpoints', {
      token: platform.token,
      body: { url: 'https://partner.example/banyan', event_types: ['user.created'] },
    })
    await t.sql(
      `insert into audit_archives (archive_id, first_number, last_number, data_key) values ('audit/1', 1, 1, $1)`,
      [createVault({ hashKeys, masterKeys }).newDataKey().wrapped],
    )
    const list = 'phone_country_code,phone_number\r\n+91,9800000003\r\n'
    await t.made('POST', '/v1/imports?kind=users', { token: platform.token, body: list, headers: CSV })
    const { id, before, keys } = await startWithNewKey()
    const status = await rotate(keys)

    assert.deepEqual(await idsInUse(), [id])
    const newest = status.find((key) => key.first)
    assert.equal(newest?.id, id)
    assert((newest?.total ?? 0) >= 3)
    assert.equal(status.find((key) => key.id === before)?.retired, true)
    const [newestKey] = masterKeys
    assert(newestKey)
    const alone = { hashKeys, masterKeys: [newestKey] }
    await checkKeys(t.db, alone)
    const node = await t.openNode({ vault: createVault(alone) })
    const read = await node.call('GET', `/v1/users/${user.id}`, { token: platform.token })
    assert.deepEqual([read.status, read.body.first_name], [200, 'Asha'])
    assert.equal((await node.call('GET', `/v1/sponsors/${sponsor}`, { token: platform.token })).status, 200)
  })

  it('is rejected until a server has started with the new key, which running servers could not open', async () => {
    const keys = { hashKeys, masterKeys: [{ id: 'unseen', key: Buffer.alloc(32, 99) }, ...masterKeys] }
    const sentence =
      'No server has started with the key unseen in front of MASTER_KEYS. Start every server with it, then rotate.'
    const before = await idsInUse()
    assert.equal(await errorOf(rotate(keys)), sentence)
    assert.deepEqual(await idsInUse(), before)
  })

  it('resumes where it stopped, reports progress, and does nothing twice', async () => {
    await manyUsers(1_300)
    const { id, keys } = await startWithNewKey()
    const total = (await masterKeyStatus({ db: t.db, keys })).reduce((sum, key) => sum + key.total, 0)
    const stopped: Queryable = {
      query: (step, values) => {
        const isSecond = step.name.startsWith('data_keys_replace') && progress.length > 0
        return isSecond ? Promise.reject(new Error('killed')) : t.db.query(step, values)
      },
    }
    const progress: number[][] = []
    const onProgress = (...counts: number[]) => void progress.push(counts)
    await assert.rejects(rotate(keys, stopped, onProgress), /killed/)
    assert.deepEqual(progress, [[500, total]])
    const between = await masterKeyStatus({ db: t.db, keys })
    assert.equal(between.find((key) => key.first)?.total, 500)
    assert(between.filter((key) => !key.first).every((key) => !key.first && (key.total === 0 || !key.retired)))

    progress.length = 0
    await rotate(keys, t.db, onProgress)
    assert.deepEqual(progress.at(-1), [total - 500, total - 500], 'the rest, and nothing twice')
    assert.deepEqual(await idsInUse(), [id])
  })

  const words = 'waits for no row that somebody writes, comes back to it, and leaves alone what was destroyed meanwhile'
  if (!isDistributed) it(words, () => rotateDuringWrites({ from: 10_000, asOnCluster: false }))
  it(`on a cluster, row by row, ${words}`, () => rotateDuringWrites({ from: 20_000, asOnCluster: true }))

  async function rotateDuringWrites({ from, asOnCluster }: { from: number; asOnCluster: boolean }) {
    await manyUsers(2, { from })
    const [held, destroyed] = [`1000000${from + 1}`, `1000000${from + 2}`]
    const sent = new Set<string>()
    const { id, before, keys } = await startWithNewKey()
    const writer = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
    await writer.connect()
    after(() => writer.end()) // also when the test fails: it holds rows
    await writer.query('begin')
    await writer.query('update users set data_key = null where user_id = $1', [destroyed])
    await writer.query('update users set revision = revision + 1 where user_id = $1', [held])
    const left = async () => (await t.sql('select 1 from users where data_key like $1', [`${before}.%`])).length
    let released = false
    await rotate(keys, {
      query: async (step, values) => {
        sent.add(step.name)
        if (step.name === 'cluster_find') return t.db.query({ name: '', text: `select ${asOnCluster} as is_cluster` })
        // All other rows are done in the first pass; only then does the writer end.
        if (step.name === 'data_keys_list_users' && !released && (await left()) === 2) {
          released = true
          await writer.query('commit')
        }
        return t.db.query(step, values)
      },
    })
    assert(released, 'the others were done while two were held')
    assert.deepEqual(await idsInUse(), [id])
    const state = 'select user_id, revision, data_key is null as gone from users where user_id = any ($1)'
    const rows = await t.sql<{ user_id: string }>(state, [[held, destroyed]])
    assert.deepEqual(
      rows.toSorted((a) => (a.user_id === held ? -1 : 1)),
      [
        { user_id: held, revision: 2, gone: false },
        { user_id: destroyed, revision: 1, gone: true },
      ],
    )
    assert.deepEqual(
      ['data_keys_replace_users', 'data_keys_replace_one_of_users'].filter((name) => sent.has(name)),
      [asOnCluster ? 'data_keys_replace_one_of_users' : 'data_keys_replace_users'],
    )
  }

  it('a start without a key still in use, or with a retired one first, fails with an explanation', async () => {
    const old = masterKeys
    await manyUsers(1, { from: 30_000 })
    const { id, before, keys } = await startWithNewKey()
    const [newest] = masterKeys
    assert(newest)
    const without = { hashKeys, masterKeys: [newest] }
    const lacks = `MASTER_KEYS lacks the key ${before}, which sealed data in this database. Add it after the first key.`
    assert.equal(await errorOf(checkKeys(t.db, without)), lacks)
    assert.equal(await errorOf(rotate(without)), lacks)
    await rotate(keys)
    assert.equal(await errorOf(checkKeys(t.db, without)), '')
    const retired = `MASTER_KEYS starts with the key ${before}, which is retired. Put the newest key first, and make a new key for the next rotation.`
    assert.equal(
      await errorOf(checkKeys(t.db, { hashKeys, masterKeys: [...old] })),
      [
        retired,
        `MASTER_KEYS lacks the key ${id}, which sealed data in this database. Add it after the first key.`,
      ].join('\n'),
    )
    assert.equal(await errorOf(checkKeys(t.db, { hashKeys, masterKeys: [...old, newest] })), retired)
    assert.equal(await errorOf(checkKeys(t.db, keys)), '', 'behind the first it does no harm')
  })
})
