import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { rowsRead, sentBy } from '../../support/plans.ts'

/** Besides the two who are covered: versions that were corrected, or dependants without a policy. */
const OTHERS = 233
const FAMILIES = 5_000

const t = await openTestApp({ own: true })

/** A user with two policies of two dependants, and many other versions of these. */
async function scene() {
  const { platform, benefit } = await t.offer()
  const user = await t.onboardedUser(platform)
  const dependant_ids = await t.dependants({ ...user, token: platform.token }, ['Ravi', 'Mira'])
  for (const start_date of ['2026-04-01', '2027-04-01'])
    await t.policy(platform, user, benefit, { start_date, dependant_ids })
  await t.sql(
    `insert into dependants (user_id, dependant_id, superseded_at, identity_hash, sealed)
     select user_id, dependant_id || '_' || i, now(), identity_hash, sealed
       from dependants, generate_series(1, $2) i where user_id = $1 and dependant_id = $3`,
    [user.id, OTHERS, dependant_ids[0]],
  )
  // As in an installation: most users have few dependants, so that a plan which reads all of a user looks cheap.
  await t.sql(
    `with others as (
       insert into users (user_id, platform_id, sealed, profile_digest, phone_hash)
       select '9' || lpad(i::text, 11, '0'), platform_id, '', '', int4send(i)
         from users, generate_series(1, $2) i where user_id = $1
       returning user_id
     )
     insert into dependants (user_id, dependant_id, identity_hash, sealed)
     select user_id, 'dep_' || i, int4send(i), '' from others, generate_series(1, 2) i`,
    [user.id, FAMILIES],
  )
  await t.sql('analyze dependants')
  return { url: `/v1/users/${user.id}/insurance_policies`, token: platform.token, dependant_ids }
}

describe('reading policies of a user with hundreds of other dependants', async () => {
  const { url, token, dependant_ids } = await scene()
  const { body } = await t.call('GET', url, { token })

  it('shows everybody who is covered', () => {
    for (const { dependants } of body.data) {
      const ids = dependants.map(({ id }: { id: string }) => id)
      assert.deepEqual(ids, dependant_ids)
    }
  })

  it('reads the dependants that the page covers, and no others', async () => {
    for (const address of [url, `${url}/${body.data[0].id}`, `${url}/${body.data[0].id}/status`]) {
      for (const step of await sentBy(t, 'GET', address, { token })) {
        const counts = await rowsRead(t.ownerUrl, step, 'dependants')
        assert(
          Math.max(...counts) <= dependant_ids.length,
          `${step.statement.name} reads ${counts.join(', ')} dependants`,
        )
      }
    }
  })

  it('counts no policies of a page that is not full, and those of others once', async () => {
    for (const [query, counted] of [
      ['', 0],
      ['?limit=2', 2],
      ['?limit=1', 2],
      ['?offset=1', 0],
      ['?offset=2', 2],
    ] as const) {
      const [step] = await sentBy(t, 'GET', `${url}${query}`, { token })
      assert(step)
      const page = await t.call('GET', `${url}${query}`, { token })
      assert.equal(page.body.total, 2)
      for (const count of await rowsRead(t.ownerUrl, step, 'insurance_policies'))
        assert(count <= counted + 2, `${query}: ${count} policies read`)
    }
  })
})
