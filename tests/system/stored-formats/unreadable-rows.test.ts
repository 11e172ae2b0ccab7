import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { openTestApp, type TestResponse } from '../../support/app.ts'
import { issueToFamily } from '../../support/issued-policies.ts'

const t = await openTestApp({ own: true })
const UNAVAILABLE = '(unavailable)'

/** A value of the right form that no key opens. */
const DAMAGED = Buffer.alloc(60, 1).toString('base64url')

const logged: unknown[][] = []
mock.method(t.unreadableLog, 'error', (...line: unknown[]) => void logged.push(line))

const countOf = async () => Number(/^sealed_values_unreadable_total (\d+)$/m.exec(await t.metrics.page())?.[1])

/** A family with a damaged value in each kind of record, alongside a good one. */
async function prepareScene() {
  const at = await issueToFamily(t, { dependants: ['Ravi', 'Mira'] }, { reason: 'All is well' })
  const user = `/v1/users/${at.user.id}`
  const consultation = await t.consultation(at.platform, at.user, at.provider)
  const messages = `${user}/consultations/${consultation}/messages`
  for (const content of ['Hello', 'Good morning'])
    await t.made('POST', messages, { token: at.user.token, body: { body: { content, message_type: 'TEXT' } } })
  await t.wallet(at.platform, at.user)
  for (const reference of ['booking-1', 'booking-2']) {
    const body = { amount: 500, reference, description: `For ${reference}` }
    const headers = { 'idempotency-key': reference }
    await t.made('POST', `${user}/wallet/credits`, { token: at.platform.token, body, headers })
  }
  const get = (url: string, token = at.platform.token) => t.call('GET', url, { token })
  return { at, user, messages, get }
}

type Scene = Awaited<ReturnType<typeof prepareScene>>

/** Damages one value of a column of a user's records. */
const damage = (table: string, scene: Scene, { column = 'sealed', where = 'true' } = {}) =>
  t.sql(
    `update ${table} set ${column} = $1 where ctid = (
       select ctid from ${table} where user_id = $2 and ${column} is not null and ${where} limit 1)`,
    [DAMAGED, scene.at.user.id],
  )

const assertUnreadable = ({ status, body }: TestResponse) =>
  assert.deepEqual(
    [status, body.code, body.detail],
    [500, 'unreadable', 'The record is stored, but a part of it cannot be read.'],
  )

describe('a record that cannot be read', () => {
  it('a message: the others of its list are shown, and new ones are written', async () => {
    const scene = await prepareScene()
    const { messages, get, at } = scene
    await damage('consultation_messages', scene)
    const body = { body: { content: 'Still here', message_type: 'TEXT' } }
    await t.made('POST', messages, { token: at.user.token, body })
    const { status, body: list } = await get(messages)
    assert.equal(status, 200)
    assert.equal(list.total, 3)
    const contents = list.data.messages.map((message: { body: { content: string } }) => message.body.content)
    assert.equal(contents.filter((content: string) => content === UNAVAILABLE).length, 1)
    assert(contents.includes('Still here'))
  })

  it('a dependant: listed as unavailable, in policies too; by itself it is a 500', async () => {
    const scene = await prepareScene()
    const { user, get, at } = scene
    const [id = ''] = at.dependants
    await damage('dependants', scene, { where: `dependant_id = '${id}'` })
    const { status, body } = await get(`${user}/dependants`)
    assert.equal(status, 200)
    const [damaged, good] = [id, at.dependants[1]].map((one) => body.data.find((d: { id: string }) => d.id === one))
    const { first_name, last_name, date_of_birth } = damaged
    assert.deepEqual([first_name, last_name, date_of_birth], [UNAVAILABLE, UNAVAILABLE, '0001-01-01'])
    assert.equal(good.first_name, 'Mira')
    assertUnreadable(await get(`${user}/dependants/${id}`))
    const policies = await get(`${user}/insurance_policies`)
    assert.equal(policies.status, 200)
    assert.equal(policies.body.data[0].dependants[0].first_name, UNAVAILABLE)
    assertUnreadable(await get(at.address))
    assert.equal((await get(`${at.documents}/policy_certificate`)).status, 200, 'it was issued before')
  })

  it('a user: listed and found among the others; bookings and documents go on', async () => {
    const scene = await prepareScene()
    const { user, get, at } = scene
    const other = await t.onboardedUser(at.platform)
    await damage('users', scene)
    const { status, body } = await get('/v1/users')
    assert.equal(status, 200)
    const shown = (id: string) => body.data.find((one: { user_id: string }) => one.user_id === id)
    assert.equal(shown(at.user.id).phone_number, UNAVAILABLE)
    assert.equal(shown(at.user.id).dob, null)
    assert.equal(shown(other.id).phone_number, other.phone)
    assertUnreadable(await get(user))
    assert.equal((await get(`${at.documents}/policy_certificate`)).status, 200)
    const headers = { 'idempotency-key': 'booking-3' }
    const booking = { amount: 500, reference: 'booking-3' }
    await t.made('POST', `${user}/wallet/credits`, { token: at.platform.token, body: booking, headers })
  })

  it('a user whose key is lost: the list of users is shown', async () => {
    const scene = await prepareScene()
    await t.sql('update users set data_key = $1 where user_id = $2', [`m1.${DAMAGED}`, scene.at.user.id])
    const { status, body } = await scene.get('/v1/users')
    assert.equal(status, 200)
    assert.equal(body.data[0].phone_number, UNAVAILABLE)
  })

  it('a sponsor: listed as unavailable alongside the others', async () => {
    const scene = await prepareScene()
    const sponsor = await t.sponsor(scene.at.platform)
    await t.sql('update sponsors set sealed = $1 where sponsor_id = $2', [DAMAGED, sponsor])
    const { status, body } = await scene.get('/v1/sponsors')
    assert.equal(status, 200)
    assert.equal(body.data.find((one: { id: string }) => one.id === sponsor).name, UNAVAILABLE)
    assert(body.data.length > 1 && body.data.some(({ name }: { name: string }) => name !== UNAVAILABLE))
    assertUnreadable(await scene.get(`/v1/sponsors/${sponsor}`))
  })

  it('a document: the others of the policy are made, and a new issue makes it again', async () => {
    const scene = await prepareScene()
    const { at, get } = scene
    await damage('policy_snapshots', scene, { where: 'issue = 1' })
    assertUnreadable(await get(`${at.documents}/policy_certificate`))
    assert.equal((await get(`${at.documents}/enrollment_form`)).status, 200)
    for (const status of ['REQUIRES_POLICY_REISSUANCE', 'ISSUED'])
      await t.made('PUT', `${at.address}/status`, { token: t.owner, body: { status, reason: 'Damaged' } })
    assert.equal((await get(`${at.documents}/policy_certificate`)).status, 200)
  })

  it('everything at once: the export is complete, and the user can be erased', async () => {
    const scene = await prepareScene()
    const { user, at, get } = scene
    const before = await countOf()
    logged.length = 0
    for (const table of ['users', 'dependants', 'consultation_messages', 'ledger_transactions', 'policy_snapshots'])
      await damage(table, scene)
    await damage('user_status_changes', scene, { column: 'reason' })
    const { status, body } = await get(`${user}/export`)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.user.first_name, body.dependants.length, body.wallet_transactions.length, body.bank_details],
      [UNAVAILABLE, 2, 2, null],
    )
    const unavailable = (rows: object[]) => rows.filter((row) => JSON.stringify(row).includes(UNAVAILABLE)).length
    for (const rows of [body.dependants, body.wallet_transactions, body.consultations[0].messages, body.status_changes])
      assert.equal(unavailable(rows), 1)
    const timeline = await get(`${at.address}/timeline`)
    assert.equal(timeline.status, 200)
    assert.equal(unavailable(timeline.body.data), 1)

    assert((await countOf()) >= before + 6, 'each is counted')
    const addresses = logged.map(([fields]) => fields as { column: string; row: string })
    assert(addresses.some(({ column, row }) => column === 'users.sealed' && row === `users:${at.user.id}`))
    assert.doesNotMatch(JSON.stringify(logged), /Asha|Ravi|Mira|Hello/)

    for (const reference of ['booking-4']) {
      const headers = { 'idempotency-key': reference }
      const input = { amount: 1000, reference }
      await t.made('POST', `${user}/wallet/debits`, { token: at.platform.token, body: input, headers })
    }
    const erased = await t.call('DELETE', `${user}?end_policies=true`, { token: at.platform.token })
    assert.equal(erased.status, 200, erased.text)
    assert.equal((await get(user)).status, 404)
  })
})
