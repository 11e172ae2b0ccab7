import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { parseAddress } from '../../src/kernel/network.ts'
import { openTestApp } from '../support/app.ts'

const lines: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
const t = await openTestApp()
const node = await t.openNode({ log })

describe('the log line of a request', () => {
  it('has the network of the caller, and no address of a subscriber', async () => {
    for (const [remoteAddress, network] of [
      ['203.0.113.77', '203.0.113.0/24'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ] as const) {
      lines.length = 0
      await node.app.inject({ method: 'GET', url: '/v1/users', remoteAddress })
      const line = lines.find(({ msg }) => msg === 'request')
      assert.equal(line?.['network'], network)
      assert(!JSON.stringify(lines).includes(remoteAddress))
    }
  })

  it('shortens every form of an address, and none is passed on as it is', () => {
    const cases = [
      ['::ffff:203.0.113.77', '203.0.113.0/24'],
      ['2001:db8::7', '2001:db8:0::/48'],
      ['fe80::1%eth0', 'fe80:0:0::/48'],
      ['127.0.0.1', 'local'],
      ['::1', 'local'],
      ['::ffff:127.0.0.1', 'local'],
      ['unix socket', 'unknown'],
      [undefined, 'unknown'],
    ] as const
    for (const [address, network] of cases) assert.equal(parseAddress(address).logged, network, address)
  })
})
