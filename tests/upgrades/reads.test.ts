import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'
import { keptVersions, readKept } from './kept.ts'
import { differencesIn } from './replay-reads.ts'
import { restore } from './restore.ts'

for (const version of keptVersions()) {
  const kept = readKept(version)
  const t = await openTestApp({ own: true, existing: await restore(kept) })
  t.calendar.at = new Date(kept.scene.calendar)

  describe(`a database of ${version}, migrated`, () => {
    it('200 for every record, through every operation, to everybody, equal to what that version returned', async () => {
      assert.deepEqual(await differencesIn(t, kept), [])
    })
  })
}
