import assert from 'node:assert/strict'
import { createSecretKey, hkdfSync } from 'node:crypto'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { walkSealedRows } from '../../../src/access/sealed-rows.ts'
import { type DataKey, seal, unseal } from '../../../src/kernel/crypto/vault.ts'
import { connectDatabase } from '../../../src/kernel/db/database.ts'
import { SEALED_ROWS } from '../../../src/data-map/formats.ts'
import { openTestApp } from '../../support/app.ts'
import { issueToFamily, type PolicyScene, setPolicyStatusTo } from '../../support/issued-policies.ts'
import { openedReasons } from '../../support/reasons.ts'

const t = await openTestApp({ own: true })
/** The command's: the service may not change histories and snapshots. */
const owner = connectDatabase({ url: t.ownerUrl, poolSize: 2, batching: false, onLostConnection: () => {} })
after(owner.close)

/** What an earlier version bound the values of a column to, by their rows. */
type Former = { table: string; column?: string; owner?: string; key: string[]; present: string; former: string }

const FORMER: readonly Former[] = [
  {
    table: 'policy_snapshots',
    key: ['user_id', 'policy_id', 'issue'],
    present: 'policy_snapshots:{user_id}:{policy_id}:{issue}',
    former: 'policy_facts:{user_id}:{policy_id}:{issue}',
  },
  {
    table: 'consultation_messages',
    key: ['user_id', 'consultation_id', 'message_id'],
    present: 'consultation_messages:{user_id}:{consultation_id}:{message_id}',
    former: 'consultation_messages:{user_id}:{message_id}',
  },
  {
    table: 'user_status_changes',
    column: 'reason',
    key: ['user_id', 'entity_id', 'change_id'],
    present: 'user_status_changes:{user_id}:{entity_id}:{change_id}',
    former: 'status_changes:{entity_id}',
  },
  {
    table: 'catalogue_status_changes',
    column: 'reason',
    owner: 'sponsors o on o.sponsor_id = t.entity_id',
    key: ['entity_id', 'change_id'],
    present: 'catalogue_status_changes:{entity_id}:{change_id}',
    former: 'status_changes:{entity_id}',
  },
  ...['secret', 'previous_secret'].map((column) => ({
    table: 'webhook_endpoints',
    column,
    owner: 'webhook_endpoints o using (endpoint_id)',
    key: ['endpoint_id'],
    present: `webhook_endpoints:{endpoint_id}:${column}`,
    former: 'webhook_endpoints:{endpoint_id}',
  })),
]

type Row = Record<string, string> & { sealed: string; data_key: string }

const filled = (name: string, row: Row) => name.replaceAll(/\{(\w+)\}/g, (_, column: string) => String(row[column]))

/** Calls `each` with every sealed value of a column, and stores what it returns. */
async function rewriteColumn(one: Former, each: (key: DataKey, row: Row) => string): Promise<number> {
  const { table, column = 'sealed', owner = 'users o using (user_id)', key } = one
  const own = key.map((name) => (owner.includes(`using (${name})`) ? name : `t.${name}`)).join(', ')
  const rows = await t.sql<Row>(
    `select ${own}, t.${column} as sealed, o.data_key from ${table} t join ${owner} where t.${column} is not null`,
  )
  for (const row of rows) {
    const where = key.map((name, index) => `${name} = $${index + 2}`).join(' and ')
    const values = [each(t.deps.vault.unwrap(row.data_key), row), ...key.map((name) => row[name])]
    await t.sql(`update ${table} set ${column} = $1 where ${where}`, values)
  }
  return rows.length
}

/** Stores every value as the earlier version did. */
async function makeFormer(): Promise<void> {
  await resealAll() // those of the tests before
  for (const one of FORMER) {
    const count = await rewriteColumn(one, (key, row) =>
      seal(key, filled(one.former, row), unseal(key, filled(one.present, row), row.sealed)),
    )
    assert(count > 0, one.table)
  }
}

/** Opens every value in its present format alone. */
async function assertPresent(): Promise<void> {
  for (const one of FORMER) {
    await rewriteColumn(one, (key, row) => {
      unseal(key, filled(one.present, row), row.sealed)
      return row.sealed
    })
  }
}

const KINDS = ['enrollment_form', 'policy_certificate', 'customer_information_sheet', 'health_card/self']

/** A family with every record that was stored in a former format. */
async function prepareScene() {
  const at = await issueToFamily(t, {}, { reason: 'All is well' })
  const user = `/v1/users/${at.user.id}`
  const consultation = await t.consultation(at.platform, at.user, at.provider)
  const messages = `${user}/consultations/${consultation}/messages`
  for (const content of ['Hello', 'Good morning'])
    await t.made('POST', messages, { token: at.user.token, body: { body: { content, message_type: 'TEXT' } } })
  const sponsor = await t.sponsor(at.platform)
  const inactive = { status: 'INACTIVE', reason: 'No longer a customer' }
  await t.made('PUT', `/v1/sponsors/${sponsor}/status`, { token: t.owner, body: inactive })
  const { id } = await t.made('POST', '/v1/webhook_endpoints', {
    token: at.platform.token,
    body: { url: 'https://partner.example/banyan', event_types: ['*'] },
  })
  await t.made('POST', `/v1/webhook_endpoints/${id}/rotate_secret`, { token: at.platform.token })
  return { at, user, messages, sponsor }
}

/** Reads everything that these records show. */
async function readAll({ at, user, messages, sponsor }: Awaited<ReturnType<typeof prepareScene>>) {
  const { token } = at.platform
  const urls = [messages, `${at.address}/timeline`, at.address, `${user}/insurance_policies`]
  const documents = await Promise.all(KINDS.map((kind) => t.call('GET', `${at.documents}/${kind}`, { token })))
  const records = await Promise.all(urls.map((url) => t.call('GET', url, { token })))
  const exported = await t.call('GET', `${user}/export`, { token })
  for (const { status, text } of [...documents, ...records, exported]) assert.equal(status, 200, text)
  const { exported_at: _, access_log: __, ...person } = exported.body
  return {
    etags: documents.map(({ headers }) => headers['etag']),
    records: records.map(({ body }) => body),
    person,
    reasons: await openedReasons(t, sponsor),
  }
}

describe('records of an earlier version', () => {
  it('are read by every operation as before: documents, messages, timeline, export', async () => {
    const scene = await prepareScene()
    const before = await readAll(scene)
    const failures = await unreadableCount()
    await makeFormer()
    assert.deepEqual(await readAll(scene), before)
    assert.equal(await unreadableCount(), failures, 'none is counted as unreadable')
    await reissue(scene.at)
  })

  it('are resealed while the service runs, a row that is locked or changed meanwhile too', async () => {
    const scene = await prepareScene()
    const before = await readAll(scene)
    await makeFormer()
    const [locked] = await t.sql<{ message_id: string }>(
      'select min(message_id) as message_id from consultation_messages',
    )
    const writer = new pg.Client({ connectionString: t.ownerUrl, options: '-c search_path=banyan' })
    await writer.connect()
    await writer.query('begin')
    await writer.query('select 1 from consultation_messages where message_id = $1 for update', [locked?.message_id])
    const { checked, left, unreadable } = await reseal('consultation_messages.sealed', { retries: 1 })
    await writer.end()
    assert.deepEqual({ left, unreadable }, { left: 1, unreadable: [] })
    assert(checked >= 2)
    await resealAll()
    await assertPresent()
    assert.deepEqual(await readAll(scene), before)
  })

  it('a run that was stopped in the middle is continued', async () => {
    await prepareScene()
    await makeFormer()
    const stopped = new Error('stopped')
    const column = 'consultation_messages.sealed'
    let batches = 0
    const onProgress = () => {
      if (++batches === 3) throw stopped
    }
    await assert.rejects(reseal(column, { rowsAtOnce: 1, onProgress }), stopped)
    const { resealed, left, checked, rows } = await reseal(column)
    assert.deepEqual([resealed, left, checked], [rows - 3, 0, rows], 'three were finished before')
    assert((await reseal(column)).resealed === 0, 'nothing is left to do')
  })

  it('the response of a booking is replayed, not booked twice', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform)
    await t.wallet(platform, user)
    const url = `/v1/users/${user.id}/wallet/credits`
    const booking = { amount: 500, reference: 'booking-1' }
    const credit = (body: object) =>
      t.call('POST', url, { token: platform.token, body, headers: { 'idempotency-key': 'key-1' } })
    const first = await credit(booking)
    assert.equal(first.status, 201)
    const hash = t.deps.vault.blindIndex('idempotency_key', `platform:${platform.id}\0creditWallet\0key-1`)
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', 'key-1', '', 'idempotent answer', 32)))
    const sealed = seal(key, `idempotency_keys:${hash.toString('base64')}`, first.body)
    await t.sql('update idempotency_keys set key_hash = $1, sealed = $2 where user_id = $3', [hash, sealed, user.id])

    const again = await credit(booking)
    assert.deepEqual([again.status, again.body], [201, first.body])
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal((await credit({ ...booking, amount: 600 })).body.code, 'idempotency_key_reused')
    const { body: wallet } = await t.call('GET', `/v1/users/${user.id}/wallet/transactions`, { token: platform.token })
    assert.equal(wallet.total, 1)
  })
})

/** Issues a policy again, which compares it with its last snapshot. */
async function reissue(at: PolicyScene): Promise<void> {
  await setPolicyStatusTo(t, at, ['REQUIRES_POLICY_REISSUANCE', 'ISSUED'])
}

const unreadableCount = async () => Number(/^sealed_values_unreadable_total (\d+)$/m.exec(await t.metrics.page())?.[1])

async function resealAll(): Promise<void> {
  for (const { column, formats } of SEALED_ROWS) if (formats > 1) assert.equal((await reseal(column)).left, 0, column)
}

type Settings = Partial<Parameters<typeof walkSealedRows>[2]>

function reseal(column: string, settings: Settings = {}) {
  const rows = SEALED_ROWS.find((one) => one.column === column)
  assert(rows, column)
  return walkSealedRows({ db: owner, vault: t.deps.vault }, rows, { reseals: true, onProgress: () => {}, ...settings })
}
