import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FIELD_ERROR_CODES } from '../../src/kernel/field-error-codes.ts'
import { CONFLICT_REASONS, PROBLEMS } from '../../src/kernel/problem-error.ts'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()
const response = await t.app.inject({ url: '/docs/errors', headers: { accept: 'text/html' } })
const page = response.body

const inputPage = (await t.app.inject({ url: '/docs/reference/field-codes', headers: { accept: 'text/html' } })).body

/** Returns the text below the heading with this id, and the example in it. */
function sectionOf(id: string, of = page) {
  const [, text = ''] = new RegExp(`<h3 id="${id}">(.*?)(?=<h[23] id=|<nav)`, 's').exec(of) ?? []
  const [, example = '{}'] = /<code class="language-json">(.*?)<\/code>/s.exec(text) ?? []
  const json = example
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
  return { text, example: JSON.parse(json) as Record<string, unknown> }
}

function assertReports({ text }: { text: string }, what: string): void {
  assert.match(text, /<p>.{10,}<\/p>\s*<p><strong>What to do:<\/strong> .{5,}<\/p>/s, what)
}

describe('GET /docs/errors', () => {
  it('200 as an HTML page', () => {
    assert.equal(response.statusCode, 200)
    assert.match(String(response.headers['content-type']), /^text\/html/)
  })

  it('lists every code with its status, how to handle it and an example with all the members of a problem', () => {
    for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
      const section = sectionOf(code)
      assertReports(section, code)
      assert(section.text.includes(`<p><strong>${status} ${title}.</strong>`), code)
      const { type, title: titled, detail, instance, request_id, ...rest } = section.example
      for (const member of [type, titled, detail, instance, request_id]) assert.equal(typeof member, 'string', code)
      assert.deepEqual([rest['status'], rest['code']], [status, code])
    }
  })

  it('lists every field error code, how to handle it and an example with its pointer', () => {
    for (const code of FIELD_ERROR_CODES) {
      const section = sectionOf(code, inputPage)
      assertReports(section, code)
      assert.deepEqual(Object.keys(section.example).toSorted(), ['code', 'detail', 'pointer'])
      assert.equal(section.example['code'], code)
    }
  })

  it('lists every reason of a conflict and how to handle it', () => {
    for (const reason of CONFLICT_REASONS) {
      const section = sectionOf(reason)
      assertReports(section, reason)
      assert.equal(section.example['reason'], reason)
    }
  })

  it('is the target of a problem’s type, at the anchor of its code', async () => {
    const { body } = await t.call('GET', '/v1/platforms/none', { token: t.viewer })
    const { pathname, hash } = new URL(body.type)
    assert.equal(pathname, '/docs/errors')
    assert(page.includes(`<h3 id="${hash.slice(1)}">`))
  })
})
