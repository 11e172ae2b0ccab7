import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { DOCUMENT_KINDS } from '../../src/domains/cover/documents/document-urls.ts'
import { openTestApp } from '../support/app.ts'
import { issueToFamily } from '../support/issued-policies.ts'
import { factsOf } from '../support/pdf.ts'

const t = await openTestApp()
const templates = readdirSync(new URL('../../templates', import.meta.url))

describe('every document type', () => {
  it('has a template, and every template except the shared one has a document type', () => {
    const named = DOCUMENT_KINDS.map(({ template }) => `${template}.typ`)
    const kept = templates.filter((name) => name.endsWith('.typ') && name !== 'paper.typ')
    assert.deepEqual([...new Set(named)].toSorted(), kept.toSorted())
  })

  it('has a title of its own, in its template too: downloads and tabs show nothing else', () => {
    const titles = templates
      .filter((name) => name.endsWith('.typ') && name !== 'paper.typ')
      .map((name) => {
        const source = readFileSync(new URL(`../../templates/${name}`, import.meta.url), 'utf8')
        const [, title] = /(?:kind: |document\(title: )"([^"]+?)(?:, |")/.exec(source) ?? []
        assert(title, `${name} has a title`)
        return title
      })
    assert.equal(new Set(titles).size, titles.length, titles.join())
  })

  it('has its URL in the record of an issued policy, and can be downloaded from there', async () => {
    const at = await issueToFamily(t)
    const { documents } = (await t.call('GET', at.address, { token: at.platform.token })).body
    for (const { type, perMember } of DOCUMENT_KINDS) {
      const addresses = perMember ? Object.values<string>(documents[`${type}s`]) : [documents[type]]
      assert.equal(addresses.length, perMember ? 1 + at.dependants.length : 1, type)
      for (const address of addresses) {
        const { status, bytes, text } = await t.call('GET', address, { token: at.user.token })
        assert.equal(status, 200, `${address}: ${text.slice(0, 300)}`)
        assert((await factsOf(bytes)).pages > 0)
      }
    }
    assert.equal(Object.keys(documents).length, DOCUMENT_KINDS.length)
  })
})
