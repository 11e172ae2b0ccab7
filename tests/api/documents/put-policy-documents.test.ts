import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { enrolFamily, issueToFamily, setPolicyStatusTo } from '../../support/issued-policies.ts'
import { smallPdf } from '../../support/small-pdf.ts'
import { uploadScenes } from '../../support/uploads.ts'

const t = await openTestApp()

const { put, get, storedFiles, rowsOf, eventsOf } = uploadScenes(t)

describe('PUT …/documents/{document_type}', () => {
  it('200: the upload replaces the generated document, byte for byte', async () => {
    const at = await issueToFamily(t)
    for (const kind of ['policy_certificate', 'customer_information_sheet', 'enrollment_form', 'health_card/self']) {
      const made = await get(at, kind)
      const pdf = smallPdf(`Ours: ${kind}`)
      const sha256 = createHash('sha256').update(pdf).digest('hex')
      const { status, body, headers } = await put(at, kind, pdf)
      assert.equal(status, 200)
      const { created_at, ...record } = body
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
      assert.deepEqual(record, {
        insurance_policy_id: at.id,
        document_type: kind,
        address: `${at.documents}/${kind}`,
        size_bytes: pdf.length,
        sha256,
      })
      const after = await get(at, kind)
      assert.deepEqual(after.bytes, pdf)
      assert.equal(after.headers['etag'], headers['etag'])
      assert.notEqual(after.headers['etag'], made.headers['etag'])
      assert.equal(after.headers['content-length'], String(pdf.length))
      assert.equal(after.headers['cache-control'], 'private, no-store')
      assert.equal((await get(at, kind, { 'if-none-match': headers['etag'] ?? '' })).status, 304)
    }
    const others = await get(at, `health_card/${at.dependants[0]}`)
    assert.match(others.headers['etag'] ?? '', /^"[\w-]{22}"$/, 'the other card is made as before')
  })

  it('422 for a body that is not a PDF, 415 when it is not declared as one; the document stays', async () => {
    const at = await issueToFamily(t)
    const before = await get(at, 'policy_certificate')
    const pdf = smallPdf('Cut')
    const noPdfs = [
      Buffer.from('Dear all, see attached.'),
      pdf.subarray(0, -20),
      Buffer.concat([Buffer.from('x'), pdf]),
    ]
    for (const body of noPdfs) {
      const response = await put(at, 'policy_certificate', body)
      assert.deepEqual([response.status, response.body.errors?.[0]?.code], [422, 'not_a_pdf'])
    }
    for (const type of ['application/json', 'application/octet-stream', 'text/plain'])
      assert.equal((await put(at, 'policy_certificate', pdf, { type })).status, 415, type)
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, before.bytes)
    assert.deepEqual(await rowsOf(at), [])
  })

  it('is stored sealed: the storage holds nothing readable of the PDF, the user or the policy', async () => {
    const at = await issueToFamily(t)
    const before = new Set((await storedFiles()).map(({ name }) => name))
    const pdf = smallPdf('Asha Example has asthma')
    assert.equal((await put(at, 'policy_certificate', pdf)).status, 200)
    const [file, ...more] = (await storedFiles()).filter(({ name }) => !before.has(name))
    assert(file && more.length === 0)
    const path = join(file.parentPath, file.name)
    const stored = await readFile(path)
    for (const secret of ['asthma', 'Asha', '%PDF', 'xref']) assert(!stored.includes(secret), secret)
    for (const id of [at.user.id, at.id]) assert(!path.includes(id) && !stored.includes(id), id)
  })

  it('404 for the card of a person not covered, 422 for an unknown document type', async () => {
    const at = await issueToFamily(t, { dependants: [] })
    const [uncovered] = await t.dependants(at.user, ['Meena'])
    assert.equal((await put(at, `health_card/${uncovered}`, smallPdf('Card'))).status, 404)
    assert.equal((await put(at, 'prescription', smallPdf('Card'))).status, 422)
    assert.deepEqual(await rowsOf(at), [])
  })

  it('409 for a policy that will not be issued', async () => {
    const at = await enrolFamily(t)
    await t.made('PUT', `${at.address}/status`, { token: at.provider.token, body: { status: 'REJECTED' } })
    const { status, body } = await put(at, 'policy_certificate', smallPdf('Late'))
    assert.deepEqual(
      [status, body.code, body.reason, body.detail],
      [409, 'conflict', 'inactive', 'The policy will not be issued.'],
    )
  })

  it('before the policy is issued, the upload is pending until the issue', async () => {
    const at = await enrolFamily(t)
    const pdf = smallPdf('Early')
    assert.equal((await put(at, 'policy_certificate', pdf)).status, 200)
    assert.equal((await get(at, 'policy_certificate')).status, 404)
    await setPolicyStatusTo(t, at, ['VERIFICATION', 'APPROVED', 'ISSUED'])
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, pdf)
  })

  it('403 for callers that may only read, 404 for another provider; the document stays', async () => {
    const at = await issueToFamily(t)
    const other = await t.provider()
    for (const [token, expected] of [
      [at.platform.token, 403],
      [at.user.token, 403],
      [t.viewer, 403],
      [other.token, 404],
    ] as const)
      assert.equal((await put(at, 'policy_certificate', smallPdf('Theirs'), { token })).status, expected)
    assert.deepEqual(await rowsOf(at), [])
    for (const token of [t.operator, t.owner])
      assert.equal((await put(at, 'policy_certificate', smallPdf('Ours'), { token })).status, 200)
  })
})

describe('the event document.uploaded', () => {
  it('has the document type and the policy, once per upload, and none for a rejected one', async () => {
    const at = await issueToFamily(t)
    assert.equal((await put(at, 'policy_certificate', Buffer.from('no document'))).status, 422)
    assert.deepEqual(await eventsOf(at), [])
    const kinds = ['policy_certificate', `health_card/${at.dependants[0]}`]
    for (const kind of kinds) assert.equal((await put(at, kind, smallPdf('Ours'))).status, 200)
    assert.deepEqual(
      await eventsOf(at),
      kinds.map((document_type) => ({
        type: 'document.uploaded',
        platform_id: at.platform.id,
        data: {
          user_id: at.user.id,
          insurance_policy_id: at.id,
          benefit_provider_id: at.provider.id,
          document_type,
        },
      })),
    )
  })
})

describe('If-Match', () => {
  it('412 when it names another document, 200 when it names this one', async () => {
    const at = await issueToFamily(t)
    const made = (await get(at, 'policy_certificate')).headers['etag'] ?? ''
    const first = await put(at, 'policy_certificate', smallPdf('One'), { headers: { 'if-match': made } })
    assert.equal(first.status, 200)
    const stale = await put(at, 'policy_certificate', smallPdf('Two'), { headers: { 'if-match': made } })
    assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed'])
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, smallPdf('One'))
    const fresh = { 'if-match': first.headers['etag'] ?? '' }
    assert.equal((await put(at, 'policy_certificate', smallPdf('Two'), { headers: fresh })).status, 200)
  })

  it('412 when there is no document yet', async () => {
    const at = await enrolFamily(t)
    const response = await put(at, 'policy_certificate', smallPdf('One'), { headers: { 'if-match': '*' } })
    assert.equal(response.status, 412)
  })
})
