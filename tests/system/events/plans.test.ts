import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { plansOf, sentBy } from '../../support/plans.ts'
import { settled } from '../../support/settled.ts'

const t = await openTestApp()

/** For a few rows these are as good as any. */
const LAST_RESORT = ['seqscan', 'bitmapscan', 'sort', 'incremental_sort']

/**
 * Thirty days of a small installation: one event in fifty is of this platform and this benefit provider, one in a
 * hundred has this subject.
 */
async function fill(names: { platformId: string; providerId: string; subject: string }): Promise<void> {
  const { platformId, providerId, subject } = names
  await t.sql(
    `insert into events (event_id, type, platform_id, subject, data, xid)
     select 'evt_' || lpad(i::text, 26, '0'), 'benefit.updated',
            case i % 50 when 0 then $1 else 'plt_' || i % 50 end, case i % 100 when 0 then $3 else 'pol_' || i end,
            jsonb_build_object('benefit_id', 'bnf_1', 'benefit_provider_id', case i % 50 when 0 then $2 else 'bpr_' || i % 50 end),
            (100 + i / 100)::text::xid8
       from generate_series(1, 30000) i`,
    [platformId, providerId, subject],
  )
  await t.sql('analyze events')
  await settled(t)
}

describe('events are read in index order: nothing is sorted, and nothing before the cursor is read', async () => {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const policy = 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2'
  await fill({ platformId: platform.id, providerId: provider.id, subject: policy })
  const subject = `&subject=${policy}`
  const readers: [string, { token: string; query: string; index: string }][] = [
    ['by a platform', { token: platform.token, query: '', index: 'events_of_platform' }],
    ['by a benefit provider', { token: provider.token, query: '', index: 'events_of_provider' }],
    ['by an administrator', { token: t.viewer, query: '', index: 'events_in_order' }],
    ['of some types', { token: platform.token, query: '&type=benefit.updated', index: 'events_of_platform' }],
    ['of a subject, by a platform', { token: platform.token, query: subject, index: 'events_of_subject' }],
    ['of a subject, by a benefit provider', { token: provider.token, query: subject, index: 'events_of_subject' }],
    ['of a subject, by an administrator', { token: t.viewer, query: subject, index: 'events_of_subject' }],
  ]
  for (const [name, { token, query, index }] of readers) {
    it(name, async () => {
      const { body } = await t.call('GET', `/v1/events?limit=1${query}`, { token })
      const [found, listed, ...more] = await sentBy(t, 'GET', `/v1/events?after=${body.next}${query}`, { token })
      assert(found && listed && more.length === 0, 'one statement for the cursor, one for the page')
      for (const plan of await plansOf(t.ownerUrl, found)) assert.match(plan, /Index Scan using events_pkey\b/, plan)
      for (const plan of await plansOf(t.ownerUrl, listed, LAST_RESORT)) {
        assert.match(plan, new RegExp(`Index Scan using ${index}\\b`), plan)
        assert.match(plan, /Index Cond: .*ROW\(xid, event_id\) > ROW\(/, plan)
        assert.doesNotMatch(plan, /Sort|Seq Scan|Bitmap/, plan)
      }

      const [newest] = await sentBy(t, 'GET', `/v1/events?after=latest${query}`, { token })
      assert(newest)
      for (const plan of await plansOf(t.ownerUrl, newest, LAST_RESORT)) {
        assert.match(plan, new RegExp(`Scan Backward using ${index}\\b`), plan)
        assert.doesNotMatch(plan, /Sort|Seq Scan|Bitmap/, plan)
      }
    })
  }
})
