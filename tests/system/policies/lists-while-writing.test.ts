import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../support/app.ts'
import { changedBefore } from '../../support/policies-in-bulk.ts'
import { errorsOf } from '../../support/problems.ts'

const t = await openTestApp({ own: true })
const { provider, made } = await changedBefore(t, 600)

const list = (query: string, token = provider.token) => t.call('GET', `/v1/insurance_policies?${query}`, { token })

/** Follows `next` to the end; returns the id of each entry, in order. */
async function listAll(query: string, betweenPages = async () => {}): Promise<string[]> {
  const ids: string[] = []
  for (let after = ''; ; ) {
    const { body, text } = await list(`${query}${after}`)
    assert(body.data, text)
    ids.push(...body.data.map(({ id }: Body) => id))
    if (body.next === null) return ids
    after = `&after=${body.next}`
    await betweenPages()
  }
}

describe('a list that others write to while it is read', () => {
  it('has every policy that does not change exactly once, and the others by changed_after', async () => {
    const since = new Date(Date.now() - 60_000).toISOString().slice(0, 19)
    const moving = made.filter((_, index) => index % 3 === 0).map(({ id }) => id)
    const changed = new Set<string>()
    const writing = { isOver: false }
    /** Writes as fast as it can: status changes there and back, and no pause between them. */
    async function write(): Promise<void> {
      for (let turn = 0; !writing.isOver; turn++) {
        const id = moving[(turn * 7) % moving.length] as string
        changed.add(id)
        await t.sql(
          `update insurance_policies
              set last_modified_at = now(),
                  status = case when status = 'ISSUED' then 'REQUIRES_CUSTOMER_RENEWAL' else 'ISSUED' end
            where policy_id = $1`,
          [id],
        )
      }
    }
    const writers = [write(), write()]
    const seen = await listAll('limit=20')
    writing.isOver = true
    await Promise.all(writers)

    const times = Map.groupBy(seen, (id) => id)
    const still = made.map(({ id }) => id).filter((id) => !changed.has(id))
    assert(changed.size > 0 && still.length > made.length / 2, 'some changed and others did not')
    assert.deepEqual(
      still.filter((id) => times.get(id)?.length !== 1),
      [],
    )
    const again = new Set(await listAll(`limit=100&changed_after=${since}`))
    assert.deepEqual(
      [...changed].filter((id) => !again.has(id)),
      [],
      'what has moved is found by the time of its change',
    )
  })

  it('has an end, although rows move to its front faster than it is read', async () => {
    const changeAll = async () => void (await t.sql('update insurance_policies set last_modified_at = now()'))
    const seen = await listAll('limit=100', changeAll)
    assert(seen.length <= made.length, 'rows that have moved to the front are not met again')
  })

  it('has a cursor for a day: 422 expired afterwards', async () => {
    const { next } = (await list('limit=1', t.owner)).body
    t.clock.at = new Date(Date.now() + 23 * 3_600_000)
    assert.equal((await list(`limit=1&after=${next}`, t.owner)).status, 200)
    t.clock.at = new Date(Date.now() + 25 * 3_600_000)
    const response = await list(`limit=1&after=${next}`, t.owner)
    t.clock.at = undefined
    assert.deepEqual(errorsOf(response), ['query:after expired'])
  })
})
