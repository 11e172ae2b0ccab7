import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, PLAN } from '../../support/app.ts'
import { enrolFamily, issueToFamily, setPolicyStatusTo } from '../../support/issued-policies.ts'
import { meetAt } from '../../support/meeting.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'
import { pictureOf, textOf } from '../../support/pdf.ts'

const t = await openTestApp()

const ADDRESS = { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka', country: 'India', pincode: '560001' }
const COLOUR = '#8a1538'

const patchOf =
  (id: string) =>
  (body: unknown, headers: Record<string, string> = {}, token: string = t.operator, node = t.call) =>
    node('PATCH', `/v1/benefit_providers/${id}`, { token, body, headers })

async function scene() {
  const { id } = await t.provider()
  const url = `/v1/benefit_providers/${id}`
  return { id, read: () => t.call('GET', url, { token: t.viewer }), patch: patchOf(id) }
}

describe('PATCH /v1/benefit_providers/{benefit_provider_id}', () => {
  it('200 sets address and colour, keeps the rest, and removes what is null', async () => {
    const { read, patch } = await scene()
    const { body: before } = await read()
    assert.deepEqual([before.address, before.colour], [null, null])
    const { last_modified_at: _, ...rest } = before
    for (const [sent, expected] of [
      [
        { address: ADDRESS, code: 'IGNORED' },
        { address: ADDRESS, colour: null },
      ],
      [{ colour: COLOUR }, { address: ADDRESS, colour: COLOUR }],
      [{ address: null }, { address: null, colour: COLOUR }],
      [
        { colour: null, name: 'Suraksha Life' },
        { address: null, colour: null, name: 'Suraksha Life' },
      ],
    ] as const) {
      const { status, body } = await patch(sent, { 'content-type': 'application/merge-patch+json' })
      assert.equal(status, 200)
      const { last_modified_at: __, ...now } = body
      assert.deepEqual(now, { ...rest, ...expected })
      assert.deepEqual((await read()).body, body)
    }
  })

  it('200 for the current values, unchanged; 412 for a stale If-Match', async () => {
    const { read, patch } = await scene()
    await patch({ address: ADDRESS, colour: COLOUR })
    const first = await read()
    for (const same of [{ address: ADDRESS }, { colour: COLOUR }, { name: first.body.name }]) {
      const response = await patch(same)
      assert.deepEqual([response.status, response.headers['etag']], [200, first.headers['etag']])
    }
    assert.equal((await patch({ colour: null }, { 'if-match': '"other"' })).status, 412)
    assert.deepEqual((await read()).body, first.body)
  })

  it('200 for each of two at once; both are there', async () => {
    const { id, read, patch } = await scene()
    const row = { table: 'benefit_providers', key: 'benefit_provider_id', id }
    const [one, other] = await t.openNodes(2)
    const responses = await meetAt(t, row, [
      () => patch({ address: ADDRESS }, {}, t.owner, one),
      () => patch({ colour: COLOUR }, {}, t.owner, other),
    ])
    for (const { status } of responses) assert.equal(status, 200)
    const { address, colour } = (await read()).body
    assert.deepEqual([address, colour], [ADDRESS, COLOUR])
  })

  it('422 names each error; a colour on which white text is hard to read is one', async () => {
    const { read, patch } = await scene()
    const before = (await read()).body
    const errors = async (body: unknown) => errorsOf(await patch(body))
    assert.deepEqual(await errors({}), [' required'])
    assert.deepEqual(await errors({ address: 'Pune' }), ['/address type'])
    assert.deepEqual(await errors({ address: { line1: '12 MG Road' } }), [
      '/address/city required',
      '/address/country required',
      '/address/pincode required',
      '/address/state required',
    ])
    for (const colour of ['red', '#12345', '#1234567', 'url(x)'])
      assert.deepEqual(await errors({ colour }), ['/colour format'])
    for (const colour of ['#ffffff', '#ffd700', '#7fb7ff'])
      assert.deepEqual(await errors({ colour }), ['/colour too_large'])
    for (const colour of ['#000000', '#767676', '#C0392B']) assert.equal((await patch({ colour })).status, 200, colour)
    assert.equal((await patch({ colour: null })).body.colour, before.colour)
  })

  it('401, 403 for everyone but operators and owners, 404 for one that does not exist; nothing changes', async () => {
    const { id, read, patch } = await scene()
    const before = (await read()).text
    const platform = await t.platform()
    const user = await t.user(platform)
    assert.equal((await t.call('PATCH', `/v1/benefit_providers/${id}`, { body: { colour: COLOUR } })).status, 401)
    for (const token of [platform.token, (await t.provider()).token, user.token, t.viewer])
      assert.equal((await patch({ colour: COLOUR }, {}, token)).body.code, 'forbidden')
    const missing = 'bpr_06bnv3m2r8f1s4k7q9t3v6w0y2'
    assertSameNotFound(await patchOf(missing)({ colour: COLOUR }), await patchOf(missing)({}))
    assert.equal((await read()).text, before)
  })
})

describe('what documents show of the insurer and the plan', () => {
  const plan = { ...PLAN, plan_name: 'Family floater of ₹5 lakh' }
  const get = (at: { documents: string; user: { token: string } }, kind: string) =>
    t.call('GET', `${at.documents}/${kind}`, { token: at.user.token })
  const words = async (bytes: Buffer) => (await textOf(bytes)).replaceAll(/\s+/g, ' ')

  it('is as of the issue: the certificate names the plan, and has the address and the colour', async () => {
    const at = await enrolFamily(t, { plan: [plan] })
    await patchOf(at.provider.id)({ address: ADDRESS, colour: COLOUR })
    await setPolicyStatusTo(t, at, ['VERIFICATION', 'APPROVED', 'ISSUED'])
    const { bytes } = await get(at, 'policy_certificate')
    const text = await words(bytes)
    for (const said of ['Family floater of ₹5 lakh', '12 MG Road, Bengaluru 560001, Karnataka, India'])
      assert(text.includes(said), text)
    const { data } = await pictureOf(bytes, 1)
    const [red, green, blue] = Buffer.from(COLOUR.slice(1), 'hex')
    assert(data.some((_, i) => i % 4 === 0 && data[i] === red && data[i + 1] === green && data[i + 2] === blue))

    const enrolment = await words((await get(at, 'enrollment_form')).bytes)
    assert(enrolment.includes('Family floater of ₹5 lakh') && !enrolment.includes('12 MG Road, Bengaluru'), enrolment)
  })

  it('stays as it was issued when the insurer or the plan changes, until the next issue', async () => {
    const at = await issueToFamily(t, { plan: [PLAN] })
    const before = await get(at, 'policy_certificate')
    assert((await words(before.bytes)).includes('FAMILY_5L'))
    await patchOf(at.provider.id)({ address: ADDRESS, colour: COLOUR })
    const { benefit_id } = (await t.call('GET', at.address, { token: at.platform.token })).body
    await t.made('PATCH', `/v1/benefits/${benefit_id}`, { token: t.owner, body: { plans: [plan] } })
    const after = await get(at, 'policy_certificate')
    assert.deepEqual([after.headers['etag'], after.bytes], [before.headers['etag'], before.bytes])

    await setPolicyStatusTo(t, at, ['REQUIRES_POLICY_REISSUANCE', 'ISSUED'], { external_policy_id: 'SG-2' })
    const text = await words((await get(at, 'policy_certificate')).bytes)
    for (const said of ['Family floater of ₹5 lakh', '12 MG Road, Bengaluru', 'SG-2']) assert(text.includes(said), text)
  })
})
