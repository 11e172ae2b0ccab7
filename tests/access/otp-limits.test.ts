import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { newChallenge } from '../../src/access/otp.ts'
import { openVault } from '../../src/kernel/crypto/vault.ts'
import { Refusal } from '../../src/kernel/refusal.ts'
import { testKeys } from '../support/keys.ts'

const vault = openVault(testKeys())
const HOUR_MS = 3_600_000

/** The contract: so many codes in so many seconds. */
const OF_PHONE = [
  { times: 1, ms: 30_000 },
  { times: 5, ms: HOUR_MS },
]
const OF_ADDRESS = [{ times: 300, ms: HOUR_MS }]

/** What is decided for a phone and an address that were used at these times; seconds to wait when it is refused. */
function decide({ phone, address }: { phone: number[]; address: number[] }, at: number) {
  const lately = (times: number[]) => times.filter((time) => time > at - HOUR_MS).map(String)
  const limits = {
    phone_stored: phone.map(String),
    phone_times: lately(phone),
    address_stored: null,
    address_times: lately(address),
  }
  const keys = { phoneKey: Buffer.from('phone'), addressKey: Buffer.from('address') }
  try {
    return newChallenge(vault, { ...keys, limits, userId: null, platformId: 'plt_1' }, new Date(at))
  } catch (error) {
    assert(error instanceof Refusal && error.code === 'rate_limited')
    return Number(error.headers['retry-after'])
  }
}

const isFull = (times: number[], rules: typeof OF_PHONE, at: number) =>
  rules.some((rule) => times.filter((time) => time > at - rule.ms).length >= rule.times)

const START = Date.UTC(2026, 3, 1)
const ASKINGS_MAX = 60
const ROUNDS_MAX = 3

describe('the limits of one-time codes', () => {
  it('let in what is not too much and nothing else; who waits as long as he is told is let in', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 15 * 60_000 }), { minLength: 10, maxLength: ASKINGS_MAX })
    const property = fc.property(pauses, fc.integer({ min: 290, max: 299 }), (some, others) => {
      const phone: number[] = []
      const address = Array.from({ length: others }, (_, n) => START - (others - n) * 5_000) // other phones behind it
      let at = START
      for (const pause of some) {
        at += pause
        const isTooMuch = isFull(phone, OF_PHONE, at) || isFull(address, OF_ADDRESS, at)
        let decided = decide({ phone, address }, at)
        assert.equal(typeof decided === 'number', isTooMuch)
        for (let round = 0; typeof decided === 'number' && round < ROUNDS_MAX; round++) {
          assert(decided >= 1 && decided <= HOUR_MS / 1000)
          at += decided * 1000
          decided = decide({ phone, address }, at)
        }
        assert.equal(typeof decided, 'object', 'he was told to wait again and again')
        phone.push(at)
        address.push(at)
      }
    })
    fc.assert(property, { seed: 1, numRuns: 100 })
  })

  it('count one more use of both, and forget what is an hour ago', () => {
    const address = [START - HOUR_MS, START - HOUR_MS + 1, START - 5]
    const decided = decide({ phone: [], address }, START)
    assert(typeof decided === 'object')
    const [phoneKey, phoneStored, phoneUpdated, addressKey, addressStored, addressUpdated] = decided.values
    assert.deepEqual([String(phoneKey), phoneStored, phoneUpdated], ['phone', [], [START]])
    assert.deepEqual([String(addressKey), addressStored], ['address', null])
    assert.deepEqual(addressUpdated, [START - HOUR_MS + 1, START - 5, START])
  })
})
