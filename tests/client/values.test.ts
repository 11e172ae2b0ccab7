import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { dayOf, jsonOf, Money, plainDate } from '../../client/src/index.ts'
import { decode, encode } from '../../client/src/wire.ts'
import { readText } from '../support/sources.ts'

const { TZ } = process.env
after(() => {
  if (TZ === undefined) delete process.env['TZ']
  else process.env['TZ'] = TZ
})

describe('times', () => {
  for (const zone of ['Asia/Kolkata', 'UTC', 'America/Los_Angeles', 'Pacific/Kiritimati']) {
    it(`are read as UTC by a program in ${zone}, and written so`, () => {
      process.env['TZ'] = zone
      const record = decode({ created_at: '2026-04-01T20:30:00', since: '2026-03-31T23:59:59' }) as Record<string, Date>
      assert.equal(record['created_at']?.toISOString(), '2026-04-01T20:30:00.000Z')
      assert.equal(record['since']?.getTime(), Date.UTC(2026, 2, 31, 23, 59, 59))
      assert.equal(encode({ expires_at: record['created_at'] }), '{"expires_at":"2026-04-01T20:30:00"}')
      assert.equal(dayOf(record['created_at']), '2026-04-02', 'a day later in India')
    })
  }

  it('of events have milliseconds', () => {
    const { timestamp } = decode({ timestamp: '2026-04-01T09:30:00.123Z' }) as { timestamp: Date }
    assert.equal(timestamp.getTime(), Date.UTC(2026, 3, 1, 9, 30, 0, 123))
  })

  it('dates stay what they are', () => {
    assert.deepEqual(decode({ start_date: '2026-04-01', dob: null }), { start_date: '2026-04-01', dob: null })
    assert.equal(plainDate('2028-02-29'), '2028-02-29')
    for (const wrong of ['2026-02-29', '2026-4-1', '2026-04-31', '2026-04-01T00:00:00', '', '1 April'])
      assert.throws(() => plainDate(wrong), RangeError, wrong)
  })
})

describe('money', () => {
  it('of premiums in rupees and of wallets in paise is the same', () => {
    const read = decode({ annual: { currency: 'INR', value: 6022.5 }, balance: 602_250 }) as Record<string, Money>
    assert(read['annual']?.equals(read['balance'] as Money))
    assert.deepEqual([String(read['annual']), read['annual']?.format()], ['INR 6022.50', '₹6,022.50'])
  })

  it('is written as the field wants it: rupees in an object, paise as a number', () => {
    const amount = Money.rupees('499.50')
    assert.equal(encode({ amount }), '{"amount":49950}')
    assert.equal(encode({ plans: [{ annual: amount }] }), '{"plans":[{"annual":{"currency":"INR","value":499.5}}]}')
    assert.throws(() => encode({ amount: 500 }), TypeError, 'rupees or paise?')
    assert.equal(encode({ amount }, true), '{"amount":{"currency":"INR","value":499.5}}', 'of an insurer, in rupees')
    assert.equal(encode({ amount: undefined }, true), '{}')
    assert.throws(() => encode({ amount: 500 }, true), TypeError)
  })

  it('never loses a paisa on the way, up to the largest amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_000_000_000_000_000 }), (paise) => {
        const sent = encoded({ daily: Money.paise(paise) })
        if (sent === undefined) return assert(paise > 7_000_000_000_000_000, 'only what JSON cannot hold')
        const { daily } = decode(JSON.parse(sent)) as { daily: Money }
        assert.equal(daily.paise, paise)
        assert.equal(Money.rupees(Money.paise(paise).rupees).paise, paise)
      }),
    )
  })

  it('calculates in paise, and not with another currency', () => {
    const sum = Money.rupees('0.10').plus(Money.rupees('0.20'))
    assert.deepEqual([sum.rupees, sum.minus(Money.paise(31)).rupees, sum.times(3).rupees], ['0.30', '-0.01', '0.90'])
    assert.throws(() => sum.plus(Money.paise(1, 'USD')), RangeError)
    for (const wrong of ['0.001', '1e3', '1,000', '', ' 5', '.5', '99999999999999999'])
      assert.throws(() => Money.rupees(wrong), RangeError, wrong)
    assert.throws(() => Money.paise(0.5), RangeError)
    assert.equal(JSON.stringify({ sum }), '{"sum":{"currency":"INR","paise":30}}')
  })
})

function encoded(body: object): string | undefined {
  try {
    return encode(body)
  } catch (error) {
    assert(error instanceof RangeError)
    return undefined
  }
}

describe('a record that is passed on', () => {
  it('is the JSON of the service again, for every example of the document', () => {
    const examples: object[] = []
    JSON.parse(readText('openapi.json'), (name, value: unknown) => {
      const found = name === 'example' ? [value] : name === 'examples' && Array.isArray(value) ? value : []
      examples.push(...found.filter((one): one is object => typeof one === 'object' && one !== null))
      return value
    })
    assert(examples.length > 50)
    for (const example of examples)
      assert.deepEqual(JSON.parse(jsonOf(decode(structuredClone(example)) as object)), example)
  })
})

describe('members that the client does not know', () => {
  it('are kept as they are', () => {
    const record = { id: 'pol_1', loyalty: { tier: 'GOLD', points: 12 }, tags: ['a'], status: 'PAUSED' }
    assert.deepEqual(decode(structuredClone(record)), record)
  })

  it('of an object without form are not touched, whatever they are called', () => {
    const metadata = { provider_metadata: { created_at: '2026-04-01T09:30:00', amount: 5, balance: 1.5 } }
    assert.deepEqual(decode(structuredClone({ metadata })), { metadata })
    assert.equal(encode(metadata), JSON.stringify(metadata))
  })

  it('cannot reach the prototype of objects', () => {
    decode(JSON.parse('{"__proto__":{"created_at":"2026-04-01T09:30:00"},"constructor":{"amount":1}}'))
    assert.equal(({} as Record<string, unknown>)['created_at'], undefined)
  })
})
