import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unavailable } from '../../../../src/kernel/problem-error.ts'
import { openTestApp } from '../../../support/app.ts'
import { issueToFamily } from '../../../support/issued-policies.ts'
import { pdfWith, smallPdf } from '../../../support/small-pdf.ts'
import { uploadScenes } from '../../../support/uploads.ts'

const t = await openTestApp()
const { put, get, storedFiles, forgottenFiles, rowsOf, eventsOf } = uploadScenes(t)

const KIND = 'policy_certificate'

describe('a file that must not replace a document', () => {
  const UNFIT: Record<string, Buffer> = {
    not_a_pdf: Buffer.from('%PDF-1.7\n<html><script>alert(1)</script></html>\nstartxref\n0\n%%EOF\n'),
    encrypted: pdfWith({ trailer: '/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 >>' }),
    javascript: pdfWith({ catalog: '/OpenAction << /S /JavaScript /JS (x) >>' }),
    unsafe_action: pdfWith({ catalog: '/OpenAction << /S /Launch /F (x) >>' }),
    embedded_file: pdfWith({ catalog: '/AF [<< /Type /Filespec /F (a) /EF << /F 4 0 R >> >>]' }),
  }

  it('422 says what is wrong and how to fix it; the document stays, and nothing of the upload is kept', async () => {
    const at = await issueToFamily(t)
    const before = await get(at, KIND)
    const files = (await storedFiles()).length
    for (const [code, pdf] of Object.entries(UNFIT)) {
      const { status, body } = await put(at, KIND, pdf)
      assert.deepEqual([status, body.code], [422, 'validation_failed'], code)
      assert.equal(body.errors.length, 1)
      const [{ detail, ...error }] = body.errors
      assert.deepEqual(error, { pointer: '', code })
      assert.match(detail, /^Must .*\. .*\.$/)
    }
    assert.deepEqual((await get(at, KIND)).bytes, before.bytes)
    assert.equal((await storedFiles()).length, files)
    assert.deepEqual([await rowsOf(at), await eventsOf(at)], [[], []])
  })

  it('422 with an entry for each error', async () => {
    const at = await issueToFamily(t)
    const pdf = pdfWith({
      catalog: '/OpenAction << /S /JavaScript /JS (x) >> /AF [<< /Type /Filespec /EF << /F 4 0 R >> >>]',
    })
    const { status, body } = await put(at, KIND, pdf)
    const codes = body.errors.map(({ code }: { code: string }) => code)
    assert.deepEqual([status, codes.toSorted()], [422, ['embedded_file', 'javascript']])
  })

  it('503 when the file cannot be inspected: the document stays, and the stored file is tracked', async (test) => {
    const at = await issueToFamily(t)
    const before = await get(at, KIND)
    test.mock.method(t.deps.inspector, 'inspect', () => Promise.reject(unavailable()))
    assert.equal((await put(at, KIND, smallPdf('Fine'))).status, 503)
    assert.deepEqual((await get(at, KIND)).bytes, before.bytes)
    assert.deepEqual(await rowsOf(at), [])
    assert.deepEqual(await forgottenFiles(), [])
  })
})

it('200 for a document generated here, uploaded in place of another', async () => {
  const at = await issueToFamily(t)
  for (const kind of ['enrollment_form', 'health_card/self', 'customer_information_sheet']) {
    const { bytes } = await get(at, kind)
    const response = await put(at, KIND, bytes)
    assert.equal(response.status, 200, response.text)
    assert.deepEqual((await get(at, KIND)).bytes, bytes)
  }
})
