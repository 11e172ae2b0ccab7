import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BUILD, COMMIT, RELEASE, VERSION, VERSION_BEFORE } from '../../src/kernel/program-version.ts'
import { readText } from '../support/sources.ts'
import { keptVersions, releasedDocument } from '../upgrades/kept.ts'

const versionIn = (path: string): string => {
  const { version, info } = JSON.parse(readText(path)) as { version?: string; info?: { version: string } }
  return version ?? info?.version ?? ''
}

describe('the version', () => {
  it('is that of the package, in every document', () => {
    for (const path of ['package.json', 'package-lock.json', 'openapi.json', 'asyncapi.json']) {
      assert.equal(versionIn(path), VERSION, path)
    }
  })

  it('and the one before are the newest two of the changelog, with notes for who upgrades', () => {
    const [, ...sections] = readText('CHANGELOG.md').split(/^## /m)
    const marked = sections.filter((section) => /^\d/.test(section))
    const titles = marked.map((section) => section.split('\n', 1)[0])
    assert.deepEqual(titles.slice(0, 2), [VERSION, VERSION_BEFORE])
    assert.match(marked[0] ?? '', /^### Upgrading$/m)
  })

  it('the released document is that of the version before', () => {
    const { info } = JSON.parse(releasedDocument(VERSION_BEFORE)) as { info: { version: string } }
    assert.equal(info.version, VERSION_BEFORE)
  })

  it('is none of which a database is kept: two programs of one version cannot be told apart', () => {
    assert(keptVersions().includes(VERSION_BEFORE))
    assert(!keptVersions().includes(VERSION) && !keptVersions().includes(RELEASE), VERSION)
  })

  it('has one heading in the changelog, as every other', () => {
    const headings = readText('CHANGELOG.md').match(/^## .*$/gm) ?? []
    assert.deepEqual(headings, [...new Set(headings)])
  })

  it('is compared by its three numbers, and shown with the commit', () => {
    assert.match(RELEASE, /^\d+\.\d+\.\d+$/)
    assert.equal(VERSION.replace(/-dev$/, ''), RELEASE)
    assert.match(COMMIT, /^(?:[0-9a-f]{12}|unknown)$/)
    assert.equal(BUILD, COMMIT === 'unknown' ? VERSION : `${VERSION}+${COMMIT}`)
  })
})
