import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { VERSION, VERSION_BEFORE } from '../../src/kernel/program-version.ts'
import { readText } from '../support/sources.ts'

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
    assert.equal(versionIn('docs/released-openapi.json'), VERSION_BEFORE)
  })
})
