import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, type TestUser } from '../../support/app.ts'
import { enrolFamily, issueToFamily, setPolicyStatusTo, type PolicyScene } from '../../support/issued-policies.ts'

const t = await openTestApp()

const KINDS = ['policy_certificate', 'customer_information_sheet', 'enrollment_form', 'health_card/self']
const VERIFIED_BY_HANDLER = KINDS.filter((kind) => kind !== 'enrollment_form')

const get = (at: PolicyScene, kind: string, options: { token?: string; headers?: Record<string, string> } = {}) =>
  t.call('GET', `${at.documents}/${kind}`, { token: at.user.token, ...options })

const recordOf = async (at: PolicyScene) => (await t.call('GET', at.address, { token: at.platform.token })).body

describe('available documents', () => {
  it('are the enrolment form from PENDING, the others from ISSUED; the record lists them', async () => {
    const at = await enrolFamily(t)
    for (const status of [undefined, 'VERIFICATION', 'APPROVED'] as const) {
      if (status) await setPolicyStatusTo(t, at, [status])
      assert.deepEqual((await recordOf(at)).documents, {
        health_cards: {},
        customer_information_sheet: null,
        enrollment_form: `${at.documents}/enrollment_form`,
        policy_certificate: null,
      })
      assert.equal((await get(at, 'enrollment_form')).status, 200)
      for (const kind of VERIFIED_BY_HANDLER) {
        const { status: code, body } = await get(at, kind)
        assert.deepEqual([code, body.code], [404, 'not_found'], kind)
        assert.equal(body.detail, 'The document does not exist yet. The policy has not been issued yet.')
      }
    }
    await setPolicyStatusTo(t, at, ['ISSUED'])
    const { documents } = await recordOf(at)
    assert.deepEqual(documents, {
      health_cards: {
        self: `${at.documents}/health_card/self`,
        [at.dependants[0] ?? '']: `${at.documents}/health_card/${at.dependants[0]}`,
      },
      customer_information_sheet: `${at.documents}/customer_information_sheet`,
      enrollment_form: `${at.documents}/enrollment_form`,
      policy_certificate: `${at.documents}/policy_certificate`,
    })
    const { health_cards: cards, ...others } = documents
    for (const address of [...Object.values(cards), ...Object.values(others)]) {
      const response = await t.call('GET', address, { token: at.user.token })
      assert.equal(response.status, 200, address)
      assert.equal(response.bytes.subarray(0, 5).toString(), '%PDF-')
    }
  })

  it('stay once issued, also after expiry; a policy rejected before issue never has them', async () => {
    const at = await issueToFamily(t)
    const body = { status: 'EXPIRED', reason: 'cancelled' }
    await t.made('PUT', `${at.address}/status`, { token: t.owner, body })
    for (const kind of KINDS) assert.equal((await get(at, kind)).status, 200, kind)

    const rejected = await enrolFamily(t)
    await t.made('PUT', `${rejected.address}/status`, { token: rejected.provider.token, body: { status: 'REJECTED' } })
    assert.equal((await recordOf(rejected)).documents.policy_certificate, null)
    assert.equal((await get(rejected, 'policy_certificate')).status, 404)
    assert.equal((await get(rejected, 'enrollment_form')).status, 200)
  })

  it('422 for an unknown document type, with the list of known ones', async () => {
    const at = await enrolFamily(t)
    for (const kind of [
      'certificate',
      'POLICY_CERTIFICATE',
      'health_card',
      'health_card%2F',
      'policy_certificate.pdf',
    ]) {
      const { status, body } = await get(at, kind)
      assert.equal(status, 422, kind)
      assert.deepEqual(body.errors, [
        {
          pointer: 'path:document_type',
          code: 'not_allowed',
          detail:
            'Must be one of: health_card/self, health_card/{dependant_id}, customer_information_sheet, enrollment_form, policy_certificate.',
        },
      ])
    }
  })

  it('404 for the card of a person the policy does not cover', async () => {
    const at = await issueToFamily(t, { dependants: [] })
    const [uncovered] = await t.dependants(at.user, ['Meena'])
    const other = await issueToFamily(t)
    for (const member of [uncovered, other.dependants[0], 'nobody']) {
      const { status, body } = await get(at, `health_card/${member}`)
      assert.deepEqual([status, body.detail], [404, 'Not found, or not yours.'])
    }
  })

  it('200 for a health card whose slash is encoded in one path parameter', async () => {
    const at = await issueToFamily(t)
    const [whole, encoded] = [await get(at, 'health_card/self'), await get(at, 'health_card%2Fself')]
    assert.equal(encoded.status, 200)
    assert.deepEqual(encoded.bytes, whole.bytes)
  })
})

describe('a download', () => {
  it('200 with its media type, and is cached by nobody', async () => {
    const at = await issueToFamily(t)
    const { headers, bytes } = await get(at, 'policy_certificate')
    assert.equal(headers['content-type'], 'application/pdf')
    assert.equal(headers['content-disposition'], `attachment; filename="policy_certificate-${at.id}.pdf"`)
    assert.equal(headers['cache-control'], 'private, no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['content-length'], String(bytes.length))
    const card = await get(at, `health_card/${at.dependants[0]}`)
    assert.equal(
      card.headers['content-disposition'],
      `attachment; filename="health_card-${at.dependants[0]}-${at.id}.pdf"`,
    )
  })

  it('has the same bytes and ETag each time; 304 with an empty body for a matching If-None-Match', async () => {
    const at = await issueToFamily(t)
    for (const kind of KINDS) {
      const [first, second] = [await get(at, kind), await get(at, kind)]
      assert.deepEqual(first.bytes, second.bytes, kind)
      const etag = first.headers['etag'] ?? ''
      assert.match(etag, /^"[\w-]{22}"$/)
      const again = await get(at, kind, { headers: { 'if-none-match': `"other", ${etag}` } })
      assert.deepEqual([again.status, again.bytes.length, again.headers['etag']], [304, 0, etag])
      assert.equal(again.headers['cache-control'], 'private, no-store')
    }
    const tags = await Promise.all(KINDS.map(async (kind) => (await get(at, kind)).headers['etag']))
    assert.equal(new Set(tags).size, KINDS.length)
  })

  it('each member’s card has an ETag of its own; another card’s ETag gives the whole card', async () => {
    const at = await issueToFamily(t, { dependants: ['Ravi', 'Meena'] })
    const cards = ['self', ...at.dependants].map((member) => `health_card/${member}`)
    const tags = await Promise.all(cards.map(async (card) => (await get(at, card)).headers['etag'] ?? ''))
    assert.equal(new Set(tags).size, 3)
    for (const [index, card] of cards.entries()) {
      const others = tags.filter((_, of) => of !== index).join(', ')
      assert.equal((await get(at, card, { headers: { 'if-none-match': others } })).status, 200, card)
    }
  })

  it('406 for callers that do not accept PDF, 200 for those that accept anything', async () => {
    const at = await enrolFamily(t)
    for (const accept of ['application/json', 'text/html', 'application/pdf;q=0'])
      assert.equal((await get(at, 'enrollment_form', { headers: { accept } })).status, 406, accept)
    for (const accept of ['*/*', 'application/pdf', 'application/*', 'text/html, application/pdf;q=0.1'])
      assert.equal((await get(at, 'enrollment_form', { headers: { accept } })).status, 200, accept)
  })

  it('responds to HEAD as to GET, without the document', async () => {
    const at = await enrolFamily(t)
    const url = `${at.documents}/enrollment_form`
    const headers = { authorization: `Bearer ${at.user.token}` }
    const head = await t.app.inject({ method: 'HEAD', url, headers })
    const whole = await get(at, 'enrollment_form')
    assert.deepEqual([head.statusCode, head.rawPayload.length], [200, 0])
    for (const name of ['etag', 'content-type', 'content-length', 'content-disposition'])
      assert.equal(head.headers[name], whole.headers[name], name)
  })
})

describe('access to downloads', () => {
  it('403 for a viewer and 404 for every other owner, whatever they request', async () => {
    const at = await issueToFamily(t)
    const other = await issueToFamily(t, { offer: await t.makeOffer() })
    const sibling: TestUser = await t.onboardedUser(at.platform)
    for (const kind of KINDS) {
      assert.equal((await get(at, kind, { token: t.viewer })).status, 403)
      for (const token of [other.platform.token, other.user.token, other.provider.token, sibling.token])
        assert.equal((await get(at, kind, { token })).status, 404, kind)
      for (const token of [at.platform.token, at.provider.token, t.operator, t.owner])
        assert.equal((await get(at, kind, { token })).status, 200, kind)
    }
  })

  it('404 for a provider that insures the user under another policy', async () => {
    const at = await issueToFamily(t)
    const other = await t.provider()
    await t.policy(at.platform, at.user, await t.benefit(at.platform, other))
    assert.equal((await get(at, 'policy_certificate', { token: other.token })).status, 404)
  })
})
