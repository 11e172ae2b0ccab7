import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import { startSandbox } from '../../sandbox/server.ts'
import { movableClock, todayIn } from '../../src/kernel/clock.ts'

/** The maximum difference between two reads of a running clock. */
const TIMEOUT_MS = 60_000

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}

const calendar = movableClock()
const port = await freePort()
after(await startSandbox({ host: '127.0.0.1', port, operatorSecret: 'the-clock-signs-nothing', calendar }))

beforeEach(() => calendar.moveTo(undefined))

type Reply = { status: number; body: { now?: string; error?: string } }

async function clock(method: string, body?: unknown): Promise<Reply> {
  const response = await fetch(`http://127.0.0.1:${port}/clock`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return { status: response.status, body: (await response.json()) as Reply['body'] }
}

/** Asserts that the calendar shows this time or one a moment later, as the sandbox reports it. */
function assertIsAbout({ status, body }: Reply, expected: string | number): void {
  assert.equal(status, 200, JSON.stringify(body))
  const from = new Date(expected).getTime()
  for (const time of [Date.parse(body.now ?? ''), calendar.now().getTime()]) {
    assert.ok(time >= from && time < from + TIMEOUT_MS, `${new Date(time).toISOString()} is not about ${expected}`)
  }
}

describe('the sandbox’s /clock', () => {
  it('200 GET returns the time that policies live by, at first the real one', async () => {
    const before = Date.now()
    assertIsAbout(await clock('GET'), before)
    await clock('PUT', { now: '2031-05-06T07:08:09Z' })
    assertIsAbout(await clock('GET'), '2031-05-06T07:08:09Z')
  })

  it('200 PUT now sets the time, forward and back, and it runs on', async () => {
    for (const [now, expected] of [
      ['2027-03-31T18:30:00Z', '2027-03-31T18:30:00Z'],
      ['2027-04-01T00:00:00+05:30', '2027-03-31T18:30:00Z'],
      ['2027-03-31T18:30:00.250Z', '2027-03-31T18:30:00.250Z'],
      ['2027-03-31T18:30:00', '2027-03-31T18:30:00Z'], // as the API writes times: UTC
      ['2027-03-31T18:30', '2027-03-31T18:30:00Z'],
      ['2027-04-01', '2027-04-01T00:00:00Z'],
      ['2020-02-29', '2020-02-29T00:00:00Z'],
    ] as const) {
      assertIsAbout(await clock('PUT', { now }), expected)
    }
    const first = calendar.now().getTime()
    while (calendar.now().getTime() === first) await new Promise(setImmediate)
    assert.ok(calendar.now().getTime() > first)
    assert.equal(todayIn(calendar), '2020-02-29')
  })

  it('200 PUT advance advances it by calendar periods', async () => {
    for (const [advance, expected] of [
      ['P31D', '2028-03-02T10:00:00Z'],
      ['P1M', '2028-02-29T10:00:00Z'], // no 31 February
      ['P1Y', '2029-01-31T10:00:00Z'],
      ['P1Y1M', '2029-02-28T10:00:00Z'],
      ['P2W', '2028-02-14T10:00:00Z'],
      ['PT36H', '2028-02-01T22:00:00Z'],
      ['P1Y2M3W4DT5H6M', '2029-04-25T15:06:00Z'],
      ['P0D', '2028-01-31T10:00:00Z'],
    ] as const) {
      await clock('PUT', { now: '2028-01-31T10:00:00Z' })
      assertIsAbout(await clock('PUT', { advance }), expected)
    }
    await clock('PUT', { now: '2028-01-31T10:00:00Z' })
    for (let month = 0; month < 12; month++) await clock('PUT', { advance: 'P31D' })
    assertIsAbout(await clock('GET'), '2029-02-06T10:00:00Z')
  })

  it('200 DELETE returns to real time, also when it already is', async () => {
    await clock('PUT', { advance: 'P1Y' })
    for (let time = 0; time < 2; time++) {
      const before = Date.now()
      assertIsAbout(await clock('DELETE'), before)
    }
  })

  it('422 for a malformed time or period, and for years that no policy has; the time is unchanged', async () => {
    const now = ['', 'tomorrow', 'March 1, 2027', '5', '2027-02-30', '2027-13-01', '2027-1-1', '2027-03-01T25:00:00Z']
    now.push('2027-03-01 10:00', '+012027-03-01T00:00:00Z', '1899-12-31', '3000-01-01', '2027-03-01T10:00:00+5')
    const advance = [
      '',
      'P',
      'PT',
      '31D',
      'P-1D',
      'P1.5D',
      'P1H',
      'PT1D',
      'p31d',
      'P31D ',
      'P974Y',
      'P9999Y',
      'P999999D',
    ]
    await clock('PUT', { now: '2027-03-01T10:00:00Z' })
    for (const body of [...now.map((text) => ({ now: text })), ...advance.map((text) => ({ advance: text }))]) {
      const refused = await clock('PUT', body)
      assert.equal(refused.status, 422, JSON.stringify(body))
      assert.match(refused.body.error ?? '', /ISO 8601/)
    }
    assertIsAbout(await clock('GET'), '2027-03-01T10:00:00Z')
  })

  it('400 for neither, both, and values that are not strings; the time is unchanged', async () => {
    await clock('PUT', { now: '2027-03-01T10:00:00Z' })
    for (const body of [{}, { now: '2027-04-01', advance: 'P1D' }, { later: 'P1D' }, [], 'P31D', { now: {} }]) {
      assert.equal((await clock('PUT', body)).status, 400, JSON.stringify(body))
    }
    assertIsAbout(await clock('GET'), '2027-03-01T10:00:00Z')
  })
})
