import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Closers } from '../faults/stage.ts'
import { eventually } from '../support/server.ts'
import { unpackProgram } from '../support/packed-program.ts'
import { startApis } from './apis.ts'
import { type Balancer, makeCertificate, startHaproxy, startNginx } from './balancers.ts'
import { callerOf, startCaller } from './callers.ts'

const ATTEMPTS_MAX = 5
const PUBLIC_URL = 'https://api.example.org'
const TEN_MIB = 10 * 1024 * 1024
/** Requests of each caller between two replacements. */
const REQUESTS_BETWEEN = 20
const FORGED = '203.0.113.9'

const closers: Closers = []
let folder: string
let certificate: Awaited<ReturnType<typeof makeCertificate>>
let running: Awaited<ReturnType<typeof startApis>>
let balancers: Balancer[]

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'banyan-deploy-'))
  const program = await unpackProgram(folder)
  certificate = await makeCertificate(folder)
  running = await startApis({ program, folder, publicUrl: PUBLIC_URL }, closers)
  const opening = { folder, apis: running.apis, certificate, closers }
  balancers = [await startNginx(opening), await startHaproxy(opening)]
})
after(async () => {
  for (const close of closers.toReversed()) await close()
  await rm(folder, { recursive: true, force: true })
})

/** A platform, made through the balancer, and its token. */
async function newPlatform({ call }: ReturnType<typeof callerOf>): Promise<string> {
  const owner = await running.command('token', '--role', 'owner')
  const made = await call('POST', '/v1/platforms', { token: owner, body: { name: 'Behind a balancer' } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { body } = await call('POST', `/v1/platforms/${made.body.id}/credentials`, { token: owner })
  const headers = { authorization: `Basic ${body.basic_token}`, 'content-type': 'application/json' }
  const exchanged = await call('POST', '/v1/oauth/token', { headers, body: { grant_type: 'client_credentials' } })
  assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body))
  return exchanged.body.access_token
}

/** Sends again when the connection was reset: a response that comes before the body was sent can be lost with it. */
async function whole<Response>(send: () => Promise<Response>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET' || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

for (const [index, name] of ['nginx', 'haproxy'].entries()) {
  describe(`two APIs of the package behind the ${name} that we ship`, () => {
    let caller: ReturnType<typeof callerOf>
    let token: string
    before(async () => {
      caller = callerOf((balancers[index] as Balancer).port, certificate.certificate)
      token = await newPlatform(caller)
    })

    it('404 for the probes, which are not for the public, and 413 for more than a document may have', async () => {
      const { call } = caller
      for (const path of ['/readyz', '/livez']) assert.equal((await call('GET', path)).status, 404, path)
      const path = '/v1/users/000000000000/insurance_policies/pol_0/documents/policy_certificate'
      const large = { 'content-length': String(TEN_MIB + 1) }
      const file = await whole(() => call('PUT', path, { token, headers: large, body: Buffer.alloc(0) }))
      assert.equal(file.status, 413)
      const json = await whole(() => call('POST', '/v1/sponsors', { token, body: { name: 'x'.repeat(300 * 1024) } }))
      assert.deepEqual([json.status, json.body.code], [413, 'payload_too_large'], 'the limit of JSON is our own')
    })

    it('knows the address of the caller, and believes no other one', async () => {
      const id = `req_of_${name}`
      const headers = { 'x-forwarded-for': FORGED, 'x-request-id': id }
      assert.equal((await caller.call('GET', '/v1/benefits', { token, headers })).status, 200)
      const linesOf = async () => {
        const logs = await Promise.all(running.logs.map((path) => readFile(path, 'utf8')))
        return logs.flatMap((text) => text.split('\n')).filter((line) => line.includes(id))
      }
      const [line = ''] = await eventually(linesOf, ({ length }) => length > 0)
      assert.equal((JSON.parse(line) as { network: string }).network, 'local')
    })

    it('fails no request while both are replaced, one after the other, under load', async () => {
      const { call, keptAlive } = caller
      const { replace } = balancers[index] as Balancer
      const agent = keptAlive()
      const write = (more: { agent?: typeof agent }) => () =>
        call('POST', '/v1/sponsors', {
          token,
          headers: { 'idempotency-key': randomUUID() },
          body: {
            name: 'A sponsor',
            pan: 'AAACB1234C',
            sponsor_details: { sponsor_kind: 'ORGANISATION', email: 'hr@example.com' },
            address: {
              line1: '12 MG Road',
              city: 'Bengaluru',
              state: 'Karnataka',
              country: 'India',
              pincode: '560001',
            },
          },
          ...more,
        })
      const callers = [
        startCaller(write({})),
        startCaller(() => call('GET', '/v1/sponsors', { token })),
        // A reload of nginx closes idle connections of callers, which may just send on them.
        ...(name === 'haproxy' ? [startCaller(write({ agent }))] : []),
      ]
      const goOn = () => {
        const from = callers.map(({ succeeded }) => succeeded())
        return eventually(
          async () => callers.map(({ succeeded }, at) => succeeded() - (from[at] ?? 0)),
          (counts) => counts.every((count) => count >= REQUESTS_BETWEEN),
        )
      }
      const starts = running.apis.map((api) => api.starts())
      try {
        await goOn()
        for (const at of running.apis.keys()) {
          await replace(at)
          await goOn()
        }
      } finally {
        const failures = await Promise.all(callers.map((one) => one.stop()))
        agent.destroy()
        assert.deepEqual(failures.flat(), [])
      }
      assert.deepEqual(
        running.apis.map((api) => api.starts()),
        starts.map((count) => count + 1),
      )
      assert.deepEqual(running.ownEnds().flatMap(Object.values).filter(Boolean), [], 'none ended by itself')
    })
  })
}
