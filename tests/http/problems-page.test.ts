import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FIELD_ERROR_CODES } from '../../src/kernel/field-error-codes.ts'
import { CONFLICT_REASONS, PROBLEMS } from '../../src/kernel/problem-error.ts'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()
const response = await t.app.inject({ url: '/docs/errors', headers: { accept: 'text/html' } })
const page = response.body

/** Returns the page's text under this id, and the example in it. */
function sectionOf(id: string) {
  const [, text = ''] = new RegExp(`<section id="${id}">(.*?)</section>`, 's').exec(page) ?? []
  const [, example = '{}'] = /<pre>(.*?)<\/pre>/s.exec(text) ?? []
  const json = example.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  return { text, example: JSON.parse(json) as Record<string, unknown> }
}

function assertReports({ text }: { text: string }, what: string): void {
  assert.match(text, /<p>.{10,}<\/p><p><strong>What to do:<\/strong> .{5,}<\/p>/s, what)
}

describe('GET /docs/errors', () => {
  it('200 as an HTML page that loads nothing', () => {
    assert.equal(response.statusCode, 200)
    assert.match(String(response.headers['content-type']), /^text\/html/)
    assert.doesNotMatch(page, /`|\*\*/)
    assert.doesNotMatch(page, /<script|<link|<img/)
  })

  it('lists every code with its status, how to handle it and an example with all the members of a problem', () => {
    for (const [code, { status }] of Object.entries(PROBLEMS)) {
      const section = sectionOf(code)
      assertReports(section, code)
      assert(section.text.includes(`${status} <code>${code}</code>`), code)
      const { type, title, detail, instance, request_id, ...rest } = section.example
      for (const member of [type, title, detail, instance, request_id]) assert.equal(typeof member, 'string', code)
      assert.deepEqual([rest['status'], rest['code']], [status, code])
    }
  })

  it('lists every field error code, how to handle it and an example with its pointer', () => {
    for (const code of FIELD_ERROR_CODES) {
      const section = sectionOf(`error-${code}`)
      assertReports(section, code)
      assert.deepEqual(Object.keys(section.example).toSorted(), ['code', 'detail', 'pointer'])
      assert.equal(section.example['code'], code)
    }
  })

  it('lists every reason of a conflict and how to handle it', () => {
    for (const reason of CONFLICT_REASONS) {
      const section = sectionOf(`reason-${reason}`)
      assertReports(section, reason)
      assert.equal(section.example['reason'], reason)
    }
  })

  it('is the target of a problem’s type, at the anchor of its code', async () => {
    const { body } = await t.call('GET', '/v1/platforms/none', { token: t.viewer })
    const { pathname, hash } = new URL(body.type)
    assert.equal(pathname, '/docs/errors')
    assert(page.includes(`<section id="${hash.slice(1)}">`))
  })
})
