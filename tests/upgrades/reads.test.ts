import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'
import { textOf } from '../support/pdf.ts'
import { keptVersions, readKept } from './kept.ts'
import { callersOf, differencesIn } from './replay-reads.ts'
import { pathsOf, readsIn } from './record-responses.ts'
import { restore } from './restore.ts'

for (const version of keptVersions()) {
  const kept = readKept(version)
  const t = await openTestApp({ own: true, existing: await restore(kept) })
  const { scene } = kept
  t.calendar.at = new Date(scene.calendar)

  describe(`a database of ${version}, migrated`, () => {
    it('200 for every record, through every operation, to every caller, equal to what that version returned', async () => {
      assert.deepEqual(await differencesIn(t, kept), [])
    })

    it('200 for what that version did not have: exports, timelines, statuses, logs', async () => {
      const callers = await callersOf(t, kept)
      const recorded = new Set(kept.responses.map(({ path }) => path))
      const reads = readsIn(t.app.swagger() as Parameters<typeof readsIn>[0])
      const paths = pathsOf(reads, scene.ids).filter((path) => path.startsWith('/v1/users/') && !recorded.has(path))
      assert(paths.length > 10)
      let found = 0
      for (const path of paths) {
        const { status, text } = await t.call('GET', path, { headers: callers.get('owner') ?? {} })
        assert(status === 200 || status === 404 || status === 409, `${path} returned ${status}: ${text}`)
        assert.doesNotMatch(text, /unavailable|unreadable/i, path)
        if (status === 200) found++
      }
      assert(found > 10, 'there is something to read')
    })

    it('a certificate has the name of its holder', async () => {
      const nameOf = (id: string) =>
        (scene.users.find((user) => user.id === id)?.identity as { first_name: string } | undefined)?.first_name ?? ''
      const certificates = kept.responses
        .filter(({ path, sha256 }) => path.endsWith('/policy_certificate') && sha256 === undefined)
        .map(({ path }) => ({ path, name: nameOf(path.split('/')[3] ?? '') }))
      const { path, name } = certificates.find((one) => one.name === 'Asha') ?? assert.fail()
      const { bytes } = await t.call('GET', path, { token: t.owner })
      assert((await textOf(bytes)).includes(name))
    })
  })
}
