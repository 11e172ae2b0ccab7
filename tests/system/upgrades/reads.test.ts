import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../support/app.ts'
import { textOf } from '../../support/pdf.ts'
import { keptVersions, readKept } from '../../upgrades/kept.ts'
import { callersOf, differencesIn } from '../../upgrades/replay-reads.ts'
import { pathsOf, readsIn } from '../../upgrades/record-responses.ts'
import { restore } from '../../upgrades/restore.ts'

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
      const reads = readsIn(t.app.document())
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

    it('its events have the members of today, in the order in which they happened, for every caller', async () => {
      const callers = await callersOf(t, kept)
      const listed = async (caller: string) => {
        const found: Body[] = []
        for (let [after, more] = ['', true]; more; ) {
          const page = await t.call('GET', `/v1/events?limit=100${after}`, { headers: callers.get(caller) ?? {} })
          assert.equal(page.status, 200, page.text) // the shape of each event is checked against the document
          found.push(...page.body.data)
          after = `&after=${page.body.next}`
          more = page.body.has_more
        }
        return found
      }
      const events = await listed('owner')
      const types = new Set(events.map(({ type }) => type))
      for (const type of ['policy.status_changed', 'consultation.message_created', 'dependants.created'])
        assert(types.has(type), `there is a ${type}`)
      const policies = events.filter(({ type }) => type === 'policy.status_changed')
      const seen = await listed('provider 0')
      const own = scene.providers[0]?.id
      const ids = (of: Body[]) => of.map(({ id }) => id)
      assert.deepEqual(
        ids(seen.filter(({ type }) => type === 'policy.status_changed')),
        ids(policies.filter(({ data }) => data.benefit_provider_id === own)),
      )
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
