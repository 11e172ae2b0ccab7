import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type TestResponse, openTestApp } from '../../../support/app.ts'
import { issueToFamily, type PolicyScene } from '../../../support/issued-policies.ts'
import { smallPdf } from '../../../support/small-pdf.ts'
import { uploadScenes } from '../../../support/uploads.ts'

const t = await openTestApp()

const scenes = uploadScenes(t)
const { forgottenFiles, rowsOf } = scenes

const KIND = 'policy_certificate'
const put = (at: PolicyScene, body: Buffer, headers: Record<string, string> = {}) =>
  scenes.put(at, KIND, body, { headers })
const get = (at: PolicyScene) => scenes.get(at, KIND)

describe('concurrent uploads', () => {
  const currentOf = async (at: PolicyScene) => (await rowsOf(at)).filter(({ replaced_at }) => replaced_at === null)

  it('200 for each of ten; one becomes the document, and the others are queued for deletion', async () => {
    const at = await issueToFamily(t)
    const pdfs = Array.from({ length: 10 }, (_, index) => smallPdf(`Number ${index}`))
    const responses = await Promise.all(pdfs.map((pdf) => put(at, pdf)))
    assert.deepEqual(
      responses.map(({ status }) => status),
      pdfs.map(() => 200),
    )
    const { bytes } = await get(at)
    assert(pdfs.some((pdf) => pdf.equals(bytes)))
    assert.deepEqual([(await rowsOf(at)).length, (await currentOf(at)).length], [10, 1])
    assert.deepEqual(await forgottenFiles(), [])
  })

  /** Uploads, and runs `meanwhile` while the bytes are being stored. */
  async function overtaken(test: TestContext, meanwhile: () => Promise<unknown>, upload: () => Promise<TestResponse>) {
    const { put: store } = t.deps.storage
    let isFirst = true
    const overtaking = test.mock.method(
      t.deps.storage,
      'put',
      async (key: string, bytes: AsyncIterable<Uint8Array>) => {
        const isOurs = isFirst
        isFirst = false
        await store(key, bytes)
        if (isOurs) await meanwhile()
      },
    )
    try {
      return await upload()
    } finally {
      overtaking.mock.restore()
    }
  }

  it('200 for one overtaken during its transfer: the last to finish wins, with or without an earlier upload', async (test) => {
    const at = await issueToFamily(t)
    for (const [slow, quick] of [
      ['Slow', 'Quick'],
      ['Slow again', 'Quick again'],
    ] as const) {
      const response = await overtaken(
        test,
        async () => assert.equal((await put(at, smallPdf(quick))).status, 200),
        () => put(at, smallPdf(slow)),
      )
      assert.equal(response.status, 200, response.text)
      assert.deepEqual((await get(at)).bytes, smallPdf(slow))
    }
    assert.deepEqual([(await rowsOf(at)).length, (await currentOf(at)).length], [4, 1])
    assert.deepEqual(await forgottenFiles(), [])
  })

  it('412 for one with If-Match that is overtaken; the other stays, and every file is tracked', async (test) => {
    const at = await issueToFamily(t)
    const made = (await get(at)).headers['etag'] ?? ''
    const response = await overtaken(
      test,
      () => put(at, smallPdf('Quick')),
      () => put(at, smallPdf('Slow'), { 'if-match': made }),
    )
    assert.deepEqual([response.status, response.body.code], [412, 'precondition_failed'])
    assert.deepEqual((await get(at)).bytes, smallPdf('Quick'))
    assert.equal((await rowsOf(at)).length, 1)
    assert.deepEqual(await forgottenFiles(), [])
  })

  it('503 for one so slow that its file is due for deletion; the document stays', async (test) => {
    const at = await issueToFamily(t)
    const before = await get(at)
    const response = await overtaken(
      test,
      () => t.sql("update files_to_delete set due_at = now() - interval '1 minute'"),
      () => put(at, smallPdf('Late')),
    )
    assert.deepEqual([response.status, response.body.code], [503, 'unavailable'])
    assert.deepEqual((await get(at)).bytes, before.bytes)
    assert.deepEqual(await rowsOf(at), [])
    assert.deepEqual(await forgottenFiles(), [])
  })
})
