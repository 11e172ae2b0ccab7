import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documentName } from '../../dashboard/src/screens/policy/document-names.ts'
import { DOCUMENT_KINDS } from '../../src/domains/cover/documents/document-urls.ts'

describe('what the dashboard names', () => {
  it('each type of document in words', () => {
    const unnamed = DOCUMENT_KINDS.map(({ type }) => type).filter((type) => documentName(type) === type)
    assert.deepEqual(unnamed, [])
  })
})
