import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { ID_TOKEN } from '../../src/domains/administration/administrators/records.ts'
import { presentEndpoint } from '../../src/domains/integration/webhooks/records.ts'
import { signDelivery } from '../../src/domains/integration/webhooks/create-attempts.ts'
import { findEndpointOfAnybody } from '../../src/domains/integration/webhooks/store.ts'
import { toArchiveId, getArchive, putArchive } from '../../src/record/audit-archive.ts'
import { findNewestArchive, insertArchive } from '../../src/record/audit-archives-store.ts'
import { CATALOGUE_REASON } from '../../src/record/history.ts'
import { IMPORTED_ROWS } from '../../src/domains/integration/imports/index.ts'
import { PLACEMENTS } from '../../src/data-map/tables.ts'
import { CONSENT, NOTICE } from '../support/consents.ts'
import { CSV } from '../support/imports.ts'
import { beginSession } from '../support/administrators.ts'
import { type TestResponse, ONBOARDING, type TestApp } from '../support/app.ts'
import { enrolFamily, setPolicyStatusTo } from '../support/issued-policies.ts'

/** The key of a row, by column, as text. */
export type RowKey = Record<string, string>

const BARE = { status: 500, code: 'internal', detail: 'An internal error occurred.', errors: undefined }
const UNREADABLE = { ...BARE, code: 'unreadable', detail: 'The record is stored, but a part of it cannot be read.' }

const EVENT = {
  id: 'evt_1',
  type: 'user.created' as const,
  occurredAt: new Date(),
  subject: '012345678901',
  platformId: null,
  data: {},
}

/** Returns the row's value as shown, or undefined when it does not open. */
type Read = (row: RowKey, value: string) => Promise<string | undefined>

/** Creates people and sponsors with data in every sealed column, and defines how each column is read. */
export function prepareSealedColumns(t: TestApp) {
  /** Requests with an idempotency key, by the key of their row. */
  const keyed = new Map<string, () => Promise<TestResponse>>()
  let isFirst = false

  /**
   * Returns the responses to the reads of one value; undefined when none shows it: a 500 without details, a 404, or a list
   * that says so.
   */
  async function shown(...responses: Promise<TestResponse>[]): Promise<string | undefined> {
    const all = await Promise.all(responses)
    const text = all.map((response) => response.text).join('\n')
    const isShown = all.every(({ status }) => status < 300)
    for (const { status, body } of all) {
      if (status < 300 || status === 404) continue
      const { code, detail, errors } = body
      assert.deepEqual({ status, code, detail, errors }, code === 'unreadable' ? UNREADABLE : BARE)
    }
    return isShown && !text.includes('(unavailable)') ? text : undefined
  }
  const read = (...urls: string[]) => shown(...urls.map((url) => t.call('GET', url, { token: t.owner })))

  const user = ({ user_id }: RowKey) => `/v1/users/${user_id}`
  const policy = (row: RowKey) => `${user(row)}/insurance_policies/${row['policy_id'] ?? row['entity_id']}`
  const document = (row: RowKey) => (row['issue'] === '0' ? 'enrollment_form' : 'policy_certificate')
  const readUser: Read = (row) => read(user(row), '/v1/users?limit=100')
  const readSponsor: Read = ({ sponsor_id }) => read(`/v1/sponsors/${sponsor_id}`, '/v1/sponsors?limit=100')

  const readAdministrators: Read = () => read('/v1/administrators?limit=100')

  /** Every sealed column, and the wrapped keys; `vault.test.ts` checks it against the schema. */
  const columns: Record<string, Read> = {
    'users.data_key': readUser,
    'users.sealed': readUser,
    'users.reference_sealed': (row) => read(`${user(row)}/reference`),
    'sponsors.data_key': readSponsor,
    'sponsors.sealed': readSponsor,
    'dependants.sealed': (row) => read(`${user(row)}/dependants/${row['dependant_id']}`, `${user(row)}/dependants`),
    'insurance_policies.sealed': (row) => read(policy(row), `${user(row)}/insurance_policies`),
    'policy_snapshots.sealed': (row) => read(`${policy(row)}/documents/${document(row)}`),
    'consents.proof_sealed': (row) => read(`${user(row)}/consents`),
    'rights_requests.text_sealed': (row) => read(`${user(row)}/rights_requests`),
    'policy_ends.sealed_reason': (row) => read(`${policy(row)}/timeline`),
    'administrators.data_key': readAdministrators,
    'administrators.sealed': readAdministrators,
    'administrator_sessions.sealed': readIdToken,
    'user_status_changes.reason': (row) => read(`${policy(row)}/timeline`),
    'catalogue_status_changes.reason': readReasonOfSponsor,
    'consultation_messages.sealed': (row) => read(`${user(row)}/consultations/${row['consultation_id']}/messages`),
    'ledger_transactions.sealed': (row) => read(`${user(row)}/wallet/transactions`),
    'idempotency_keys.sealed': ({ key_hash = '' }) => {
      const again = keyed.get(key_hash)
      assert(again, 'the request is known')
      return shown(again())
    },
    'webhook_endpoints.data_key': readSignature,
    'webhook_endpoints.secret': readSignature,
    'webhook_endpoints.previous_secret': readSignature,
    'webhook_endpoints.sealed_description': readDescription,
    'audit_archives.data_key': readArchive,
    'import_chunks.sealed': ({ upload_id = '', chunk }, sealed) =>
      readRows({ upload_id, chunk: Number(chunk) }, sealed),
    'imports.data_key': readFirstRows,
  }

  /** A secret is shown once, when it is created; after that it signs. */
  async function readSignature({ endpoint_id = '' }: RowKey): Promise<string | undefined> {
    const endpoint = await findEndpointOfAnybody(t.deps.db, endpoint_id)
    assert(endpoint)
    try {
      return signDelivery(t.deps.vault, { endpoint, event: EVENT, at: new Date() }).headers['webhook-signature']
    } catch {
      return undefined
    }
  }

  /** Only its owner may read it. */
  async function readDescription({ endpoint_id = '' }: RowKey): Promise<string | undefined> {
    const endpoint = await findEndpointOfAnybody(t.deps.db, endpoint_id)
    assert(endpoint)
    try {
      const { description } = presentEndpoint(t.deps.vault, endpoint)
      return description === null || description === '(unavailable)' ? undefined : description
    } catch {
      return undefined
    }
  }

  /** No operation returns these yet. */
  async function readReasonOfSponsor({ entity_id = '', change_id = '' }: RowKey, reason: string) {
    const [row] = await t.sql<{ data_key: string }>('select data_key from sponsors where sponsor_id = $1', [entity_id])
    assert(row)
    try {
      const change = { entityId: entity_id, changeId: change_id }
      return CATALOGUE_REASON.unseal(t.deps.vault.unwrap(row.data_key), change, reason)
    } catch {
      return undefined
    }
  }

  /** Only a logout opens these, and sends them to the identity provider. */
  async function readIdToken({ session_id = '' }: RowKey, sealed: string) {
    const [row] = await t.sql<{ data_key: string }>(
      `select a.data_key from administrators a join administrator_sessions s using (administrator_id) where s.session_id = $1`,
      [session_id],
    )
    assert(row)
    try {
      return ID_TOKEN.unseal(t.deps.vault.unwrap(row.data_key), { id: session_id }, sealed)
    } catch {
      return undefined
    }
  }

  /** Only `audit verify` opens these. */
  async function readArchive({ archive_id = '' }: RowKey, dataKey: string): Promise<string | undefined> {
    const found = await getArchive(t.deps, archive_id, dataKey)
    return found && 'archive' in found ? found.archive.previous_hash : undefined
  }

  /** Only a worker opens the rows of a file. */
  async function readRows({ upload_id: uploadId, chunk }: { upload_id: string; chunk: number }, sealed: string) {
    const [found] = await t.sql<{ data_key: string }>('select data_key from imports where upload_id = $1', [uploadId])
    assert(found)
    try {
      const rows = IMPORTED_ROWS.unseal(t.deps.vault.unwrap(found.data_key), { uploadId, chunk }, sealed)
      return JSON.stringify(rows)
    } catch {
      return undefined
    }
  }

  async function readFirstRows({ import_id = '' }: RowKey): Promise<string | undefined> {
    const [found] = await t.sql<{ upload_id: string; sealed: string }>(
      'select upload_id, sealed from imports join import_chunks using (upload_id) where import_id = $1 and chunk = 0',
      [import_id],
    )
    assert(found)
    return readRows({ ...found, chunk: 0 }, found.sealed)
  }

  async function archive(word: string): Promise<void> {
    const { db, vault } = t.deps
    const number = ((await findNewestArchive(db))?.last_number ?? 0) + 1
    const place = { archive_id: toArchiveId(number), data_key: vault.newDataKey().wrapped }
    await putArchive(t.deps, place, { previous_hash: word, batches: [] })
    await insertArchive(db, { ...place, first_number: number, last_number: number, is_archived: true })
  }

  /** Books with a key, so that a response is stored, and can repeat the request. */
  async function book(userId: string, token: string, input: object, key: string): Promise<void> {
    const headers = { 'idempotency-key': key }
    const request = () => t.call('POST', `/v1/users/${userId}/wallet/credits`, { token, body: input, headers })
    const before = await rowsOf('idempotency_keys.sealed')
    assert.equal((await request()).status, 201)
    const known = new Set(before.map(({ row }) => row['key_hash']))
    const made = (await rowsOf('idempotency_keys.sealed')).find(({ row }) => !known.has(row['key_hash']))
    keyed.set(made?.row['key_hash'] ?? '', request)
  }

  /** Fills every column, for one person and one sponsor; the word is in all of them. */
  async function person(word: string): Promise<void> {
    const input = {
      start_date: '2026-04-01',
      questionnaire: { questions: [{ question: `${word}: do you smoke?`, answer: false }] },
    }
    const at = await enrolFamily(t, { dependants: [`Ravi ${word}`, `Mira ${word}`], input, isOnboarded: false })
    const url = `/v1/users/${at.user.id}`
    await t.made('POST', `${url}/complete_onboarding`, {
      token: at.platform.token,
      body: { ...ONBOARDING, first_name: `Asha ${word}` },
    })
    const number = { employee_number: `EMP ${word}` }
    await t.made('PUT', `${url}/reference`, { token: at.platform.token, body: number })
    await t.made('PUT', '/v1/notices/2027-05/en', { token: at.platform.token, body: NOTICE })
    for (const count of [1, 2]) {
      const consent = { ...CONSENT, purpose: 'care', proof: `${count}: screen of ${word}` }
      await t.made('POST', `${url}/consents`, { token: at.user.token, body: consent })
      const asked = { kind: 'ACCESS', text: `${count}: what do you know of ${word}?` }
      await t.made('POST', `${url}/rights_requests`, { token: at.user.token, body: asked })
    }
    const reason = (count: number) => ({ reason: `${count}: ${word} was asked again` })
    await setPolicyStatusTo(t, at, ['VERIFICATION'], { ...reason(1), provider_metadata: { note: word } })
    await setPolicyStatusTo(t, at, ['APPROVED'], reason(2))
    await setPolicyStatusTo(t, at, ['ISSUED'])
    for (const [count, on] of ['2027-03-30', '2027-03-31'].entries()) {
      const end = { token: at.provider.token, body: { on, code: 'LEFT', ...reason(count) } }
      await t.made('PUT', `${url}/insurance_policies/${at.id}/end`, end)
    }
    const [{ benefit_id } = { benefit_id: '' }] = await t.sql<{ benefit_id: string }>(
      'select benefit_id from insurance_policies where policy_id = $1',
      [at.id],
    )
    await t.policy(at.platform, at.user, benefit_id, { ...input, start_date: '2027-04-01' })
    for (const consultation of [
      await t.consultation(at.platform, at.user, at.provider),
      await t.consultation(at.platform, at.user, at.provider),
    ]) {
      for (const count of [1, 2]) {
        const body = { body: { content: `${count}: ${word} has a fever`, message_type: 'TEXT' } }
        await t.made('POST', `${url}/consultations/${consultation}/messages`, { token: at.user.token, body })
      }
    }
    await t.wallet(at.platform, at.user)
    for (const count of [1, 2]) {
      const booking = { amount: 100, reference: `booking-${count}`, description: `${count}: for ${word}` }
      await book(at.user.id, at.platform.token, booking, `key-${count}`)
    }
    await beginSession(t, 'viewer', word)
    isFirst = !isFirst
    await importFile(at.platform.token, { word, rows: isFirst ? 101 : 1 })
    await archive(word)
    const webhook = { url: 'https://hooks.example.com/banyan', event_types: ['*'], description: `Ask ${word}` }
    const { id } = await t.made('POST', '/v1/webhook_endpoints', { token: at.platform.token, body: webhook })
    await t.made('POST', `/v1/webhook_endpoints/${id}/rotate_secret`, { token: at.platform.token })
    const sponsor = await sponsorOf(at.platform, word)
    for (const [count, status] of ['INACTIVE', 'ACTIVE'].entries()) {
      await t.made('PUT', `/v1/sponsors/${sponsor}/status`, { token: t.owner, body: { status, ...reason(count) } })
    }
  }

  /** A file in parts of a hundred rows, of which no worker has begun any. */
  async function importFile(token: string, { word, rows }: { word: string; rows: number }): Promise<void> {
    const lines = Array.from({ length: rows }, (_, row) => `+91,${9_800_000_000 + row},Asha ${word}`)
    const body = ['phone_country_code,phone_number,first_name', ...lines].join('\r\n')
    await t.made('POST', '/v1/imports?kind=users', { token, body, headers: CSV })
  }

  async function sponsorOf(platform: { token: string }, word: string): Promise<string> {
    const id = await t.sponsor({ id: '', credentialId: '', basicToken: '', ...platform })
    await t.made('PATCH', `/v1/sponsors/${id}`, { token: platform.token, body: { name: `Textiles of ${word}` } })
    return id
  }

  /** The rows with a value in a column, and the key of each. */
  async function rowsOf(name: string): Promise<{ row: RowKey; value: string }[]> {
    const [table = '', column = ''] = name.split('.')
    const key = (await keyOf(table)).map((one) => `'${one}', ${one}::text`).join(', ')
    return t.sql(
      `select json_build_object(${key}) as row, ${column} as value from ${table} where ${column} is not null order by 2`,
    )
  }

  async function keyOf(table: string): Promise<readonly string[]> {
    const key = PLACEMENTS.get(table)?.key
    if (key) return key
    const rows = await t.sql<{ name: string }>(
      `select a.attname as name from pg_index i
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
        where i.indrelid = $1::regclass and i.indisprimary order by a.attnum`,
      [table],
    )
    return rows.map(({ name }) => name)
  }

  /** Writes a value into a column of a row, as somebody with write access to the database would. */
  async function put(name: string, row: RowKey, value: string): Promise<void> {
    const [table = '', column = ''] = name.split('.')
    const condition = Object.keys(row).map((one, index) => `${one}::text = $${index + 2}`)
    await t.sql(`update ${table} set ${column} = $1 where ${condition.join(' and ')}`, [value, ...Object.values(row)])
  }

  /** The keys that result from copying one key column of another row. */
  function keysBeside(row: RowKey, rows: RowKey[]): { column: string; key: RowKey }[] {
    const taken = new Set([row, ...rows].map((key) => JSON.stringify(key)))
    return Object.keys(row).flatMap((column) =>
      [...new Set(rows.map((other) => other[column] ?? ''))]
        .map((value) => ({ column, key: { ...row, [column]: value } }))
        .filter(({ key }) => !taken.has(JSON.stringify(key))),
    )
  }

  return { columns, person, rowsOf, put, keysBeside }
}

/** A unique word, so that finding it anywhere is a leak. */
export const uniqueWord = (): string => `Word${randomInt(1e9, 1e10).toString(36)}`
