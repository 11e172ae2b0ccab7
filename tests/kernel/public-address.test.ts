import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { fetch } from 'undici'
import { createPoster } from '../../src/kernel/outbound/post-outside.ts'
import { createOutsideAgent, RESPONSE_BYTES_MAX } from '../../src/kernel/outbound/outside-agent.ts'
import { isPublicAddress, createTargets } from '../../src/kernel/outbound/public-address.ts'

const RULE = { ports: [443, 8443], allowsLoopback: false }

/** Every notation of an IP address that only this machine, or its network, can reach. */
const NOT_PUBLIC = [
  ['loopback', '127.0.0.1', '127.255.255.254', '[::1]', 'localhost', 'localhost.', 'printer.localhost'],
  ['another spelling', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '017700000001', '%31%32%37.0.0.1', '①②⑦.0.0.1'],
  ['nowhere', '0.0.0.0', '[::]', '255.255.255.255', '224.0.0.1', '240.0.0.1', '[ff02::1]'],
  ['a private network', '10.0.0.1', '172.16.0.1', '192.168.1.1', '[fd00:ec2::254]', '[fc00::1]', '[fec0::1]'],
  ['this link', '169.254.169.254', '[fe80::1]'],
  ['a carrier', '100.64.0.1', '100.127.255.255'],
  ['IPv4 inside IPv6', '[::ffff:127.0.0.1]', '[::ffff:10.0.0.1]', '[::7f00:1]', '[::127.0.0.1]'],
  ['IPv4 behind a translator', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001::1]'],
  ['documentation and tests', '192.0.2.1', '198.18.0.1', '203.0.113.1', '[2001:db8::1]', '[3fff::1]', '[2001:2::1]'],
] as const

/** A server on this machine, and the requests it received. */
async function startServer(respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const hits: string[] = []
  let connections = 0
  const server = createServer((request, response) => {
    hits.push(String(request.url))
    request.resume().on('end', () => respond(request, response))
  })
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close().closeAllConnections())
  return { port: (server.address() as AddressInfo).port, hits, connections: () => connections }
}

const sent = { headers: {}, body: '{}' }

describe('a URL that a partner registers', () => {
  const { findUrlError, findError } = createTargets(RULE)

  for (const [what, ...hosts] of NOT_PUBLIC) {
    it(`is rejected when it is one of ${what}`, () => {
      for (const host of hosts) assert.match(findUrlError(`https://${host}/hook`) ?? '', /public addresses/, host)
    })
  }

  it('is accepted when it is on the internet, at an allowed port', () => {
    for (const url of [
      'https://hooks.example.com/a?b=c',
      'https://hooks.example.com:8443',
      'https://HOOKS.example.com:443/',
    ])
      assert.equal(findUrlError(url), undefined, url)
  })

  it('is rejected with the reason when it is not https, has another port, or has extra parts', () => {
    const says = (url: string) => findUrlError(url) ?? ''
    assert.match(says('hooks.example.com'), /Must be a URL/)
    assert.match(says('http://hooks.example.com/'), /https:\/\//)
    assert.match(says('ftp://hooks.example.com/'), /https:\/\//)
    assert.match(says('https://hooks.example.com:22/'), /one of: 443, 8443/)
    assert.match(says('https://asha:secret@hooks.example.com/'), /not contain a user name/)
    assert.match(says('https://hooks.example.com/#part'), /fragment/)
  })

  it('is rejected when just one of the IP addresses of its name is private, or it has none', async () => {
    const leadsTo = (...addresses: string[]) =>
      createTargets({ ...RULE, resolve: async () => addresses, isPublic: (address) => address === '203.0.113.7' })
    const url = 'https://hooks.example.com/'
    assert.equal(await leadsTo('203.0.113.7').findError(url), undefined)
    for (const addresses of [['203.0.113.7', '10.0.0.1'], ['::ffff:203.0.113.7'], ['127.0.0.1'], []])
      assert.match((await leadsTo(...addresses).findError(url)) ?? '', /public addresses/, addresses.join())
  })

  it('is accepted when its name cannot be resolved right now', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
    assert.equal(await createTargets({ ...RULE, resolve }).findError('https://hooks.example.com/'), undefined)
    assert.match((await findError('https://localhost/')) ?? '', /public addresses/)
  })

  it('of this machine is accepted in development, by http and at any port, and nothing else is', async () => {
    const targets = createTargets({ ...RULE, allowsLoopback: true, resolve: async () => ['127.0.0.1'] })
    for (const url of ['http://localhost:8081/a', 'http://127.0.0.1:1/', 'https://[::1]:9000/'])
      assert.equal(await targets.findError(url), undefined, url)
    assert.match((await targets.findError('http://hooks.example.com:8081/')) ?? '', /https:\/\//)
    assert.match((await targets.findError('https://hooks.example.com/')) ?? '', /public addresses/)
    assert.match((await targets.findError('https://10.0.0.1/')) ?? '', /public addresses/)
  })
})

describe('a public IP address', () => {
  it('is never a string that is not an IP address', () => {
    for (const text of ['', 'hooks.example.com', '2130706433', '0x7f.1', '1.2.3']) assert(!isPublicAddress(text), text)
  })
})

describe('a connection', () => {
  it('is not made to this machine, however it is written: not a byte is sent', async () => {
    const { port, hits, connections } = await startServer((_, response) => response.end())
    const agent = createOutsideAgent(createTargets(RULE))
    for (const [, ...hosts] of NOT_PUBLIC.slice(0, 2)) {
      for (const host of hosts) {
        const called = fetch(`http://${host}:${port}/`, { dispatcher: agent })
        await assert.rejects(called, ({ cause }: Error) => (cause as Error).name === 'TargetRefused', host)
      }
    }
    assert.deepEqual([hits, connections()], [[], 0])
    await agent.destroy()
  })

  it('goes to the IP address that was checked: a name that later resolves differently gains nothing', async () => {
    const { port, hits } = await startServer((_, response) => response.end('here'))
    let asked = 0
    const targets = createTargets({
      ...RULE,
      resolve: async () => (++asked === 1 ? ['127.0.0.1'] : ['127.0.0.2']),
      isPublic: (address) => address === '127.0.0.1',
    })
    const agent = createOutsideAgent(targets)
    const url = `http://hooks.example.com:${port}/`
    assert.equal(await (await fetch(url, { dispatcher: agent })).text(), 'here')
    assert.equal(asked, 1, 'one connection, one lookup')
    assert.equal(hits.length, 1)
    await agent.destroy()

    const again = createOutsideAgent(targets)
    await assert.rejects(fetch(url, { dispatcher: again }))
    assert.equal(hits.length, 1)
    await again.destroy()
  })
})

describe('an outbound call', () => {
  const targets = createTargets({ ...RULE, allowsLoopback: true })

  async function post(respond: (request: IncomingMessage, response: ServerResponse) => void) {
    const server = await startServer(respond)
    const poster = createPoster(targets)
    const outcome = await poster.post({ url: `http://127.0.0.1:${server.port}/hook`, ...sent })
    await poster.close()
    return { ...outcome, hits: server.hits }
  }

  it('returns the status and the first KiB of the response', async () => {
    const long = await post((_, response) => response.writeHead(201).end('ü\0'.repeat(1_000)))
    assert.deepEqual([long.status, long.failure], [201, null])
    assert.equal(Buffer.byteLength(long.excerpt?.replaceAll('\ufffd', '?') ?? ''), 1_024)
    assert(long.excerpt?.startsWith('ü\ufffdü'))
    const none = await post((_, response) => response.writeHead(204).end())
    assert.deepEqual([none.status, none.excerpt], [204, ''])
  })

  it('follows no redirect', async () => {
    const { status, hits } = await post((_, response) => response.writeHead(307, { location: '/elsewhere' }).end())
    assert.deepEqual([status, hits], [307, ['/hook']])
  })

  it('reads no more than needed of an endless response, and keeps its status', async () => {
    let written = 0
    const { status, excerpt } = await post((_, response) => {
      const more = () => {
        while (!response.destroyed && written < 100 * RESPONSE_BYTES_MAX) {
          written += 16_384
          if (!response.write('x'.repeat(16_384))) return void response.once('drain', more)
        }
      }
      more()
    })
    assert.deepEqual([status, excerpt?.length], [200, 1_024])
    assert(written < 100 * RESPONSE_BYTES_MAX)
  })

  it('reports why there was no response', async () => {
    assert.equal((await post((request) => request.socket.destroy())).failure, 'no_connection')
    const poster = createPoster(targets)
    const failureAt = async (url: string) => (await poster.post({ url, ...sent })).failure
    const { port } = await startServer((_, response) => response.end())
    assert.equal(await failureAt(`https://127.0.0.1:${port}/`), 'tls')
    assert.equal(await failureAt('http://10.0.0.1/'), 'address_not_allowed')
    await poster.close()
    const nameless = createTargets({
      ...RULE,
      resolve: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })),
    })
    const other = createPoster(nameless)
    assert.equal((await other.post({ url: 'https://hooks.example.com/', ...sent })).failure, 'name_not_found')
    await other.close()
  })
})
