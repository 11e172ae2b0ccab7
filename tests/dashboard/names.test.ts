import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documentName } from '../../dashboard/src/screens/policy/document-names.ts'
import { DOCUMENT_KINDS } from '../../src/domains/cover/documents/document-urls.ts'
import { typesFor } from '../../src/record/catalogue.ts'

/** Not imported by its name, because its types are those of the browser. */
const GROUPS = new URL('../../dashboard/src/screens/events/event-types.ts', import.meta.url).href

describe('what the dashboard names', () => {
  it('each type of document in words', () => {
    const unnamed = DOCUMENT_KINDS.map(({ type }) => type).filter((type) => documentName(type) === type)
    assert.deepEqual(unnamed, [])
  })

  it('each type of event in one group', async () => {
    const { EVENT_GROUPS: groups } = (await import(GROUPS)) as { EVENT_GROUPS: { types: string[] }[] }
    const grouped = groups.flatMap(({ types }) => types)
    assert.deepEqual(grouped.toSorted(), typesFor('administrators').toSorted())
  })
})
