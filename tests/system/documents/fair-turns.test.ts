import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { issueToFamily, type PolicyScene } from '../../support/issued-policies.ts'

/** More than wait for the typesetter at a time. */
const MANY = 120

const t = await openTestApp({ own: true })

const download = ({ documents, platform }: PolicyScene) =>
  t.app.inject({
    method: 'GET',
    url: `${documents}/policy_certificate`,
    headers: { authorization: `Bearer ${platform.token}` },
  })

describe('a platform that downloads many documents at once', () => {
  it('makes no other wait behind all of them, and gets 503 itself for what is too much', async () => {
    const [busy, other] = [await issueToFamily(t), await issueToFamily(t, { offer: await t.makeOffer() })]
    assert.equal((await download(other)).statusCode, 200) // the typesetter has started
    const order: string[] = []
    const queueIsFull = Promise.withResolvers<void>()
    const many = Array.from({ length: MANY }, async () => {
      const { statusCode } = await download(busy)
      order.push(`busy ${statusCode}`)
      if (statusCode === 503) queueIsFull.resolve()
    })
    await queueIsFull.promise
    const { statusCode } = await download(other)
    order.push(`other ${statusCode}`)
    await Promise.all(many)
    assert(order.includes('other 200'), order.join(', '))
    const before = order.slice(0, order.indexOf('other 200')).filter((one) => one === 'busy 200')
    assert(before.length < MANY / 2, order.join(', '))
  })
})
