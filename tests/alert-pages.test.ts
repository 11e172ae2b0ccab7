import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readAlerts } from '../tools/reference/alerts-page.ts'
import { readText } from './support/sources.ts'

const rules = readText('deploy/observability/alerts.yml')
const page = readText('docs/operators/alerts.md')
const names = readAlerts().map(({ name }) => name)
const sections = page.split(/^### /m).slice(1)

describe('the page of the alerts', () => {
  it('has a section for every alert of the rules, and for no other', () => {
    assert(names.length >= 20 && names.length === rules.match(/- alert: /g)?.length)
    assert.deepEqual(new Set(sections.map((section) => section.split('\n')[0])), new Set(names))
    assert.equal(sections.length, names.length)
  })

  it('says of each what it means, what to check and what to do', () => {
    for (const section of sections) {
      const parts = [...section.matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, part]) => part)
      assert.deepEqual(parts, ['Means', 'Check', 'Do'], section)
    }
  })

  it('is linked from each rule, with a severity', () => {
    const links = [...rules.matchAll(/runbook: (\S+)/g)].map(([, link]) => link)
    assert.deepEqual(
      links,
      names.map((name) => `docs/operators/alerts.md#${name.toLowerCase()}`),
    )
    assert.equal(rules.match(/severity: (critical|warning|info)/g)?.length, names.length)
  })

  it('leads to every runbook, and to none that does not exist', () => {
    const runbooks = readText('docs/runbooks.md')
    const linked = [...page.matchAll(/runbooks\.md#([a-z-]+)/g)].map(([, anchor]) => anchor)
    const headings = [...runbooks.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
    const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'))
    assert.deepEqual(new Set(linked), new Set(anchors))
    for (const part of runbooks.split('\n## ').slice(1)) assert(/\*\*Afterwards\.\*\*/.test(part), part.slice(0, 30))
  })

  it('has every alert that another page names', () => {
    const pages = ['docs/runbooks.md', 'docs/operations.md', 'docs/operators/alerts.md', 'deploy/README.md'].map(
      readText,
    )
    const named = pages.flatMap((text) => [...text.matchAll(/\bBanyan[A-Z]\w+/g)].map(([name]) => name))
    assert.deepEqual(
      named.filter((name) => !names.includes(name)),
      [],
    )
  })
})
