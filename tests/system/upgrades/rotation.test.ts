import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { checkKeys } from '../../../src/access/key-fingerprints.ts'
import { openTestApp } from '../../support/app.ts'
import { newWorkspace, runCommand } from '../../support/server.ts'
import { type KeySettings, keptVersions, readKept } from '../../upgrades/kept.ts'
import { differencesIn } from '../../upgrades/replay-reads.ts'
import { restore, withKeys } from '../../upgrades/restore.ts'

const KEY_BYTES = 32
const newKey = () => randomBytes(KEY_BYTES).toString('base64')

/** New keys before the former ones. */
const addedTo = (keys: KeySettings): KeySettings => ({
  ...keys,
  MASTER_KEYS: `m3:${newKey()},${keys.MASTER_KEYS}`,
  HASH_KEY: `${newKey()},${keys.HASH_KEY}`,
})

for (const version of keptVersions()) {
  const kept = readKept(version)
  const keys = addedTo(kept.scene.settings)
  const existing = await restore(kept)
  const workspace = await newWorkspace()
  after(workspace.remove)
  const command = (...args: string[]) => {
    const { ownerUrl, appUrl } = existing.database
    const urls = { DATABASE_URL: appUrl, MIGRATION_DATABASE_URL: ownerUrl }
    return runCommand(args, { ...workspace.environment, ...keys, ...urls })
  }

  describe(`a database of ${version}, migrated`, () => {
    it('is moved to new keys and to the present formats, and reads the same without the former master keys', async () => {
      // As servers do when they start: with the former keys after the upgrade, then with the new ones.
      for (const one of [existing, withKeys(existing, keys)]) await checkKeys(existing.database.db, one.keys)
      const rotated = await command('keys', 'rotate')
      assert.match(rotated.stdout, /MASTER_KEYS m3 .* wraps new data keys/, rotated.stderr)
      assert.match(rotated.stdout, /MASTER_KEYS m1 .* 0 data keys/)
      const resealed = await command('formats', 'reseal')
      assert.deepEqual(
        [resealed.code, /\b[1-9]\d* resealed/.test(resealed.stdout)],
        [0, version === '8286400'],
        resealed.stdout,
      )
      const verified = await command('formats', 'verify')
      assert.equal(verified.code, 0, verified.stdout)
      assert.doesNotMatch(verified.stdout, / [1-9]\d* (in a former format|unreadable)/)

      const [newest = ''] = keys.MASTER_KEYS.split(',')
      const t = await openTestApp({ own: true, existing: withKeys(existing, { ...keys, MASTER_KEYS: newest }) })
      t.calendar.at = new Date(kept.scene.calendar)
      assert.deepEqual(await differencesIn(t, kept), [])
    })
  })
}
