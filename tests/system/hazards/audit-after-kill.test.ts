import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Body } from '../../support/app.ts'
import { settled } from '../../support/settled.ts'
import { clientOf, newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'

/** A killed process may lose the reads of its last second. */
const LOST_MS_MAX = 1_000
/** The program reads for this long, and up to a second longer, before it is killed: longer than the reads that it may lose. */
const READS_FOR_MS = 1_500
const CLIENTS = 2
/** Between two reads of a client: some fifty reads a second are enough to date the last one in the audit. */
const PAUSE_MS = 30
const KILLS = 3
/** Before each kill. */
const LOOKS_MIN = 10
const SETTINGS = { LOG_LEVEL: 'silent', RATE_LIMIT_PLATFORM: '1000000' }

const workspace = await newWorkspaceWithDatabase()
after(() => workspace.remove())
const call = clientOf(workspace.origin)

async function start() {
  const server = await startServer(workspace, SETTINGS)
  after(() => server.kill())
  return server
}

async function made(path: string, token: string, body?: object): Promise<Body> {
  const answer = await call('POST', path, { token, ...(body && { body }) })
  assert(answer.status < 300, answer.text)
  return answer.body
}

/** A platform's token and a user of it, created with an owner's token. */
async function onboard(owner: string) {
  const { id } = await made('/v1/platforms', owner, { name: 'Platform of the audit' })
  const { basic_token } = await made(`/v1/platforms/${id}/credentials`, owner)
  const headers = { authorization: `Basic ${basic_token}` }
  const body = { grant_type: 'client_credentials' }
  const { access_token } = (await call('POST', '/v1/oauth/token', { headers, body })).body
  const phone = { phone_country_code: '+91', phone_number: '9876543210' }
  const { user_id } = await made('/v1/auth/token', access_token, phone)
  return { token: access_token as string, path: `/v1/users/${user_id}` }
}

type Look = { requestId: string; at: number; took_ms: number }

/** Reads the person repeatedly until the program is gone; returns each response's request id and time. */
async function look({ token, path }: Awaited<ReturnType<typeof onboard>>, looks: Look[]): Promise<void> {
  for (;;) {
    const from = performance.now()
    const answer = await call('GET', path, { token }).catch(() => undefined)
    if (!answer) return
    assert.equal(answer.status, 200, answer.text)
    const at = performance.now()
    looks.push({ requestId: String(answer.headers.get('x-request-id')), at, took_ms: at - from })
    await sleep(PAUSE_MS)
  }
}

/** The requests of all reads in the audit, once it shows everything that was written. */
async function audited(owner: string): Promise<string[]> {
  await settled(workspace)
  const ids: string[] = []
  for (let after = ''; ; ) {
    const { body } = await call('GET', `/v1/audit_log?action=read&limit=100${after}`, { token: owner })
    ids.push(...body.data.map(({ request_id }: Body) => request_id))
    if (!body.has_more) return ids
    after = `&after=${body.next}`
  }
}

describe('a killed program', () => {
  it('loses no read of personal data acknowledged more than a second before, and records each once', async () => {
    let server = await start()
    const owner = (await runCommand(['token', '--role', 'owner'], workspace.environment)).stdout.trim()
    const person = await onboard(owner)
    const looks: Look[] = []
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = looks.length
      const looking = Promise.all(Array.from({ length: CLIENTS }, () => look(person, looks)))
      await within(DEADLINE_MS, async () => looks.length > before + LOOKS_MIN)
      await sleep(READS_FOR_MS + 1_000 * Math.random()) // at any moment between two writes of the reads
      const killedAt = performance.now()
      await server.kill()
      await looking
      server = await start()
      const noted = new Set(await audited(owner))
      const lost = looks.slice(before).filter(({ requestId }) => !noted.has(requestId))
      const lost_ms = killedAt - Math.min(killedAt, ...lost.map(({ at }) => at))
      const figures = `${lost.length} of ${looks.length - before} looks, of the last ${Math.round(lost_ms)} ms`
      // On a busy machine the write of a second's reads is late by as much as a response.
      const late_ms = 2 * Math.max(...looks.slice(before).map(({ took_ms }) => took_ms))
      assert(lost_ms <= LOST_MS_MAX + late_ms, `kill ${kill} lost ${figures}, late by ${late_ms} ms`)
    }
    const all = await audited(owner)
    assert.equal(new Set(all).size, all.length, 'no read is recorded twice')
  })
})
