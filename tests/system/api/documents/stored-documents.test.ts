import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteUnusedFiles } from '../../../../src/domains/cover/documents/delete-unused-files.ts'
import { unavailable } from '../../../../src/kernel/problem-error.ts'
import { openTestApp } from '../../../support/app.ts'
import { enrolFamily, issueToFamily, setPolicyStatusTo } from '../../../support/issued-policies.ts'
import { pdfOfLength, smallPdf } from '../../../support/small-pdf.ts'
import { uploadScenes } from '../../../support/uploads.ts'

const t = await openTestApp({ own: true })

const MIB = 1024 * 1024
const { put, get, storedFiles, forgottenFiles, rowsOf } = uploadScenes(t)

async function* oneChunk(text: string) {
  yield Buffer.from(text)
}

describe('PUT …/documents/{document_type}', () => {
  it('200 for 10 MiB, 413 for one byte more, of which nothing is kept', async () => {
    const at = await issueToFamily(t)
    const largest = pdfOfLength(10 * MIB)
    assert.equal((await put(at, 'policy_certificate', largest)).status, 200)
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, largest)
    const files = (await storedFiles()).length
    const { status, body } = await put(at, 'policy_certificate', pdfOfLength(10 * MIB + 1))
    assert.deepEqual([status, body.code], [413, 'payload_too_large'])
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, largest)
    assert.equal((await storedFiles()).length, files)
    assert.equal((await rowsOf(at)).length, 1)
  })

  it('is pending in each state before the first issue', async () => {
    const at = await enrolFamily(t)
    const early = { policy_certificate: smallPdf('In verification'), 'health_card/self': smallPdf('When approved') }
    await setPolicyStatusTo(t, at, ['VERIFICATION'])
    assert.equal((await put(at, 'policy_certificate', early.policy_certificate)).status, 200)
    await setPolicyStatusTo(t, at, ['APPROVED'])
    assert.equal((await put(at, 'health_card/self', early['health_card/self'])).status, 200)
    for (const kind of Object.keys(early)) assert.equal((await get(at, kind)).status, 404, kind)
    await setPolicyStatusTo(t, at, ['ISSUED'])
    for (const [kind, pdf] of Object.entries(early)) assert.deepEqual((await get(at, kind)).bytes, pdf, kind)
  })

  it('is pending in each state before the next issue too, and the current one is served until then', async () => {
    const at = await issueToFamily(t)
    const [first, second, third] = [smallPdf('First'), smallPdf('Second'), smallPdf('Third')]
    assert.equal((await put(at, 'policy_certificate', first)).status, 200)
    await setPolicyStatusTo(t, at, ['REQUIRES_POLICY_REISSUANCE', 'VERIFICATION'])
    assert.equal((await put(at, 'policy_certificate', second)).status, 200)
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, first)
    await setPolicyStatusTo(t, at, ['APPROVED'])
    assert.equal((await put(at, 'policy_certificate', third)).status, 200)
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, first)
    await setPolicyStatusTo(t, at, ['ISSUED'])
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, third)
  })

  it('while an issue is pending, the ETag of the pending upload counts, not that of the served document', async () => {
    const at = await issueToFamily(t)
    const shown = (await get(at, 'policy_certificate')).headers['etag'] ?? ''
    await setPolicyStatusTo(t, at, ['REQUIRES_POLICY_REISSUANCE'])
    const waiting = await put(at, 'policy_certificate', smallPdf('One'), { headers: { 'if-match': shown } })
    assert.equal(waiting.status, 200)
    const stale = await put(at, 'policy_certificate', smallPdf('Two'), { headers: { 'if-match': shown } })
    assert.equal(stale.status, 412)
    const fresh = { 'if-match': waiting.headers['etag'] ?? '' }
    assert.equal((await put(at, 'policy_certificate', smallPdf('Three'), { headers: fresh })).status, 200)
    await setPolicyStatusTo(t, at, ['ISSUED'])
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, smallPdf('Three'))
  })

  it('one of ten concurrent uploads that name the same version succeeds', async () => {
    const at = await issueToFamily(t)
    const made = (await get(at, 'policy_certificate')).headers['etag'] ?? ''
    const pdfs = Array.from({ length: 10 }, (_, index) => smallPdf(`Number ${index}`))
    const responses = await Promise.all(
      pdfs.map((pdf) => put(at, 'policy_certificate', pdf, { headers: { 'if-match': made } })),
    )
    const taken = responses.flatMap(({ status }, index) => (status === 200 ? [index] : []))
    assert.equal(taken.length, 1)
    for (const { status } of responses) assert([200, 412].includes(status), String(status))
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, pdfs[taken[0] as number])
  })
})

describe('unneeded files', () => {
  it('a replaced file is deleted after an hour; its replacement and the record of who uploaded stay', async () => {
    const at = await issueToFamily(t)
    await put(at, 'policy_certificate', smallPdf('One'))
    await put(at, 'policy_certificate', smallPdf('Two'))
    const files = (await storedFiles()).length
    await deleteUnusedFiles(t.deps)
    assert.equal((await storedFiles()).length, files, 'a download of it may be running')

    await t.sql(`update files_to_delete set due_at = now()`)
    await deleteUnusedFiles(t.deps)
    assert((await storedFiles()).length < files)
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, smallPdf('Two'))
    const rows = await rowsOf(at)
    assert.deepEqual(
      rows.map(({ replaced_at, actor }) => [replaced_at !== null, actor]),
      [
        [true, `provider:${at.provider.id}`],
        [false, `provider:${at.provider.id}`],
      ],
    )
  })

  it('the remains of an unfinished upload are deleted too', async () => {
    const at = await issueToFamily(t)
    await t.deps.storage.put('documents/fil_abandoned', oneChunk('half of something'))
    await t.sql(`insert into files_to_delete values ('fil_abandoned', now())`)
    await put(at, 'policy_certificate', smallPdf('Whole'))
    await deleteUnusedFiles(t.deps)
    assert.equal(await t.deps.storage.get('documents/fil_abandoned'), undefined)
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, smallPdf('Whole'))
  })

  it('an aborted upload leaves nothing, one that finished too late leaves nothing untracked', async () => {
    const at = await issueToFamily(t)
    const made = (await get(at, 'policy_certificate')).headers['etag'] ?? ''
    const files = (await storedFiles()).length
    const whole = pdfOfLength(MIB)
    for (const part of [whole.subarray(0, MIB / 2), whole.subarray(0, -20)])
      assert.equal((await put(at, 'policy_certificate', part)).status, 422)
    assert.equal((await storedFiles()).length, files, 'what was written of it is gone')

    const responses = await Promise.all(
      ['One', 'Two', 'Three'].map((line) =>
        put(at, 'policy_certificate', smallPdf(line), { headers: { 'if-match': made } }),
      ),
    )
    assert.equal(responses.filter(({ status }) => status === 200).length, 1)
    assert.deepEqual(await forgottenFiles(), [])
  })

  it('one that cannot be deleted does not block the others, and is tried again', async () => {
    const ids = ['fil_1', 'fil_2', 'fil_3', 'fil_4'].map((id) => `${id}_undeletable`)
    for (const [minutes, id] of ids.entries()) {
      await t.deps.storage.put(`documents/${id}`, oneChunk('something'))
      await t.sql(`insert into files_to_delete values ($1, now() - (10 - $2::int) * interval '1 minute')`, [
        id,
        minutes,
      ])
    }
    const [first = '', , third = ''] = ids
    const failures = { [`documents/${first}`]: new Error('first'), [`documents/${third}`]: new Error('third') }
    const failing = {
      ...t.deps.storage,
      delete: async (key: string) => {
        if (failures[key]) throw failures[key]
        await t.deps.storage.delete(key)
      },
    }
    const left = () =>
      t.sql<{ file_id: string }>(`select file_id from files_to_delete where file_id = any($1) order by 1`, [ids])
    await assert.rejects(deleteUnusedFiles({ db: t.deps.db, storage: failing }), failures[`documents/${first}`])
    assert.deepEqual(await left(), [{ file_id: first }, { file_id: third }])
    for (const id of ids) {
      const isLeft = id === first || id === third
      assert.equal((await t.deps.storage.get(`documents/${id}`))?.destroy() !== undefined, isLeft, id)
    }
    await deleteUnusedFiles(t.deps)
    assert.deepEqual(await left(), [])
    assert.equal(await t.deps.storage.get(`documents/${first}`), undefined)
  })
})

describe('a failing storage', () => {
  it('503 when it fails after storing: the document stays, and the stored file is tracked', async (test) => {
    const at = await issueToFamily(t)
    const before = await get(at, 'policy_certificate')
    const files = (await storedFiles()).length
    const { put: store } = t.deps.storage
    test.mock.method(t.deps.storage, 'put', async (key: string, bytes: AsyncIterable<Uint8Array>) => {
      await store(key, bytes)
      throw unavailable(new Error('no response came'))
    })
    assert.equal((await put(at, 'policy_certificate', smallPdf('One'))).status, 503)
    assert.equal((await storedFiles()).length, files + 1)
    assert.deepEqual(await forgottenFiles(), [])
    assert.deepEqual(await rowsOf(at), [])
    assert.deepEqual((await get(at, 'policy_certificate')).bytes, before.bytes)
  })
})
