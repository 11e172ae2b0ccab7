import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { deleteUnusedFiles } from '../../../src/domains/cover/documents/delete-unused-files.ts'
import { openTestApp } from '../../support/app.ts'
import { enrolFamily, issueToFamily, setPolicyStatusTo, type PolicyScene } from '../../support/issued-policies.ts'
import { smallPdf } from '../../support/small-pdf.ts'
import { uploadScenes } from '../../support/uploads.ts'

const t = await openTestApp()
const { put, get, storedFiles, forgottenFiles, rowsOf, eventsOf } = uploadScenes(t)

const KIND = 'policy_certificate'

type Sending = { token?: string; headers?: Record<string, string> }

const erase = (at: PolicyScene, kind = KIND, { token = at.provider.token, ...more }: Sending = {}) =>
  t.call('DELETE', `${at.documents}/${kind}`, { token, ...more })

const historyOf = ({ user }: PolicyScene) =>
  t.sql(`select from_status, to_status, actor from user_status_changes where user_id = $1 and to_status = 'DELETED'`, [
    user.id,
  ])

describe('DELETE …/documents/{document_type}', () => {
  it('200 with the upload removed: the generated document is served again, byte for byte', async () => {
    const at = await issueToFamily(t)
    for (const kind of [KIND, 'enrollment_form', 'health_card/self', `health_card/${at.dependants[0]}`]) {
      const made = await get(at, kind)
      const uploaded = await put(at, kind, smallPdf('Ours'))
      const { status, body } = await erase(at, kind)
      assert.deepEqual([status, body], [200, uploaded.body])
      const again = await get(at, kind)
      assert.deepEqual([again.status, again.headers['etag']], [200, made.headers['etag']])
      assert.deepEqual(again.bytes, made.bytes, kind)
    }
  })

  it('deletes the file after an hour, as for a replaced one; the history has who removed it', async () => {
    const at = await issueToFamily(t)
    await put(at, KIND, smallPdf('Ours'))
    const files = (await storedFiles()).length
    assert.equal((await erase(at, KIND, { token: t.operator })).status, 200)
    await deleteUnusedFiles(t.deps)
    assert.equal((await storedFiles()).length, files, 'a download of it may be running')
    assert.deepEqual(await forgottenFiles(), [])
    await t.sql('update files_to_delete set due_at = now()')
    await deleteUnusedFiles(t.deps)
    assert((await storedFiles()).length < files)
    const [row, ...more] = await rowsOf(at)
    assert(row?.replaced_at && row.actor === `provider:${at.provider.id}` && more.length === 0)
    const [change, ...others] = await historyOf(at)
    assert.deepEqual([change?.['from_status'], others.length], ['UPLOADED', 0])
    assert.match(String(change?.['actor']), /^operator:/)
  })

  it('404 when nothing was uploaded or it was already removed; nothing is written', async () => {
    const at = await issueToFamily(t)
    const expected = 'No file was uploaded for this document.'
    const never = await erase(at)
    assert.deepEqual([never.status, never.body.detail], [404, expected])
    await put(at, KIND, smallPdf('Ours'))
    assert.equal((await erase(at)).status, 200)
    const twice = await erase(at)
    assert.deepEqual([twice.status, twice.body.detail], [404, expected])
    assert.deepEqual(
      (await eventsOf(at)).map(({ type }) => type),
      ['document.uploaded', 'document.upload_deleted'],
    )
    assert.equal((await historyOf(at)).length, 1)
  })

  it('404 for the card of a person not covered, 422 for an unknown document type', async () => {
    const at = await issueToFamily(t)
    assert.equal((await erase(at, 'health_card/nobody')).status, 404)
    assert.equal((await erase(at, 'certificate')).status, 422)
  })

  it('409 for a policy that will not be issued', async () => {
    const at = await enrolFamily(t)
    await t.made('PUT', `${at.address}/status`, { token: at.provider.token, body: { status: 'REJECTED' } })
    const { status, body } = await erase(at)
    assert.deepEqual([status, body.detail], [409, 'The policy will not be issued.'])
  })

  it('while an issue is pending, removes the pending upload and not the document being served', async () => {
    const at = await issueToFamily(t)
    const [first, second] = [smallPdf('First'), smallPdf('Second')]
    await put(at, KIND, first)
    await setPolicyStatusTo(t, at, ['REQUIRES_POLICY_REISSUANCE'])
    await put(at, KIND, second)
    assert.equal((await erase(at)).status, 200)
    assert.equal((await erase(at)).status, 404)
    assert.deepEqual((await get(at, KIND)).bytes, first)
    await setPolicyStatusTo(t, at, ['ISSUED'])
    const { bytes } = await get(at, KIND)
    assert(!bytes.equals(first) && !bytes.equals(second), 'the second issue has a certificate that was made')
  })

  it('403 for callers that may only read, 404 for another provider; the upload stays', async () => {
    const at = await issueToFamily(t)
    const other = await t.provider()
    await put(at, KIND, smallPdf('Ours'))
    for (const [token, expected] of [
      [at.platform.token, 403],
      [at.user.token, 403],
      [t.viewer, 403],
      [other.token, 404],
    ] as const)
      assert.equal((await erase(at, KIND, { token })).status, expected)
    assert.deepEqual((await get(at, KIND)).bytes, smallPdf('Ours'))
  })

  it('emits an event with the document type and the policy', async () => {
    const at = await issueToFamily(t)
    const kind = `health_card/${at.dependants[0]}`
    await put(at, kind, smallPdf('Ours'))
    await erase(at, kind)
    assert.deepEqual((await eventsOf(at)).at(-1), {
      type: 'document.upload_deleted',
      platform_id: at.platform.id,
      data: {
        user_id: at.user.id,
        insurance_policy_id: at.id,
        benefit_provider_id: at.provider.id,
        document_type: kind,
      },
    })
  })
})

describe('If-Match', () => {
  it('412 when the current upload is another than the one named, 200 when it is that one', async () => {
    const at = await issueToFamily(t)
    const stale = { 'if-match': (await put(at, KIND, smallPdf('One'))).headers['etag'] ?? '' }
    const fresh = { 'if-match': (await put(at, KIND, smallPdf('Two'))).headers['etag'] ?? '' }
    const refused = await erase(at, KIND, { headers: stale })
    assert.deepEqual([refused.status, refused.body.code], [412, 'precondition_failed'])
    assert.deepEqual((await get(at, KIND)).bytes, smallPdf('Two'))
    assert.equal((await erase(at, KIND, { headers: fresh })).status, 200)
  })
})

describe('concurrent calls', () => {
  it('one of ten removes the upload, and the others find none', async () => {
    const at = await issueToFamily(t)
    await put(at, KIND, smallPdf('Ours'))
    const responses = await Promise.all(Array.from({ length: 10 }, () => erase(at)))
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 404)])
    assert.equal((await eventsOf(at)).length, 2)
    assert.equal((await historyOf(at)).length, 1)
  })

  /**
   * Makes another upload the current one, as another process would, after a deletion has read it and before it writes.
   */
  function overtake(test: TestContext, { id }: PolicyScene): void {
    const { query } = t.deps.db
    let isFirst = true
    test.mock.method(t.deps.db, 'query', async (...call: Parameters<typeof query>) => {
      if (call[0].name.startsWith('policy_files_remove') && isFirst) {
        isFirst = false
        await t.sql(
          `with replaced as (update policy_files set replaced_at = now() where policy_id = $1 returning file_id)
           insert into files_to_delete select file_id, now() + interval '1 hour' from replaced`,
          [id],
        )
        await t.sql(
          `insert into policy_files (user_id, file_id, policy_id, document_type, issue, byte_length, sha256, actor, request_id)
           select user_id, 'fil_of_another', policy_id, document_type, issue, byte_length, 'another', actor, request_id
             from policy_files where policy_id = $1`,
          [id],
        )
      }
      return query(...call)
    })
  }
  const currentOf = (at: PolicyScene) =>
    t.sql('select file_id from policy_files where policy_id = $1 and replaced_at is null', [at.id])

  it('412 when the upload is replaced meanwhile by another than the one named, which stays', async (test) => {
    const at = await issueToFamily(t)
    const fresh = { 'if-match': (await put(at, KIND, smallPdf('One'))).headers['etag'] ?? '' }
    overtake(test, at)
    assert.equal((await erase(at, KIND, { headers: fresh })).status, 412)
    assert.deepEqual(await currentOf(at), [{ file_id: 'fil_of_another' }])
    assert.deepEqual(await historyOf(at), [])
  })

  it('200 with the upload current at the end, when none is named', async (test) => {
    const at = await issueToFamily(t)
    await put(at, KIND, smallPdf('One'))
    overtake(test, at)
    const { status, body } = await erase(at)
    assert.deepEqual([status, body.sha256], [200, 'another'])
    assert.deepEqual(await currentOf(at), [])
    assert.equal((await historyOf(at)).length, 1)
  })
})

describe('the same Idempotency-Key again', () => {
  it('200 with the same body, though nothing is left to remove', async () => {
    const at = await issueToFamily(t)
    await put(at, KIND, smallPdf('Ours'))
    const headers = { 'idempotency-key': 'once' }
    const [first, second] = [await erase(at, KIND, { headers }), await erase(at, KIND, { headers })]
    assert.deepEqual([second.status, second.body], [200, first.body])
    assert.equal(second.headers['idempotent-replayed'], 'true')
    assert.equal((await eventsOf(at)).length, 2)
  })
})
