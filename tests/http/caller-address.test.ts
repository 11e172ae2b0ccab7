import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import pino from 'pino'
import { createRateLimits } from '../../src/access/rate-limits.ts'
import { DEFAULT_LIMITS, openTestApp } from '../support/app.ts'
import { readSources } from '../support/sources.ts'

const SIGN_INS = 60
const PAGES = 5

const t = await openTestApp()
const limits = { ...DEFAULT_LIMITS, signIns: SIGN_INS, pages: PAGES, unknownCredentials: PAGES }

/** The clock of the limits; it stands still until a test sets it. */
const clock = { at: 0 }
beforeEach(() => void (clock.at += 3_600_000))
const rates = createRateLimits(t.db, limits, { now: () => clock.at })

const lines: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
const nodeBehind = (trustedProxies: number) =>
  t.openNode({ rates: () => rates, log, trustedProxies, production: false })
const direct = await nodeBehind(0)
const behindOne = await nodeBehind(1)
const behindTwo = await nodeBehind(2)
const platform = await t.platform()

type Node = typeof behindOne

/** The statuses of requests that say to come from these addresses, one after another. */
async function statusesFrom(senders: readonly string[], work: (headers: Sent) => Promise<number>) {
  const statuses: number[] = []
  for (const sender of senders) statuses.push(await work({ 'x-forwarded-for': sender }))
  return statuses
}
type Sent = { 'x-forwarded-for': string }

const openPage = (node: Node) => async (headers: Sent) => (await node.call('GET', '/docs/errors', { headers })).status
const pagesFrom = (node: Node, senders: readonly string[]) => statusesFrom(senders, openPage(node))

/** They are one address if the limit lets one less through than there are of them. */
async function assertOne(node: Node, senders: readonly string[]): Promise<void> {
  clock.at += 3_600_000
  const repeated = Array.from({ length: PAGES + 1 }, (_, index) => senders[index % senders.length] ?? '')
  const all = [...repeated, ...senders]
  const statuses = await pagesFrom(node, all)
  const words = JSON.stringify(all.map((sender, index) => [sender, statuses[index]]))
  assert.deepEqual(statuses, [...Array<number>(PAGES).fill(200), ...Array<number>(senders.length + 1).fill(429)], words)
}

const port = (index: number) => 40_000 + index

describe('the address that a proxy writes', () => {
  it('429 for sign-ins beyond the limit, whichever port of the caller the proxy names', async () => {
    const signIn = async (headers: Sent) =>
      (await behindOne.call('POST', '/wallet/v1/auth/otp/verify', { body: {}, headers })).status
    const formats: ((index: number) => string)[] = [
      () => '203.0.113.7',
      (index) => `203.0.113.8:${port(index)}`,
      (index) => `[2001:db8:1::7]:${port(index)}`,
      (index) => `"[2001:db8:2::7]:${port(index)}"`,
    ]
    for (const format of formats) {
      const statuses = await statusesFrom(
        Array.from({ length: 200 }, (_, index) => format(index)),
        signIn,
      )
      const expected = [...Array<number>(SIGN_INS).fill(422), ...Array<number>(200 - SIGN_INS).fill(429)]
      assert.deepEqual(statuses, expected, format(0))
    }
  })

  it('429 for unknown credentials too, which are counted elsewhere', async () => {
    const guess = async (headers: Sent) =>
      (
        await behindOne.call('POST', '/v1/oauth/token', {
          headers: { authorization: 'Basic bm9ib2R5OnNlY3JldA==', ...headers },
          body: { grant_type: 'client_credentials' },
        })
      ).status
    const senders = Array.from({ length: PAGES + 1 }, (_, index) => `198.51.100.9:${port(index)}`)
    const statuses = await statusesFrom(senders, guess)
    assert.deepEqual(statuses, [...Array<number>(PAGES).fill(401), 429])
  })

  it('is one address in every spelling of it, and another one alongside it', async () => {
    for (const spellings of [
      ['203.0.113.7', ' 203.0.113.7\t', '"203.0.113.7"', '203.0.113.7:80', '::ffff:203.0.113.7', '::FFFF:cb00:7107'],
      ['[::ffff:203.0.113.7]:443', '0:0:0:0:0:ffff:203.0.113.7', '[0::ffff:cb00:7107]', '203.0.113.7'],
      ['2001:db8::7', '2001:DB8:0:0::7', '2001:0db8:0000:0000:0000:0000:0000:0007', '[2001:db8::7]', '[2001:db8::7]:1'],
      ['fe80::1', 'fe80::1%eth0', '[fe80::1%25eth0]', '[fe80::1%eth1]:80', 'FE80:0::1'],
      ['2001:db8::192.0.2.1', '2001:db8::c000:201'],
    ]) {
      await assertOne(behindOne, spellings)
    }
    assert.deepEqual(
      await pagesFrom(behindOne, ['203.0.113.6', '::ffff:203.0.113.5', '2001:db8:0:1::7']),
      [200, 200, 200],
    )
  })

  it('is one address, whatever it is, when it is none', async () => {
    const none = [
      'unknown',
      '_hidden',
      '203.0.113',
      '203.0.113.007',
      '203.0.113.256',
      '203.0.113.7:port',
      '203.0.113.7:123456',
      '203.0.113.7 203.0.113.8',
      '[203.0.113.7',
      '2001:db8::7]:80',
      '2001:db8::7::1',
      '2001:db8::7:51234',
      '2001:db8::%<script>',
      'for=203.0.113.7',
      'unix:',
      'http://203.0.113.7',
      '203.0.113.7/32',
      'x'.repeat(5_000),
      `2001:db8::7%${'x'.repeat(5_000)}`,
    ]
    await assertOne(behindOne, none)
  })

  it('200 from an address in the ip_allow_list, with its port; 401 and 403 from elsewhere and from what is none', async () => {
    const path = `/v1/platforms/${platform.id}/credentials`
    const body = { ip_allow_list: ['203.0.113.0/24', '2001:db8:7::/48'] }
    const { basic_token } = (await t.call('POST', path, { token: t.owner, body })).body
    const exchange = async (node: Node, headers: Sent) => {
      clock.at += 3_600_000
      const authorization = `Basic ${basic_token}`
      const grant = { grant_type: 'client_credentials' }
      return node.call('POST', '/v1/oauth/token', { headers: { authorization, ...headers }, body: grant })
    }
    const { access_token: token } = (await exchange(behindOne, { 'x-forwarded-for': '203.0.113.9' })).body
    assert(token, 'the token of an allowed address')
    const statusesOf = async (sender: string) => {
      const headers = { 'x-forwarded-for': sender }
      return [
        (await exchange(behindOne, headers)).status,
        (await behindOne.call('GET', path, { token, headers })).status,
      ]
    }
    for (const inside of ['203.0.113.9:51234', '::ffff:cb00:7109', '[2001:DB8:7::9]:51234', '[2001:db8:7::9]']) {
      assert.deepEqual(await statusesOf(inside), [200, 200], inside)
    }
    for (const outside of ['203.0.114.9:51234', '[2001:db8:8::9]:1', 'unknown', '203.0.113.9:port', '203.0.113', '']) {
      assert.deepEqual(await statusesOf(outside), [401, 403], outside)
    }
    const everywhere = { ip_allow_list: ['0.0.0.0/0', '::/0'] }
    const open = (await t.call('POST', path, { token: t.owner, body: everywhere })).body
    const headers = { authorization: `Basic ${open.basic_token}`, 'x-forwarded-for': 'unknown' }
    const grant = { grant_type: 'client_credentials' }
    assert.equal((await behindOne.call('POST', '/v1/oauth/token', { headers, body: grant })).status, 401)
  })

  it('is the one that the outermost trusted proxy has added; callers write the ones before it', async () => {
    await assertOne(behindOne, [
      '203.0.113.1, 203.0.113.9',
      '203.0.113.2,203.0.113.9:80',
      'junk, 203.0.113.9',
      ',,203.0.113.9,',
    ])
    await assertOne(behindTwo, [
      '203.0.113.1, 203.0.113.9:1, 10.0.0.1',
      '203.0.113.9, 10.0.0.2:80',
      'x,203.0.113.9,unknown',
    ])
    // Fewer than there are proxies: the furthest one is taken.
    await assertOne(behindTwo, ['203.0.113.9', '203.0.113.9:81'])
    clock.at += 3_600_000
    const elsewhere = Array.from({ length: PAGES + 1 }, (_, index) => `203.0.113.${index}, 10.0.0.1`)
    assert.deepEqual(await pagesFrom(behindTwo, elsewhere), Array<number>(PAGES + 1).fill(200))
  })

  it('means nothing without a trusted proxy', async () => {
    await assertOne(direct, ['203.0.113.1', '203.0.113.2:80', '2001:db8::7', 'junk', '203.0.113.1, 203.0.113.2'])
  })
})

describe('the log line of a request behind a proxy', () => {
  it('has the network of the caller, without the port, or says that it is unknown', async () => {
    for (const [sender, network] of [
      ['203.0.113.77:51234', '203.0.113.0/24'],
      ['[2001:db8:1:2::7]:51234', '2001:db8:1::/48'],
      ['::ffff:cb00:714d', '203.0.113.0/24'],
      ['127.0.0.1:80', 'local'],
      ['not-an-address', 'unknown'],
    ] as const) {
      lines.length = 0
      await behindOne.call('GET', '/v1/users', { headers: { 'x-forwarded-for': sender } })
      const line = lines.find(({ msg }) => msg === 'request')
      assert.equal(line?.['network'], network, sender)
      assert(!JSON.stringify(lines).includes(sender))
    }
  })
})

describe('the scheme and host that a proxy writes', () => {
  const page = async (node: Node, headers: Record<string, string>) => {
    clock.at += 3_600_000
    return (
      await node.app.inject({ url: '/docs/partners/first-policy', headers: { host: 'api.example.org', ...headers } })
    ).body
  }
  const originIn = (text: string) => /\{BANYAN:-([^}]*)\}/.exec(text)?.[1]

  it('are those of the examples, when the scheme is one of the web', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'banyan.example.org' }
    assert.equal(originIn(await page(behindOne, forwarded)), 'https://banyan.example.org')
    assert.equal(originIn(await page(behindOne, { 'x-forwarded-proto': 'HTTPS' })), 'https://api.example.org')
    for (const scheme of ['</code><script src=/x></script>', 'javascript', 'ftp', 'https://', '', ' ']) {
      const body = await page(behindOne, { 'x-forwarded-proto': scheme })
      assert.equal(originIn(body), 'http://api.example.org', scheme)
      assert.doesNotMatch(body, /src=\/x/)
    }
    assert.equal(originIn(await page(direct, forwarded)), 'http://api.example.org', 'nobody is trusted to say so')
  })
})

describe('the code', () => {
  it('reads where a request comes from in one place', () => {
    const PLACE = 'src/kernel/http/sender.ts'
    const READING = [
      /\brequest\.(ip|ips|host|hostname|port|protocol)\b|\bremoteAddress\b|\btrustProxy\b/,
      /['"](x-forwarded-|x-real-ip|forwarded['"])|\bheaders\.forwarded\b/i,
      /\b(ip|ips|hostname|port|protocol|host)\b[^{}]*\}(: FastifyRequest| = request(?![.\w]))/,
    ]
    const readers = readSources('src').filter(({ code }) => READING.some((reading) => reading.test(code)))
    assert.deepEqual(
      readers.map(({ path }) => path),
      [PLACE],
    )
  })
})
