import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { prepareScenes } from '../../personal-data/scenes.ts'
import { type Body, ONBOARDING, openTestApp } from '../../support/app.ts'
import { openSessions } from '../../support/sessions.ts'
import { smallPdf } from '../../support/small-pdf.ts'

const t = await openTestApp()
const { person } = prepareScenes(t)
const { signIn } = openSessions(t)

const exportOf = (id: string, token: string) => t.call('GET', `/v1/users/${id}/export`, { token })

describe('GET /v1/users/{user_id}/export', () => {
  it('200 everything about the person in one document, as each URL shows it', async () => {
    const at = await person()
    const { user, platform } = at
    const url = `/v1/users/${user.id}`
    await t.made('PATCH', `${url}/dependants/${at.dependants[0]}`, { token: user.token, body: { first_name: 'Kabir' } })
    const number = { employee_number: 'EMP-004711' }
    await t.made('PUT', `${url}/reference`, { token: platform.token, body: number })
    const { end_date } = await t.made('GET', at.address, { token: platform.token })
    const end = { on: end_date, code: 'LEFT', reason: 'Moved' }
    await t.made('PUT', `${at.address}/end`, { token: platform.token, body: end })
    const { status, body } = await exportOf(user.id, user.token)
    assert.equal(status, 200)
    const read = (path: string, token = user.token) => t.made('GET', `${url}${path}`, { token })

    assert.deepEqual(body.user, await read(''))
    const { title, gender, bank_details } = body
    const { title: sentTitle, gender: sentGender, bank_details: sentBank } = ONBOARDING
    assert.deepEqual({ title, gender, bank_details }, { title: sentTitle, gender: sentGender, bank_details: sentBank })
    assert.match(body.id_proof_last4, /^[0-9A-F]{4}$/)
    assert.equal(body.employee_number, 'EMP-004711')
    const dependants = body.dependants.map(({ first_name }: Body) => first_name)
    assert.deepEqual(dependants.toSorted(), ['Kabir', 'Mina', 'Ravi'], 'also who was corrected')
    assert.deepEqual(body.insurance_policies, (await read('/insurance_policies')).data)
    const [ended] = body.insurance_policy_ends
    assert.deepEqual([ended.on, ended.code, ended.reason], [end.on, end.code, end.reason])
    const { data: endorsements } = await t.made('GET', '/v1/endorsements', { token: platform.token })
    const byId = (all: Body[]) => all.toSorted((one, other) => String(one.id).localeCompare(String(other.id)))
    assert.deepEqual(byId(body.endorsements), byId(endorsements))
    assert.deepEqual(body.accounts, (await read('/accounts')).data)
    const [{ consultation, messages }] = body.consultations
    assert.deepEqual(consultation, (await read('/consultations')).data[0])
    assert.deepEqual(messages, (await read(`/consultations/${consultation.id}/messages`)).data.messages)
    assert.deepEqual(body.wallet, await read('/wallet', platform.token))
    assert.deepEqual(body.wallet_transactions, (await read('/wallet/transactions', platform.token)).data)
    assert(body.status_changes.some(({ id, from, to }: Body) => id === at.id && from === 'APPROVED' && to === 'ISSUED'))
    assert(body.access_log.length > 5)
    for (const [member, value] of Object.entries<Body>(body)) {
      if (member !== 'scheduled_erasure') assert(value !== null && value.length !== 0, member)
    }
    assert.deepEqual(body.access_log.at(-1).actor, { kind: 'platform', name: 'Acme Benefits' })
  })

  it('lists who has access: benefit providers and wallet sessions, without their secrets', async () => {
    const at = await person()
    const other = await t.provider()
    const tokens = await signIn(at.platform, at.user)
    const { body, text } = await exportOf(at.user.id, at.user.token)
    assert.deepEqual(body.benefit_providers, [
      (({ id, name }) => ({ id, name }))(
        await t.made('GET', `/v1/benefit_providers/${at.provider.id}`, { token: t.viewer }),
      ),
    ])
    assert(!text.includes(other.id))
    assert.equal(body.sessions.length, 2)
    const [newest] = body.sessions
    const seconds = (time: string) => Date.parse(`${time}Z`) / 1000
    assert(Math.abs(seconds(newest.begun_at) - seconds(body.exported_at)) < 60)
    assert.equal(Math.round((seconds(newest.expires_at) - seconds(newest.begun_at)) / 86_400), 90)
    assert(seconds(newest.last_used_at) >= seconds(newest.begun_at) - 1)
    assert.equal(newest.ended_at, null)
    for (const secret of [tokens.access_token, tokens.refresh_token]) assert(!text.includes(secret))

    await t.made('POST', '/wallet/v1/auth/logout', { body: { refresh_token: tokens.refresh_token } })
    const [ended, open] = (await exportOf(at.user.id, at.user.token)).body.sessions
    assert(ended.ended_at !== null)
    assert.equal(open.ended_at, null)
  })

  it('lists every uploaded document with who uploaded it and when, also those that were replaced', async () => {
    const at = await person()
    const kind = 'customer_information_sheet'
    const pdf = smallPdf('Corrected')
    const upload = { token: t.operator, body: pdf, headers: { 'content-type': 'application/pdf' } }
    const { sha256 } = await t.made('PUT', `${at.documents}/${kind}`, upload)
    const { uploaded_documents } = (await exportOf(at.user.id, at.platform.token)).body
    const shown = uploaded_documents.map(({ uploaded_at, replaced_at, ...rest }: Body) => {
      assert.match(uploaded_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
      return { ...rest, isReplaced: replaced_at !== null }
    })
    const [newest, first] = shown
    assert.equal(shown.length, 2)
    assert.deepEqual(newest, {
      insurance_policy_id: at.id,
      document_type: kind,
      size_bytes: pdf.length,
      sha256,
      uploaded_by: { kind: 'administrator', name: 'test-operator' },
      isReplaced: false,
    })
    const { name } = await t.made('GET', `/v1/benefit_providers/${at.provider.id}`, { token: t.viewer })
    assert.deepEqual([first.uploaded_by, first.isReplaced], [{ kind: 'benefit_provider', name }, true])
  })

  it('announces a scheduled erasure with its time, until it is cancelled', async () => {
    const platform = await t.platform()
    const { id } = await t.user(platform)
    const url = `/v1/users/${id}`
    const { token } = platform
    const { call } = await t.openNode({ erasure: { ...t.deps.erasure, noticeHours: 48 } })
    const scheduled = async () => (await exportOf(id, token)).body.scheduled_erasure
    assert.equal(await scheduled(), null)
    const { body } = await call('DELETE', `${url}?end_policies=true`, { token })
    const { requested_at, ...rest } = await scheduled()
    assert.deepEqual(rest, { erased_at: body.erased_at, end_policies: true })
    assert.equal(Date.parse(`${body.erased_at}Z`) - Date.parse(`${requested_at}Z`), 48 * 3_600_000)
    await t.made('DELETE', `${url}/erasure`, { token })
    assert.equal(await scheduled(), null)
  })

  it('conforms to the schema that it links to', async () => {
    const at = await person()
    const { body } = await exportOf(at.user.id, at.platform.token)
    const [address = '', pointer = ''] = body.schema.split('#')
    const { body: document } = await t.call('GET', new URL(address).pathname)
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
    ajv.addSchema(Object.assign(document, { $id: 'document' }))
    const validate = ajv.compile({ $ref: `document#${pointer}` })
    const isValid = (value: unknown): boolean => validate(value)
    assert(isValid(body), JSON.stringify(validate.errors))
    assert(!isValid(Object.assign(body, { dependants: 'none' })))
  })

  it('opens the reasons of changes, including the operator’s', async () => {
    const at = await person()
    const { consultations } = (await exportOf(at.user.id, at.platform.token)).body
    const url = `/v1/users/${at.user.id}/consultations/${consultations[0].consultation.id}/status`
    await t.made('PUT', url, { token: at.platform.token, body: { status: 'CLOSED', reason: 'The fever is gone' } })
    await t.sql(
      `update user_status_changes set reason = 'The operator said so' where user_id = $1 and entity_id like 'wal_%'`,
      [at.user.id],
    )
    const { body } = await exportOf(at.user.id, at.platform.token)
    const reasons = body.status_changes.map(({ reason }: Body) => reason)
    assert(reasons.includes('The fever is gone') && reasons.includes('The operator said so'))
  })

  it('200 for a user without any data: empty lists and no wallet', async () => {
    const platform = await t.platform()
    const { id } = await t.user(platform)
    const { body } = await exportOf(id, t.owner)
    assert.deepEqual([body.wallet, body.dependants, body.consultations, body.wallet_transactions], [null, [], [], []])
    assert.deepEqual([body.benefit_providers, body.sessions, body.uploaded_documents], [[], [], []])
  })

  it('holds nothing of anyone else, and never the number of the id proof', async () => {
    const [at, other] = [await person(), await person()]
    const { text } = await exportOf(at.user.id, at.platform.token)
    for (const foreign of [other.user.id, other.user.phone, other.id]) assert(!text.includes(foreign))
  })

  it('404 for another platform’s user, 403 for benefit providers, viewers and operators', async () => {
    const [platform, other, provider] = [await t.platform(), await t.platform(), await t.provider()]
    const [user, sibling] = [await t.user(platform), await t.user(platform)]
    assert.equal((await exportOf(user.id, other.token)).status, 404)
    assert.equal((await exportOf(user.id, sibling.token)).status, 404)
    for (const token of [provider.token, t.viewer, t.operator])
      assert.equal((await exportOf(user.id, token)).status, 403)
  })

  it('is recorded in the person’s access log', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    await exportOf(user.id, platform.token)
    await t.audit.reads.write()
    const { data } = await t.made('GET', `/v1/users/${user.id}/access_log`, { token: user.token })
    assert.equal(data[0].operation, 'Export everything about a user')
  })
})
