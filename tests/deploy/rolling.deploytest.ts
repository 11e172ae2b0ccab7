import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Closers } from '../faults/stage.ts'
import { eventually } from '../support/server.ts'
import { startApis } from './apis.ts'
import { type Balancer, makeCertificate, startHaproxy, startNginx } from './balancers.ts'
import { callerOf, startCaller } from './callers.ts'
import { newPartners, SPONSOR } from './partners.ts'
import { prepareImage, preparePackage } from './programs.ts'

/** An image for buildah, which is run instead of the package: a name, or an archive as in `docker-archive:release/….tar`. */
const IMAGE = process.env['DEPLOY_IMAGE']
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
  await chmod(folder, 0o755) // the database runs as another user when root starts it
  const delivered = await (IMAGE === undefined ? preparePackage(folder) : prepareImage(IMAGE, folder, closers))
  certificate = await makeCertificate(folder)
  running = await startApis({ delivered, folder, publicUrl: PUBLIC_URL }, closers)
  const opening = { folder, apis: running.apis, certificate, closers }
  balancers = [await startNginx(opening), await startHaproxy(opening)]
})
after(async () => {
  for (const close of closers.toReversed()) await close()
  await rm(folder, { recursive: true, force: true })
})

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
  describe(`two APIs of the ${IMAGE === undefined ? 'package' : 'image'} behind the ${name} that we ship`, () => {
    let caller: ReturnType<typeof callerOf>
    let token: string
    let document: string
    before(async () => {
      caller = callerOf((balancers[index] as Balancer).port, certificate.certificate)
      const owner = await running.command(['token', '--role', 'owner'])
      ;({ token, document } = await newPartners(caller, owner))
    })

    it('404 for the probes, which are not for the public, and 413 for more than a document may have', async () => {
      const { call } = caller
      for (const path of [
        '/readyz',
        '/livez',
        '/%72eadyz',
        '/%6civez',
        '/%6C%69vez?x=1',
        '/readyz?x=1',
        '//readyz',
        '/./readyz',
      ])
        assert.equal((await call('GET', path)).status, 404, path)
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

    it('fails no request while both are replaced, one after the other, under load', async (t) => {
      const { call, keptAlive } = caller
      const { replace } = balancers[index] as Balancer
      const agent = keptAlive()
      const write = (more: { agent?: typeof agent }) => () =>
        call('POST', '/v1/sponsors', {
          token,
          headers: { 'idempotency-key': randomUUID() },
          body: SPONSOR,
          ...more,
        })
      const callers = [
        startCaller(write({})),
        startCaller(() => call('GET', '/v1/sponsors', { token })),
        startCaller(() => call('GET', document, { token })),
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
      const before = running.apis.map(({ ends }) => ends.length)
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
      t.diagnostic(`${callers.reduce((sum, one) => sum + one.succeeded(), 0)} requests succeeded`)
      assert.deepEqual(
        running.apis.map(({ ends }, at) => ends.slice(before[at])),
        [[0], [0]],
        'SIGTERM ended both in order',
      )
      assert.deepEqual(running.ownEnds().flatMap(Object.values).filter(Boolean), [], 'none ended by itself')
    })
  })
}
