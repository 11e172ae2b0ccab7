import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it } from 'node:test'
import fc from 'fast-check'
import { createMac } from '../../src/kernel/crypto/mac.ts'

const standard = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex')

it('a keyed hash is HMAC-SHA-256, for keys up to a block and texts of any length and script, one after the other', () => {
  const keys = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes))
  const texts = fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 2_000 }), fc.string({ maxLength: 80 })))
  const long = ['', 'a', 'ab'.repeat(341), 'अ'.repeat(682), 'अ'.repeat(683), '😀'.repeat(400), 'x'.repeat(100_000)]
  fc.assert(
    fc.property(keys, texts, (key, some) => {
      const mac = createMac(key)
      for (const text of [...some, ...long]) assert.equal(mac(text).toString('hex'), standard(key, text))
    }),
    { numRuns: 50 },
  )
})

it('a keyed hash does not change when the next one is made', () => {
  const mac = createMac(Buffer.alloc(32, 2))
  const first = mac('phone')
  mac('id_proof')
  assert.equal(first.toString('hex'), standard(Buffer.alloc(32, 2), 'phone'))
})
